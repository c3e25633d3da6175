#!/usr/bin/env python3
"""kernelbench_figures.py OUT [--doc FILE]: the table of what kernelbench.sh left in OUT, and its figures as a line of
JSON; with --doc the same as a page of the documentation, beside a FILE.json (for its .md) with the rows of earlier runs on that kind of
GPU: a port that OUT has takes the place of its row there, and --source NAME says what was measured (a commit). --rest FILE.json: of a page
with TF32, the one without, whose ports stand in further sums for those that were not measured with it. --one ROW: one result in a few
words. --timed ROW: whether every kernel in it has a time."""
import glob
import json
import math
import os
import re
import statistics
import sys
import time

SIZES = {"float": 4, "int": 4, "unsigned char": 1, "long long": 8, "__half": 2}
SUMMARY = ("problems", "geomean", "median", "quartiles", "fast_1", "fast_1_5", "fast_2", "regressions", "failures", "eager_problems", "eager_geomean",
           "eager_long_problems", "eager_long_geomean", "eager_tf32_geomean", "compiled_problems", "compiled_geomean", "seconds_median")
LONG = 50  # us: the judge times shorter kernels in batches, PyTorch's calls are timed one by one with their launches
DONE = ("variant", "stays", "original", "budget", "decided")  # all others are failures


def load(path, otherwise=None):
    try:
        with open(path) as file:
            return json.load(file)
    except (OSError, ValueError):
        return otherwise


def head(text):
    """the comment that a port begins with, as one line"""
    return " ".join(text.split("#include")[0].replace("//", " ").split())


def clauses(mark):
    """name and text of each clause of a workload"""
    for match in re.finditer(r"(\w+)\(((?:[^()]|\([^()]*\))*)\)", mark):
        yield match[1], match[2]


def ceildiv(a, b):
    return -(-a // b)


def assigned(mark):
    """the sizes that a workload's let() clauses give, and what they may call"""
    values = {"ceildiv": ceildiv, "min": min, "max": max}
    for clause, inside in clauses(mark):
        if clause == "let":
            key, value = inside.split("=", 1)
            values[key] = eval(value.replace("/", "//"), {}, values)
    return values


def sizes(text):
    """the sizes of all of a port's kernels; one that differs in a later kernel has that kernel's number too: n, n2"""
    values = {}
    for number, mark in enumerate(re.findall(r"#pragma ks workload ([^\n]*)", text.replace("\\\n", " ")), 1):
        for name, value in assigned(mark).items():
            if values.setdefault(name, value) != value:
                values[name + str(number)] = value
    return values


def work(text):
    """of each kernel of a port: bytes that it must move, and its arithmetic by the `// flop:` above its mark"""
    kernels = {}
    joined = text.replace("\\\n", " ")
    pattern = r"((?://[^\n]*\n)*)#pragma ks optimize[^\n]*\n#pragma ks workload ([^\n]*)\n__global__ void (\w+)\(([^)]*)\)"
    for comments, mark, name, parameters in re.findall(pattern, joined):
        values = assigned(mark)
        types = {p.split()[-1].lstrip("*"): " ".join(p.replace("const ", "").rstrip().split()[:-1]) for p in parameters.split(",")}
        moved = 0
        for clause, inside in clauses(mark):
            if clause in ("in", "out", "inout"):
                array, size = re.match(r"(\w+)\[([^\]]*)\]", inside).groups()
                elements = eval(size.replace("/", "//"), {}, values)
                moved += elements * SIZES[types[array]] * (2 if clause == "inout" else 1)
        flop = re.search(r"// flop: (.*)", comments)
        kernels[name] = (moved, eval(flop[1].replace("/", "//"), {}, values) if flop else 0)
    return kernels


def times(row, profile):
    """kernel -> (before, after, lower bound of the ratio), None where there is no time"""
    measured = {k["kernel"]: (k.get("profile") or {}).get("time_us") for k in (profile or {}).get("kernels", [])}
    out = {}
    for kernel in row["kernels"]:
        if kernel["status"] == "variant" and kernel["timings"]:
            before = sum(t["original_us"] for t in kernel["timings"])
            out[kernel["kernel"]] = (before, before / kernel["speedup"], kernel["lower"] or 1)
        else:
            us = (kernel.get("profile") or {}).get("time_us") or measured.get(kernel["kernel"])
            out[kernel["kernel"]] = (us, us, 1) if us else None
    return out


def of_torch(measured, tf32):
    """of a problem's row: what PyTorch takes"""
    return {"eager_us": measured.get("tf32_us" if tf32 else "eager_us"), "eager_tf32_us": measured.get("tf32_us"),
            "compiled_us": measured.get("compiled_us")}


def problem(path, out, torch=None, tf32=False):
    """one row of the table"""
    name = os.path.basename(path)[:-len(".json")]
    level, file = name.split("-", 1)
    with open(os.path.join(out, "src", level, file + ".cu")) as source:
        text = source.read()
    row, profile = load(path, {"kernels": [], "failed": "unreadable"}), load(path + ".profile")
    need, took = work(text), times(row, profile)
    bad = [f"{k['kernel']}: {k['status']}" + (f" ({k['reason']})" if k.get("reason") else "")
           for k in row["kernels"] if k["status"] not in DONE]
    bad += [f"{kernel}: no result" for kernel in need if kernel not in took] if not row.get("failed") else []
    failed = row.get("failed") or "; ".join(bad)
    rates = [k["profile"] for source in (row, profile or {}) for k in source.get("kernels", []) if k.get("profile")]
    copy = statistics.median([r["copy_gbs"] for r in rates if r.get("copy_gbs")] or [0])
    fma = statistics.median([r["fma_gflops"] for r in rates if r.get("fma_gflops")] or [0])
    known = not failed and all(took.values())
    found = [k for k in row["kernels"] if k["status"] == "variant"]
    before = after = ratio = lower = None
    if known and took:
        before, after = (sum(t[i] for t in took.values()) for i in (0, 1))
        ratio, lower = before / after, before / sum(t[0] / t[2] for t in took.values())
    elif not failed and not found:
        ratio = lower = 1.0  # nothing was replaced, whatever its time is
    elif not failed and len(need) == 1:
        ratio, lower = found[0]["speedup"], found[0]["lower"]
    elif not failed:
        failed = "no time of every kernel"
    bound = sum(max(moved / copy / 1e3, 0 if tf32 else flop / fma / 1e3) for moved, flop in need.values()) if copy and fma else None
    return {
        "level": int(level[-1]), "name": file, "degenerate": bool(re.search(r"^// degenerate", text, re.M)),
        "naive_us": before, "tuned_us": after, "ratio": 1.0 if failed else ratio, "lower": 1.0 if failed else lower,
        "bound_us": bound, "share": bound / after if bound and after else None,
        "seconds": sum(k["seconds"] for k in row["kernels"]), "candidates": sum(k["proposed"] for k in row["kernels"]),
        "skills": sorted({k["skill"] for k in found if k.get("skill")}),
        "verdict": "failed: " + failed if failed else "faster" if found else "original stays",
        **of_torch((torch or {}).get(f"{level}/{file}", {}), tf32),
        "day": time.strftime("%Y-%m-%d", time.gmtime(os.path.getmtime(path))), "cut": any(k["status"] == "budget" for k in row["kernels"]), "first_sizes": "first release" in head(text),
    }


def geomean(ratios):
    return round(math.exp(statistics.fmean(map(math.log, ratios))), 3) if ratios else None


def summary(rows):
    ratios = sorted(r["ratio"] for r in rows)
    if not ratios:
        return {key: 0 if key in ("problems", "regressions", "failures", "eager_problems", "eager_long_problems", "compiled_problems") else None for key in SUMMARY}
    timed = [r for r in rows if r["eager_us"] and r["tuned_us"]]
    eager, long = ([r["eager_us"] / r["tuned_us"] for r in timed if r["tuned_us"] >= least] for least in (0, LONG))
    tf32, compiled = ([r[arm] / r["tuned_us"] for r in rows if r.get(arm) and r["tuned_us"]] for arm in ("eager_tf32_us", "compiled_us"))
    quartiles = statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3

    def share(p):
        return round(sum(r > p for r in ratios) / len(ratios), 3)

    return {
        "problems": len(ratios), "geomean": geomean(ratios),
        "median": round(statistics.median(ratios), 3), "quartiles": [round(quartiles[0], 3), round(quartiles[2], 3)],
        "fast_1": share(1), "fast_1_5": share(1.5), "fast_2": share(2), "regressions": sum(r < 1 for r in ratios),
        "failures": sum(r["verdict"].startswith("failed") for r in rows),
        "eager_problems": len(eager), "eager_geomean": geomean(eager), "eager_long_problems": len(long),
        "eager_long_geomean": geomean(long), "eager_tf32_geomean": geomean(tf32),
        "compiled_problems": len(compiled), "compiled_geomean": geomean(compiled),
        "seconds_median": round(statistics.median(r["seconds"] for r in rows), 1),
    }


def figures(rows, run):
    sound = [r for r in rows if not r["degenerate"]]
    levels = {f"level{n}{name}": summary([r for r in some if r["level"] == n])
              for n in sorted({r["level"] for r in rows}) for name, some in (("", rows), ("_sound", sound))}
    return {"schema": "bench.kernelbench", "tf32": False, **run, **summary(rows), "sound": summary(sound), "levels": levels,
            "seconds": round(sum(r["seconds"] for r in rows), 1), "candidates": sum(r["candidates"] for r in rows)}


def number(value, digits=1):
    return "-" if value is None else f"{value:.{digits}f}"


def key(r):
    return f"level{r['level']}/{r['name']}"


def torch_cells(measured):
    return [number(measured.get(arm)) for arm in ("eager_us", "tf32_us", "compiled_us")]


def columns(r, library, torch):
    return [f"{r['level']}/{r['name']}" + (" (degenerate)" if r["degenerate"] else "") + (" (first sizes)" if r["first_sizes"] else ""),
            number(r["naive_us"]), number(r["tuned_us"]), f"{number(r['ratio'], 2)} (>= {number(r['lower'], 2)})", number(r["bound_us"]),
            "-" if r["share"] is None else f"{100 * r['share']:.0f} %", number(library.get(r["name"])),
            *torch_cells(torch.get(key(r), {})),
            f"{r['seconds']:.0f}", str(r["candidates"]), ", ".join(r["skills"]) or "-", r["verdict"] + (" (cut short)" if r["cut"] else "")]


HEAD = ["problem", "naive us", "tuned us", "ratio (bound)", "roofline us", "share", "library us", "eager us", "TF32 us", "compile us",
        "s", "tried", "skills", "verdict"]
WHAT = "its own calls at the ports' sizes, as they come (eager) and compiled by torch.compile"
PAGE = """# KernelBench on {gpu}

Made by `tests/bench/kernelbench_figures.py OUT --doc FILE{rest}` from what `tests/bench/kernelbench.sh BUILD OUT` measured; not edited.
It has {rows} of {ports} ports so far; *measured* says on which day, and of which commit: a port that was not measured again keeps its row.
{gpu}, driver {driver}, {arch} where *measured* names no other, no language model{without}. {budget} after the tuning of a kernel began no further candidate is; what runs
then is finished, and the best is judged if none was (since 29 November another skill's, too, if that was wrong): *s* is what a problem's kernels took in all. The kernels are those of
`samples/kernelbench`, compiled with -O3{tf32}, and their ports say which sizes they have. Times are of launches with a cold L2.
*Ratio* is naive over tuned, of a problem's kernels together, with its proven lower bound; *roofline* what {work}
on this very card would need at least, *share* that over the tuned time. Losers and failures are in bold, and where a PyTorch
call is quicker by more than 2 % the problem and both times; a failure counts as 1.0.
Library column: {library}. PyTorch columns: {torch}. A call of PyTorch's is timed between two
events, its launches included, which below {long} us says more of launches than of kernels: eager_long leaves such problems out.
*eager_tf32* holds PyTorch with TF32 allowed against what was tuned {against}; *compiled* holds what torch.compile made.{others}

"""


def kept(path, rows, run, library, torch, source):
    """of --doc: (row, its cells, when and of what it was measured, and for which architecture where that is not the page's), those of OUT
    in place of earlier ones; and the page's run"""
    old = load(path, {"run": run, "rows": []})
    if old["run"] != {**run, "arch": old["run"]["arch"]}:
        sys.exit(f"{path} is of another run: {old['run']}")
    other = "" if old["run"] == run else run["arch"]
    lines = {key(r): {"row": r, "cells": columns(r, library, torch), "measured": " ".join(filter(None, (r["day"], source, other)))} for r in rows}
    at, call = HEAD.index("eager us"), HEAD.index("library us")
    for line in old["rows"]:
        name, port = key(line["row"]), line["row"]["name"]
        if name not in lines: # others' calls alone may have been measured again
            lines[name] = line
            if port in library:
                line["cells"][call] = number(library[port])
            if name in torch:
                line["row"].update(of_torch(torch[name], run.get("tf32", False)))
                line["cells"][at:at + 3] = torch_cells(torch[name])
        elif name not in torch: # or all but those
            lines[name]["row"].update({arm: line["row"].get(arm) for arm in of_torch({}, False)})
            lines[name]["cells"][at:at + 3] = line["cells"][at:at + 3]
        if port not in library:
            lines[name]["cells"][call] = line["cells"][call]
    lines = sorted(lines.values(), key=lambda line: (line["row"]["level"], line["row"]["name"]))
    with open(path, "w") as file:
        file.write(json.dumps({"run": old["run"], "rows": "ROWS"}).replace('"ROWS"', "[\n" + ",\n".join(json.dumps(line) for line in lines) + "\n]") + "\n")
    return lines, old["run"]


def loses_to_eager(r):
    """by more than times of calls differ from one day to another"""
    return bool(r.get("eager_us")) and r["tuned_us"] > 1.02 * r["eager_us"]


def rest_sums(rows, rest, run):
    """(name, sums) with the other ports as they are tuned without TF32, against PyTorch with it: allowing it only adds to what is tried"""
    have = {key(r) for r in rows}
    others = [{**r, **of_torch({"tf32_us": r.get("eager_tf32_us")}, True)} for r in rest if key(r) not in have]
    if not others:
        return []
    sums = figures(rows + others, run)
    return [("all and the others", sums), ("all and the others, without degenerate ones", sums["sound"]),
            *((f"{level} and the others", part) for level, part in sums["levels"].items() if not level.endswith("_sound"))]


def page(lines, ports, run, rest):
    """rest: rows of ports that were not measured so, for further sums"""
    library, torch = (any(line["cells"][HEAD.index(column)] != "-" for line in lines) for column in ("library us", "eager us"))
    text = PAGE.format(**{**run, "rows": len(lines), "ports": ports, "long": LONG, "against": "with it as well" if run.get("tf32") else "here without: with it on both sides no less", "without": f", without {run['without']}" if run.get("without") else "",
                          "tf32": " and TF32 allowed on both sides (marks say tol(sum=2e-3), eager figures are of PyTorch with TF32)" if run.get("tf32") else "",
                          "rest": " --rest FILE.json" if rest else "",
                          "others": "\n*And the others*: ports without a row here count as tuned without TF32, against PyTorch with it." if rest else "",
                          "work": "copying alone" if run.get("tf32") else "copying and fp32 multiply-adds",
                          "library": "cuBLAS, fp32" if library else "not run", "torch": WHAT if torch else "not run"})
    sums = figures([line["row"] for line in lines], run)
    text += "| | " + " | ".join(SUMMARY) + " |\n|---|" + "---|" * len(SUMMARY) + "\n"
    for name, part in [("all", sums), ("all, without degenerate ones", sums["sound"]),
                       *((key.replace("_sound", ", without degenerate ones"), part) for key, part in sums["levels"].items()),
                       *rest_sums([line["row"] for line in lines], rest, run)]:
        text += f"| {name} | " + " | ".join(str(part[key]) for key in SUMMARY) + " |\n"
    text += "\n| " + " | ".join(HEAD + ["measured"]) + " |\n|" + "---|" * (len(HEAD) + 1) + "\n"
    for r, cells in ((line["row"], line["cells"] + [line["measured"]]) for line in lines):
        if r["ratio"] < 1 or r["verdict"].startswith("failed"):
            cells = [f"**{c}**" for c in cells]
        elif loses_to_eager(r):
            cells = [f"**{c}**" if i < len(HEAD) and HEAD[i] in ("problem", "tuned us", "TF32 us" if run.get("tf32") else "eager us") else c for i, c in enumerate(cells)]
        text += "| " + " | ".join(c.replace("|", "/").replace("\n", " ") for c in cells) + " |\n"
    return text


def main():
    if sys.argv[1] == "--timed":
        sys.exit(0 if all(times(load(sys.argv[2]), None).values()) else 1)
    if sys.argv[1] == "--one":
        r = problem(sys.argv[2], os.path.dirname(os.path.dirname(sys.argv[2])))
        print(f"{number(r['naive_us'])} us, {number(r['tuned_us'])} us, {number(r['ratio'], 2)}, {r['verdict']}")
        return
    out = sys.argv[1]
    run, library, torch = (load(os.path.join(out, name + ".json"), {}) for name in ("run", "library", "torch"))
    rows = [problem(path, out, torch, run.get("tf32", False)) for path in sorted(glob.glob(os.path.join(out, "rows", "*.json")))]
    if "--doc" in sys.argv:
        path = sys.argv[sys.argv.index("--doc") + 1]
        source = sys.argv[sys.argv.index("--source") + 1] if "--source" in sys.argv else ""
        ports = len(glob.glob(os.path.join(out, "src", "level?", "*.cu")))
        other = sys.argv[sys.argv.index("--rest") + 1] if "--rest" in sys.argv else None
        rest = load(other, {}).get("rows") if other else []
        if rest is None:
            sys.exit(f"{other} has no rows of ports: name the .json beside a page")
        lines, of = kept(os.path.splitext(path)[0] + ".json", rows, run, library, torch, source)
        text = page(lines, ports, of, [line["row"] for line in rest])
        with open(path, "w") as file:
            file.write(text)
    table = [HEAD] + [columns(r, library, torch) for r in rows]
    widths = [max(len(line[i]) for line in table) for i in range(len(HEAD))]
    for line in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    print("library calls: " + ("cuBLAS, fp32" if library else "not run") + "; PyTorch: " + (WHAT if torch else "not run"))
    print(json.dumps(figures(rows, run)))


if __name__ == "__main__":
    main()
