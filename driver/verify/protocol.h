// The worker protocol: one JSON object a line on stdin, one answer a line on stdout, so that any
// launcher prefix (ssh host, srun -G1, kubectl exec -i) runs a worker elsewhere. Raw bytes follow a
// line that says "payload": N, exactly N of them. The worker knows no expressions, marks or
// skills: numbers come in, numbers and bytes go out. It exits at end of input.
//
// Request {"id": n, "do": verb, ...}; answer {"id": n, "ok": true, ...} or
// {"id": n, "ok": false, "class": "launch|fault|unsafe|limit|io|usage|absent|unsupported",
// "text": "..."}.
// After class "fault" the worker is spoilt and answers every request so.
//
// hello      {}                                     -> {"protocol":1, "device":{name,uuid,driver,arch,sms,l2_bytes,...}}
//            opens the device; also what a pooled runner does before its candidate arrives. A worker
//            started with --sandbox adds "sandbox":true, or answers class "unsupported" with what the
//            machine lacks
// module     {"name":"m0"} + payload cubin          -> {}
// function   {"module":"m0","name":"_Z1kPf"}        -> {"facts":{"registers":..,"static_shared":..,"local":..,"max_threads":..}}
//            "module":"ks" is there from the start: the device's own code, of which plans may launch
//            ks_least(from, n_from, to, n_to, each) (device/trusted.cu), on a device that has any
// buffers    {"flush":"end"|"start","frozen":bool,"shuffled":bool,"chance":n,
//             "list":[{"bytes":..,"align":..,"role":"in|inout|out|work",
//             "alias":index or -1,
//             "fill":{"elem":"f32x4","init":"uniform","a":..,"b":..,"family":"declared","seed":..,"total":..}}]}
//                                                   -> {"addresses":[..]}  frees all earlier buffers first
//            "normal":true: special values have normal numbers in place of denormals. "factors":true: wide numbers
//            are of so small a range that the product of all is a double. "nearer":n: great and slight numbers are 2^n
//            nearer to ordinary ones.
//            "wide":true stores f32, f16 and bf16 as f64, "nudge":p moves each by ks_fill_moved(x, p, its
//            index) (workload/fill.h); "single":true, wide or not, rounds what is moved to f32, and other types stay.
//            "absolute":true makes floats |x|, "signs":p negative by chance where p is not 0 (ks_fill_signs).
//            in and inout are filled and a pristine copy of inout kept; out and work are poisoned
//            at each run. A fill with "init":"bytes" takes its bytes from the payload, in list order.
//            Poison is the 32-bit word repeated over the whole buffer. frozen: a write to what is in is
//            a fault, where the hardware can forbid it. shuffled: addresses are taken in an order of chance.
//            chance: from which all follows that the worker and its device leave to chance from here on; absent or
//            0: from the system.
// run        {"plan":[step...],"poison":word,"scrub":bool,"steps":n,"most":n,"serial":bool,"races":bool,"crowd":us} -> {"microseconds":..}
//            restores inout, poisons out and work, scrubs, runs the plan, waits, checks canaries and
//            that inputs kept their fingerprints ("text" says which did not; class "fault" is for
//            hardware faults, "unsafe" for canaries and changed inputs)
//            An emulated device adds "steps", those that it took, and calls a launch
//            endless ("fault") that takes more than it was given, where "steps" is there;
//            where "most" is, that takes "steps" without the end of a block, or "most" in all. "serial": it runs
//            blocks one at a time, each to its end. "races": false: it looks for none.
//            "crowd": blocks of ours hold multiprocessors for so many microseconds from the run's beginning on, where the
//            device can.
//            step: {"module":..,"kernel":name,"shown":text,"grid":[x,y,z],"block":[x,y,z],"shared":n,
//                   "args":[{"buffer":i,"shown":text}|{"hex":"0000803f"}|{"hex":..,"pointers":[[at,i]...]}...]}
//                   | {"memset":i,"value":v}; pointers: a struct's bytes, with buffers' addresses at those bytes;
//                   shown, where it is there: what an emulated device calls kernel and buffer in what it finds
// read       {"buffer":i,"set":s}                   -> {"payload":bytes}, then the bytes
//            ("set" picks a rotating copy after `sets`; absent or 0: the first)
//            {"buffer":i,"set":s,"from":o,"bytes":n,"to":p} -> {}: n bytes from o on lie from p on in the memory that
//            worker and supervisor share (verify/shared.h); class "usage" where the worker was given none
// gather     {"buffer":i,"size":b} + payload places (int64, rising)
//                                                   -> {"payload":bytes}: the elements of b bytes at those places
// fingerprint{"buffer":i,"set":s}                   -> {"value":"<16 hex>"}
// sets       {"count":k}                            -> {} makes k rotating copies of all buffers for time
//            (class "limit" when memory ends; the sets there were before stay)
// time       {"a":[step...],"b":[step...],"pairs":n,"cold":bool,"batch":k,"poison":word,"enough_us":us,
//             "steady":bool,"groups":g}
//            -> {"a":[us...],"b":[us...],"fingerprints_ok":bool,"clock_dropped":n}
//            blocks A B B A (coin-flipped with B A A B) after 3 warm-ups of each; before every timed
//            run outputs and workspaces are poisoned afresh and inout restored; each timed output of
//            b is fingerprinted on the device and compared with b's first verified run of that set
//            when "deterministic":true, and the last output of each set stays readable ("read").
//            Of a pair at a low clock nothing is told, where those are at most one in five, or "steady" is true.
//            With "enough_us" pairs end once samples of so much were taken, of one pair at least; "taken" says how many.
//            (After the pairs b runs once more in the same way on each set, so that "read" sees b's.)
//            Pairs take turns on groups of k sets, on "groups" of them at most where that is there.
//            All sets hold the same inputs, so that first run is made on the first set and serves for
//            all. A batch is one graph of k runs on k sets, which are made when there are fewer. The
//            answer also has "compared" (fingerprints), "clock_mhz" (a's median, 0: unknown) and
//            "outputs" ({"<buffer>":"<16 hex>"}: the fingerprints of that first run).
// count      {"plan":[step...],"lines":bool,"steps":n} -> {"steps":[{...}]}, the fields of device/counts.h for each
//            step (of a memset zeros). Runs some blocks of each, unchecked: the buffers are spoilt. For devices
//            that can; class "limit" where it would take too long, or more than "steps" (as for run). "lines" asks for "lines":[{"file","line",...}] of the
//            source beside (docs/json.md, ks.run), the dearest first, where the device tells them
// ceilings   {}                                     -> {"copy_gbs":..,"fma_gflops":..}
#ifndef KS_PROTOCOL_H
#define KS_PROTOCOL_H

#include <stdint.h>

#define KS_PROTOCOL_VERSION 1
#define KS_PROTOCOL_LINE (1 << 20)             // longest line, bytes
#define KS_PROTOCOL_PAYLOAD (INT64_C(1) << 36) // largest payload, bytes

#endif
