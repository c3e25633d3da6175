#!/usr/bin/env python3
"""kernelbench_eager.py OUT SECONDS: what PyTorch's own calls take for the ports, at the ports' sizes, in microseconds,
into OUT/torch.json: eager in fp32, and with TF32 allowed. Inputs are made on the GPU and the L2 is overwritten before
each run; medians of nine, both in turn. What is in OUT already is not measured again."""
import glob
import json
import os
import statistics
import sys
import time

import torch

from kernelbench_calls import call_of
from kernelbench_figures import sizes


def once(call, tf32, flush):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    flush.zero_()
    begin.record()
    call()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) * 1000


def main():
    out, seconds, start = sys.argv[1], float(sys.argv[2]), time.monotonic()
    path, results = os.path.join(out, "torch.json"), {}
    if os.path.exists(path):
        with open(path) as file:
            results = json.load(file)
    flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    for source in sorted(glob.glob(os.path.join(out, "src", "level?", "*.cu"))):
        level, name = source[:-len(".cu")].split(os.sep)[-2:]
        key = f"{level}/{name}"
        if key in results or time.monotonic() - start > seconds:
            continue
        with open(source) as file:
            s = sizes(file.read())
        try:
            with torch.no_grad():
                call, times = call_of(int(level[-1]), int(name.split("_")[0]), s), {False: [], True: []}
                for turn in range(12):
                    for tf32, taken in times.items():
                        us = once(call, tf32, flush)
                        if turn >= 3:
                            taken.append(us)
            results[key] = {"eager_us": statistics.median(times[False]), "tf32_us": statistics.median(times[True])}
        except Exception as error:  # out of memory, an operator that this PyTorch lacks
            results[key] = {"error": str(error)[:200]}
        call = None
        torch.cuda.empty_cache()
        with open(path + ".new", "w") as file:
            json.dump(results, file)
        os.replace(path + ".new", path)


if __name__ == "__main__":
    main()
