#!/usr/bin/env python3
"""kernelbench_recognition.py BUILD OUT [--doc FILE] [--idioms FILE] [PORT...]: what `ks explain --why` recognises the kernels of
samples/kernelbench as, by running them on the emulated device, held against kernelbench_idioms.txt, which says what they are.
PORT is a part of a file's name; without one all are taken (four minutes on two free cores). What OUT holds is not asked again. A line
for each kernel that is not simply recognised, and the line of JSON of figures.md; with --doc the same as a page."""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

from kernelbench_figures import assigned, clauses, load

HERE = os.path.dirname(os.path.abspath(__file__))
PORTS = os.path.join(HERE, "../../samples/kernelbench")
MARK = r"#pragma ks workload ([^\n]*)\n__global__ void (\w+)\("
# Of a kernel whose idiom has templates, and then of one whose idiom has none.
RECOGNISED, NEAR, MISSED, FALSE, NOTHING = "recognised", "near", "missed", "false", "nothing"


def idioms(path):
    """templates of each idiom, and (port, kernel) -> idiom, roles"""
    templates, kernels = {}, {}
    with open(path) as file:
        for line in file:
            words, _, rest = line.split("#")[0].partition(":")
            words = words.split()
            if words[:1] == ["idiom"]:
                templates[words[1]] = rest.split()
            elif words:
                kernels[words[0], words[1]] = words[2], dict(word.split("=") for word in rest.split())
    return templates, kernels


def launches(text):
    """of each kernel of a port: the numbers that its first workload gives to names, its grid and block among them"""
    known = {}
    for mark, kernel in re.findall(MARK, text.replace("\\\n", " ")):
        values = assigned(mark)
        for clause, inside in clauses(mark):
            if clause in ("grid", "block"):
                names = {"ceildiv": lambda a, b: -(-a // b), **values}
                sizes = eval(f"({inside.replace('/', '//')},)", {}, names)
                values.update({f"{clause}_{axis}": n for axis, n in zip("xyz", (*sizes, 1, 1))})
        known[kernel] = values
    return known


def number(text, values):
    """what a role is bound to, or should be, in the workload: a number, or else the text"""
    try:
        return eval(re.sub(r"\b(grid|block)\.", r"\1_", text).replace("/", "//"), {}, dict(values))
    except (NameError, SyntaxError):
        return text


def differs(binding, roles, values):
    """the first role that is not what it should be; None where all are"""
    bound = dict(part.split("=", 1) for part in re.split(r" (?=\w+=)", binding)[1:])
    for role, value in roles.items():
        have = bound.get(role, "1").split(" ")[0] if role == "form" else bound.get(role, "1")
        if number(have, values) not in [number(one, values) for one in value.split("|")]:
            return f"{role} is {value}, not {have}"
    return None


def verdict(row, idiom, templates, roles, values):
    """(verdict, why) of a kernel of `ks explain --why --json`"""
    found = [s for s in row["skills"] if s["binding"]]
    for s in found:
        name = s["binding"].split("=")[0].split(" ")[-2]  # of one with code of its own for others, which of those
        wrong = differs(s["binding"], roles, values) if name in templates[idiom] else f"it is a {idiom}"
        if wrong:
            return FALSE, f"{s['binding']}: {wrong}"
    if found:
        return RECOGNISED, "; ".join(s["recognised"] for s in found)
    near = [s["refusal"] for s in row["skills"] if "almost " in (s["refusal"] or "")]
    if not templates[idiom]:
        return NOTHING, "; ".join(near)
    return (NEAR, "; ".join(near)) if near else (MISSED, "")


def ask(build, out, path):
    """leaves what ks says of a port in OUT, once"""
    row = os.path.join(out, os.path.basename(os.path.dirname(path)) + "-" + os.path.basename(path)[:-3] + ".json")
    if not load(row):
        own = {"KS_DEVICE": "emu", **{f"KS_{name}_DIR": os.path.join(out, name.lower()) for name in ("CACHE", "STATE", "CONFIG")}}
        said = subprocess.run([os.path.join(build, "bin/ks"), "explain", "--why", path, "--json", "--", "-arch=sm_90", "-O3"],
                              env={**os.environ, **own}, capture_output=True, text=True)
        if said.returncode:
            sys.exit(f"{path}: exit status {said.returncode}: {said.stderr[-300:]}")
        with open(row + ".new", "w") as file:
            file.write(said.stdout)
        os.replace(row + ".new", row)
    return load(row)


def held(path, row, templates, truth):
    """a line of the table for each marked kernel of a port: port, kernel, idiom, verdict, why"""
    level, problem = re.search(r"level(\d)/(\d+)_", path).groups()
    with open(path) as file:
        values = launches(file.read())
    rows = {k["kernel"]: k for k in row["kernels"]}
    for kernel in values:
        idiom, roles = truth[f"{level}/{problem}", kernel]
        yield (f"{level}/{os.path.basename(path)[:-3]}", kernel, idiom, *verdict(rows[kernel], idiom, templates, roles, values[kernel]))


def counts(table, templates):
    def has(verdict, lines=table):
        return sum(line[3] == verdict for line in lines)

    known = [line for line in table if templates[line[2]]]
    ports = collections.defaultdict(list)
    for line in known:
        ports[line[0]].append(line[3])
    return {"schema": "bench.recognition", "ports": len({line[0] for line in table}), "kernels": len(table), "with_template": len(known),
            RECOGNISED: has(RECOGNISED), NEAR: has(NEAR), MISSED: has(MISSED), FALSE: has(FALSE), "without_template": len(table) - len(known),
            "share": round(has(RECOGNISED) / len(known), 3) if known else None, "ports_with_template": len(ports),
            "ports_recognised": sum(set(verdicts) == {RECOGNISED} for verdicts in ports.values())}


PAGE = """# What the ports of KernelBench are recognised as

Made by `tests/bench/kernelbench_recognition.py BUILD OUT --doc docs/recognition.md`; not edited. Each marked kernel of
`samples/kernelbench` is run small on the emulated device and held against the templates' formulas (`ks explain --why`), and what
is said of it against `tests/bench/kernelbench_idioms.txt`, which was written by hand from the benchmark's definitions: the template
must be one of the kernel's idiom, and its sizes, strides, form and epsilon those of the problem. Anything else is *false*. *Near* is
a kernel of which an element is said that a template has otherwise, *missed* one of which nothing is said. Idioms without a template are
there to see that nothing is recognised as what it is not.

{with_template} kernels of {ports_with_template} ports have an idiom that a template computes: {recognised} ({percent:.1f} %) are recognised, {near} near, {missed} missed;
of {ports_recognised} ports all such kernels are. False: {false}, of all {kernels} kernels of {ports} ports.

| idiom | templates | kernels | recognised | near | missed | false |
|---|---|---|---|---|---|---|
"""


def page(table, templates):
    sums = counts(table, templates)
    text = PAGE.format(**sums, percent=100 * (sums["share"] or 0))
    for idiom, names in templates.items():
        lines = [line[3] for line in table if line[2] == idiom]
        cells = [idiom, ", ".join(names) or "-", len(lines), *(lines.count(v) for v in (RECOGNISED, NEAR, MISSED, FALSE))]
        text += "| " + " | ".join(map(str, cells)) + " |\n" if lines else ""
    odd = [line for line in table if line[3] in (NEAR, MISSED, FALSE)]
    text += "\n" + ("\n".join(["| port | kernel | idiom | | why |", "|---|---|---|---|---|",
                               *("| " + " | ".join(cell.replace("|", "/") for cell in line) + " |" for line in odd)]) if odd
                    else "All of the former are recognised.") + "\n"
    return text


def main():
    words = argparse.ArgumentParser(usage=__doc__)
    for name in ("build", "out"):
        words.add_argument(name)
    words.add_argument("--doc")
    words.add_argument("--idioms", default=os.path.join(HERE, "kernelbench_idioms.txt"))
    words.add_argument("port", nargs="*")
    given = words.parse_intermixed_args()
    templates, truth = idioms(given.idioms)
    os.makedirs(given.out, exist_ok=True)
    out = os.path.abspath(given.out)
    ports = [path for path in sorted(glob.glob(os.path.join(PORTS, "level?", "*.cu")))
             if not given.port or any(part in path for part in given.port)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(lambda path: ask(given.build, out, path), ports))
    table = [line for path, row in zip(ports, rows) for line in held(path, row, templates, truth)]
    for port, kernel, idiom, said, why in table:
        if said in (NEAR, MISSED, FALSE):
            print(f"{port} {kernel}: {idiom}: {said}{': ' if why else ''}{why}")
    if given.doc:
        with open(given.doc, "w") as file:
            file.write(page(table, templates))
    print(json.dumps(counts(table, templates)))


if __name__ == "__main__":
    main()
