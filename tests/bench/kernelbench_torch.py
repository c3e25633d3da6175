#!/usr/bin/env python3
"""kernelbench_torch.py OUT SECONDS [K/N]: what PyTorch's own calls take for the ports, at the ports' sizes, in microseconds,
into OUT/torch.json: eager in fp32, eager with TF32 allowed, and compiled (torch.compile as it comes) in what OUT was tuned
for. Inputs are made on the GPU and the L2 is overwritten before each run; medians of nine, all in turn. K/N: every Nth port
from the Kth on. What is in OUT already is not measured again."""
import glob
import json
import os
import statistics
import sys
import time

import torch

from kernelbench_calls import call_of
from kernelbench_figures import load, sizes


def once(call, tf32, flush):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    flush.zero_()
    begin.record()
    call()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) * 1000


def measure(call, tf32, flush):
    torch._dynamo.reset()  # or a call of the same lines at other sizes is compiled for any size
    arms, result = {"eager_us": (call, False), "tf32_us": (call, True), "compiled_us": (torch.compile(call), tf32)}, {}
    try:
        once(*arms["compiled_us"], flush)
    except Exception as error:  # no compiler, an operator that it lacks: eager has its times
        result["compile_error"] = str(error)[:200]
        del arms["compiled_us"]
    times = {arm: [] for arm in arms}
    for turn in range(12):
        for arm, (one, allowed) in arms.items():
            us = once(one, allowed, flush)
            if turn >= 3:
                times[arm].append(us)
    return {**result, **{arm: statistics.median(taken) for arm, taken in times.items()}}


def main():
    out, seconds, start = sys.argv[1], float(sys.argv[2]), time.monotonic()
    part, parts = (int(n) for n in (sys.argv[3] if len(sys.argv) > 3 else "1/1").split("/"))
    path = os.path.join(out, "torch.json")
    results, tf32 = load(path, {}), load(os.path.join(out, "run.json"), {}).get("tf32", False)
    flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    for source in sorted(glob.glob(os.path.join(out, "src", "level?", "*.cu")))[part - 1::parts]:
        level, name = source[:-len(".cu")].split(os.sep)[-2:]
        key = f"{level}/{name}"
        if {"compiled_us", "compile_error", "error"} & results.get(key, {}).keys() or time.monotonic() - start > seconds:
            continue
        with open(source) as file:
            s = sizes(file.read())
        try:
            with torch.no_grad():
                results[key] = measure(call_of(int(level[-1]), int(name.split("_")[0]), s), tf32, flush)
        except Exception as error:  # out of memory, an operator that this PyTorch lacks
            results[key] = {"error": str(error)[:200]}
        torch.cuda.empty_cache()
        with open(path + ".new", "w") as file:
            json.dump(results, file)
        os.replace(path + ".new", path)


if __name__ == "__main__":
    main()
