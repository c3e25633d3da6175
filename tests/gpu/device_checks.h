// The checks of device_test: each ends its process by saying one line (device_bench.h).
#ifndef KS_DEVICE_CHECKS_H
#define KS_DEVICE_CHECKS_H

// device_checks_memory.c
void check_memory(void);
void check_gather(void);
void check_generate(void);
void check_inside(void);
void check_read_past_end(void);
void check_write_past_end(void);
void check_read_before_start(void);
void check_empty_buffer(void);
void check_frozen(void);
void check_used_again(void);
void check_trap(void);
void check_misaligned(void);
void check_canaries(void);
void check_fingerprint(void);
void check_scrub(void);
void check_crowd(void);
void check_memory_ends(void);

// device_checks_time.c
void check_timing(void);
void check_graph_sets(void);
void check_ceilings(void);
void check_least(void);
void check_worker(void);
void check_endless(void);

#endif
