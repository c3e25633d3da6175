// Diagnostics on stderr. Compiler mode is silent unless KS_LOG asks; `ks` prints warnings and up.
//
// Thread-safe (one write(2) a line). Never use this for the answer a user asked for: that is stdout.
#ifndef KS_LOG_H
#define KS_LOG_H

enum ks_log_level { KS_LOG_ERROR, KS_LOG_WARN, KS_LOG_INFO, KS_LOG_DEBUG };

// Prefix is the program's name. Level from KS_LOG=error|warn|info|debug if set, else `fallback`.
void ks_log_init(const char *program, enum ks_log_level fallback);
void ks_log(enum ks_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define ks_error(...) ks_log(KS_LOG_ERROR, __VA_ARGS__)
#define ks_warn(...) ks_log(KS_LOG_WARN, __VA_ARGS__)
#define ks_info(...) ks_log(KS_LOG_INFO, __VA_ARGS__)
#define ks_debug(...) ks_log(KS_LOG_DEBUG, __VA_ARGS__)

#endif
