"""probe_seconds.py KS_PROBE CUBIN [SIDE]: seconds of profiles as ks-probe gives them, over its protocol (verify/protocol.h).

Fresh: from the start of the process to its first answer, context, buffers and CUPTI's start included. Warm: further answers of
the same process. Medians over five processes, four warm ones each. One line of JSON; figures are null where counters are refused.
"""
import json
import statistics
import struct
import subprocess
import sys
import time

SIDE = int(sys.argv[3]) if len(sys.argv) > 3 else 8192  # of the matrix


class Probe:
    def __init__(self, path):
        self.started = time.monotonic()
        self.child = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.asked = 0

    def ask(self, verb, payload=b"", **words):
        self.asked += 1
        words.update({"id": self.asked, "do": verb})
        if payload:
            words["payload"] = len(payload)
        self.child.stdin.write(json.dumps(words).encode() + b"\n" + payload)
        self.child.stdin.flush()
        answer = json.loads(self.child.stdout.readline())
        if not answer["ok"]:
            sys.exit(f"{verb}: {answer}")
        return answer

    def end(self):
        self.child.stdin.close()
        self.child.wait()


def one_process(path, cubin):
    probe = Probe(path)
    probe.ask("hello")
    probe.ask("module", cubin, name="m0")
    probe.ask("function", module="m0", name="turn")
    fill = {"elem": "f32", "init": "uniform", "a": 0, "b": 1, "family": "declared", "seed": 1, "total": SIDE * SIDE}
    array = {"bytes": 4 * SIDE * SIDE, "align": 16, "alias": -1}
    probe.ask("buffers", flush="start", frozen=False,
              list=[{**array, "role": "in", "fill": fill}, {**array, "role": "out"}])
    side = struct.pack("<i", SIDE).hex()
    plan = [{"module": "m0", "kernel": "turn", "grid": [SIDE // 32, SIDE // 32, 1], "block": [32, 8, 1], "shared": 0,
             "args": [{"buffer": 0}, {"buffer": 1}, {"hex": side}]}]
    answers = [probe.ask("profile", plan=plan)]
    fresh = time.monotonic() - probe.started
    warm = []
    for _ in range(4):
        began = time.monotonic()
        answers.append(probe.ask("profile", plan=plan))
        warm.append(time.monotonic() - began)
    probe.end()
    return fresh, warm, answers


def main():
    with open(sys.argv[2], "rb") as file:
        cubin = file.read()
    fresh, warm, answers = [], [], []
    for _ in range(5):
        one = one_process(sys.argv[1], cubin)
        fresh.append(one[0])
        warm += one[1]
        answers += one[2]
    read = all(a["method"] == "range profiler" for a in answers)
    print(json.dumps({
        "profile_fresh_s": round(statistics.median(fresh), 4) if read else None,
        "profile_fresh_most_s": round(max(fresh), 4) if read else None,
        "profile_warm_s": round(statistics.median(warm), 4) if read else None,
        "profile_begin_s": round(statistics.median([a["seconds_begin"] for a in answers[::5]]), 4) if read else None,
        "profile_collect_s": round(statistics.median([a["seconds_collect"] for a in answers if a not in answers[::5]]), 4)
        if read else None,
        "profile_metrics": len(answers[-1]["metrics"]),
        "profile_passes": answers[-1]["passes"],
        "profile_kernel_us": round(answers[-1]["time_us"], 2),
        "profile_refused": None if read else next(a["refused"] for a in answers if a["refused"])["code"],
    }))


main()
