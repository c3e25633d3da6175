#!/usr/bin/env python3
"""kernelbench_torch.py KERNELBENCH OUT SECONDS: what the benchmark's own models take in PyTorch, in microseconds, into
OUT/torch.json: eager in fp32, eager with TF32, compiled. Inputs are made on the GPU and the L2 is overwritten before each
run; medians of nine, the three in turn. Ports with the sizes of the benchmark's first release are left out: those of the
checkout are others. What is in OUT already is not measured again."""
import glob
import json
import os
import statistics
import sys
import time

import torch

from kernelbench_figures import head

checkout, out, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
result_path = os.path.join(out, "torch.json")
results = {}
if os.path.exists(result_path):
    with open(result_path) as file:
        results = json.load(file)
flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")


def once(model, inputs, tf32):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    flush.zero_()
    begin.record()
    model(*inputs)
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) * 1000


def measure(path):
    names = {}
    with open(path) as file:
        exec(compile(file.read(), path, "exec"), names)
    with torch.no_grad(), torch.device("cuda"):
        model, inputs = names["Model"](*names["get_init_inputs"]()).cuda(), [
            x.cuda() if isinstance(x, torch.Tensor) else x for x in names["get_inputs"]()]
        arms = {"eager_us": (model, False), "tf32_us": (model, True), "compiled_us": (torch.compile(model), False)}
        times = {arm: [] for arm in arms}
        for turn in range(12):
            for arm, (call, tf32) in arms.items():
                us = once(call, inputs, tf32)
                if turn >= 3:
                    times[arm].append(us)
    return {arm: statistics.median(values) for arm, values in times.items()}


start = time.monotonic()
for row in sorted(glob.glob(os.path.join(out, "rows", "*.json"))):
    level, port = os.path.basename(row)[:-len(".json")].split("-", 1)
    key, number = f"{level}/{port}", int(port.split("_")[0])
    with open(os.path.join(out, "src", level, port + ".cu")) as source:
        if {"compiled_us", "error"} & results.get(key, {}).keys() or "first release" in head(source.read()):
            continue
    if time.monotonic() - start > seconds:
        break
    for path in glob.glob(os.path.join(checkout, "KernelBench", level, f"{number}_*.py")):
        try:
            results[key] = {**measure(path), **results.get(key, {})}  # at the port's own sizes where kernelbench_eager.py was first
        except Exception as error:  # out of memory, an operator that this PyTorch lacks
            results[key] = {**results.get(key, {}), "error": str(error)[:200]}
        torch.cuda.empty_cache()
    with open(result_path, "w") as file:
        json.dump(results, file)
