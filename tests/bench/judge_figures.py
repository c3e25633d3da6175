#!/usr/bin/env python3
"""judge_figures.py FILE...: the figures of judge.sh from the lines that its runs printed, whatever else stands there."""
import collections
import json
import statistics
import sys

lines = []
for path in sys.argv[1:]:
    with open(path) as file:
        for line in file:
            at = line.find("{")
            if at >= 0 and '"schema":"bench.judge"' not in line.replace(" ", ""):
                try:
                    lines.append(json.loads(line[at:]))
                except ValueError:
                    pass  # cut off, or no line of ours
trials = [line for line in lines if "proposal" in line]
mutation = [line for line in lines if line.get("schema") == "bench.mutation"]


def full(parts):
    return [part["full"] for part in parts if "full" in part]


def median(parts, key):
    values = [value for part in parts for value in part[key]]
    return statistics.median(values) if values else None


def total(parts, *keys):
    n = 0
    for part in parts:
        for key in keys:
            part = part.get(key, {} if key != keys[-1] else 0)
        n += part
    return n


def by_kernel(parts):
    kernels = collections.defaultdict(list)
    for part in parts:
        kernels[part["kernel"]].append(part)
    return kernels


# Only what is the original to the last instruction can be said to be falsely found faster.
even = [part for part in trials if part["same_code"] and "quick" not in part]
searched = [part["search"] for part in even if "search" in part]
waste = [part for part in trials if part["kernel"].startswith("waste_")]
plain = [part for part in waste if not part["sanitized"]]
sanitized = [part for part in waste if part["sanitized"] and part["kernel"] == "waste_150"]
wrong = [part for part in trials if part["proposal"].startswith("wrong_")]
rejects = collections.defaultdict(list)
for part in wrong:
    rejects[part["proposal"]] += full([part])
quick = [part["quick"] for part in trials if "quick" in part]
killed, survived = total(mutation, "killed"), total(mutation, "survived")
checks = collections.defaultdict(list)
for part in full(sanitized):
    for name, seconds in part["checks"].items():
        checks[name] += seconds

print(json.dumps({
    "schema": "bench.judge",
    "accept_s": median(full(sanitized), "seconds_run"),
    "accept_unsanitized_s": median(full([p for p in plain if p["kernel"] == "waste_150"]), "seconds_run"),
    "accept_600mb_s": median(full([p for p in trials if p["kernel"] == "stream_150"]), "seconds_run"),
    "accept_checks_s": {name: statistics.median(seconds) for name, seconds in checks.items()},
    "reject_s": statistics.median([median(r, "seconds_run") for r in rejects.values()]) if rejects else None,
    "rejected": total(full(wrong), "trials") - total(full(wrong), "correctness", "CORRECT"),
    "rejected_of": total(full(wrong), "trials"),
    "candidates_per_s": statistics.median(q["per_second"] for q in quick) if quick else None,
    "aa_trials": total(searched, "trials"),
    "aa_search": total(searched, "faster"),
    "aa_full": total(full(even), "trials"),
    "aa_false": total(searched, "confirmed") + total(full(even), "speed", "FASTER"),
    "aa_not_measured": total(searched, "not_measured") + total(full(even), "speed", "VOID"),
    "aa_ratio": {k: median([p["search"] for p in parts if "search" in p], "ratios") for k, parts in by_kernel(even).items()},
    "aa_search_s": {k: median([p["search"] for p in parts if "search" in p], "seconds") for k, parts in by_kernel(even).items()},
    "aa_gpus": len({part["gpu"] for part in even}),
    "aa_days": len({part["date"][:10] for part in even}),
    "found_3pct": total(full(plain), "speed", "FASTER"),
    "found_3pct_of": total(full(plain), "trials"),
    "ratio_3pct": [median(full(parts), "ratios") for parts in by_kernel(plain).values()],
    "mutation_kill": round(100 * killed / (killed + survived), 1) if killed + survived else None,
    "mutants": total(mutation, "mutants"),
    "original_us": {k: statistics.median(p["original_us"] for p in parts) for k, parts in by_kernel(trials).items()},
}))
