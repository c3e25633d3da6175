#!/usr/bin/env python3
"""skill_effects.py LOG... KERNELBENCH... SKILLS [--doc FILE]: what each skill's action was measured to do: alone and on top of others, by the
log of a sample that knows no policy (docs/search.md), and where it won a port of KernelBench (kernelbench_figures.py's
JSON, one file or several). A LOG may be gzipped; what several have of one kernel counts as of several. SKILLS is the folder of their YAML. --doc writes the page, otherwise it is printed."""
import collections
import glob
import gzip
import json
import math
import os
import re
import statistics
import sys

GAIN = 1.02  # less is not told from noise by the seven pairs of a screening (docs/judging.md)


def read_logs(paths):
    """by kernel: its actions' texts and its nodes; node 0 is the original"""
    kernels = {}
    for path in paths:
        for name, kernel in read_log(path).items():
            while name in kernels:
                name += " again"
            kernels[name] = kernel
    return kernels


def read_log(path):
    kernels = {}
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as lines:
        for row in map(json.loads, lines):
            if "actions" in row:
                kernels[row["kernel"]] = {"gpu": row["gpu"], "actions": row["actions"], "ratios": {0: 1.0}, "depth": {0: 0}, "nodes": []}
            elif "node" in row:
                kernel = kernels[row["of"]]
                kernel["nodes"].append(row)
                kernel["depth"][row["node"]] = row["depth"]
                if row["found"] == "CORRECT" and row["ratios"]:
                    kernel["ratios"][row["node"]] = statistics.median(row["ratios"])
    return kernels


def read_skills(folder):
    """by skill: None, or kind, name and parameters of its action, which stands on one line"""
    skills = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.yaml"))):
        with open(path) as file:
            action = re.search(r"^action: (none|\{(transform|template): (\w+)(.*)\})$", file.read(), re.M)
        if action is None:
            sys.exit("%s: no action on one line" % path)
        params = {name: values.split(", ") for name, values in re.findall(r"(\w+): \[([^]]*)\]", action[4] or "")}
        skills[os.path.basename(path)[:-len(".yaml")]] = None if action[1] == "none" else (action[2], action[3], params)
    return skills


def is_of(action, text):
    """whether an action of the log, `tile tile=16 items=4`, is one that the skill's action allows; of templates the log
    has the name alone, under `template` as recognised and under `settings` with each set of parameters"""
    kind, name, params = action
    words = text.split()
    if kind == "template":
        return words[0] in ("template", "settings") and words[1] == name
    if words[0] != name:
        return False
    given = dict(word.split("=") for word in words[1:])
    return given.keys() == params.keys() and all(given[key] in params[key] for key in given)


def effects(kernels, action):
    """of one skill: kernels it applied to, its edges, wrong ones, the best of its parameters alone by kernel, and what it
    gave on top of each other node"""
    found = {"kernels": 0, "wrong": 0, "tried": 0, "alone": {}, "above": []}
    for name, kernel in kernels.items():
        mine = {i for i, text in enumerate(kernel["actions"]) if is_of(action, text)}
        applied = False
        for node in kernel["nodes"]:
            parents = [parent for parent, by in node["from"] if by in mine]
            applied |= parents != []
            found["tried"] += parents != []
            found["wrong"] += parents != [] and node["found"] != "CORRECT"
            ratio = kernel["ratios"].get(node["node"])
            for parent in parents:
                if ratio is None or parent not in kernel["ratios"]:
                    continue
                if parent == 0:
                    found["alone"][name] = max(ratio, found["alone"].get(name, 0))
                elif kernel["depth"][parent] < node["depth"]:  # else it was there already, with another parameter
                    found["above"].append(ratio / kernel["ratios"][parent])
        found["kernels"] += applied
    return found


def won(benches):
    ports = collections.defaultdict(dict)
    for bench in benches:
        how = " with TF32" if bench["run"].get("tf32") else ""
        for row in (entry["row"] for entry in bench["rows"]):
            for skill in row["skills"] if row["verdict"] == "faster" else ():
                ports[skill]["%d/%s%s" % (row["level"], row["name"], how)] = row["ratio"]
    return ports


def quartiles(values):
    if len(values) < 4:
        return "-"
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return "%.2f to %.2f" % (low, high)


def best(values):
    name = max(values, key=lambda key: (values[key], key))
    return "%.2f (%s)" % (values[name], name)


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(row) + " |" for row in rows]


def page(read, kernels, skills, ports):
    gain = [(s, a, effects(kernels, a)) for s, a in skills.items() if a is not None]
    rows = []
    for skill, action, found in sorted(gain, key=lambda g: -statistics.median(g[2]["alone"].values() or [0])):
        if found["tried"] == 0:
            continue
        alone, above = found["alone"], found["above"]
        rows.append([skill, "%s %s" % action[:2], str(found["kernels"]), str(found["tried"]), str(found["wrong"]), str(len(alone)),
                     "%.2f" % statistics.median(alone.values()) if alone else "-", quartiles(list(alone.values())),
                     best(alone) if alone else "-", str(len(above)), "%.2f" % statistics.median(above) if above else "-",
                     "%.0f %%" % (100 * sum(a > GAIN for a in above) / len(above)) if above else "-"])
    lines = ["# What skills were measured to do", "",
             "Made by `tests/bench/skill_effects.py %s skills/expert --doc FILE`; not edited." % read, "",
             "## On the logs", "",
             "%d kernels, %d proposals drawn without a policy, %s (docs/search.md says how). A skill's action counts where the"
             % (len(kernels), sum(len(k["nodes"]) for k in kernels.values()), ", ".join(sorted({k["gpu"] for k in kernels.values()}))),
             "drawn one is among those that it allows, whatever its gate says of the kernel. *Alone*: the original over the best of its",
             "parameters, by kernel. *On top*: what it gave as one more step over the proposal it was made of, all parameters and all ways there.", ""]
    lines += table(["skill", "action", "kernels", "proposals", "not right", "alone, kernels", "median", "quartiles", "best (kernel)", "on top, steps", "median",
                    "over %.2f" % GAIN], rows)
    lines += ["", "*Not right* are proposals that a look at small sizes found so, whichever of their steps it was; none of them is ever used.", "",
              "## On KernelBench's ports", "", "Ratios of the problems that a skill won, alone or together with others (docs/kernelbench-h200.md, docs/kernelbench-h200-tf32.md).", ""]
    lines += table(["skill", "problems", "geomean", "best (problem)"],
                   [[skill, str(len(p)), "%.2f" % math.exp(statistics.fmean(map(math.log, p.values()))), best(p)]
                    for skill, p in sorted(ports.items(), key=lambda i: (-len(i[1]), i[0]))])
    unseen = [skill for skill, _, found in gain if found["tried"] == 0 and skill not in ports]
    text = [skill for skill, action in skills.items() if action is None]
    lines += ["", "## Not measured", "", "Skills with an action of which the logs have no candidate and that won no port (%d): %s." % (len(unseen), ", ".join(unseen) or "none"), "",
              "Skills without one, which say in words what a reader or a model could do (%d): %s." % (len(text), ", ".join(text) or "none")]
    return "\n".join(lines) + "\n"


def main(words):
    doc = None
    if "--doc" in words:
        at = words.index("--doc")
        doc = words[at + 1] if at + 1 < len(words) else None
        words = words[:at] + words[at + 2:]
        if doc is None:
            words = []
    if len(words) < 3:
        sys.exit(__doc__)
    *read, folder = words
    logs, benches = [w for w in read if not w.endswith(".json")], []
    for name in (w for w in read if w.endswith(".json")):
        with open(name) as file:
            benches.append(json.load(file))
    if not logs or not benches:
        sys.exit(__doc__)
    skills = read_skills(folder)
    ports = won(benches)
    strangers = sorted(set(ports) - set(skills))
    if strangers:
        print("skill_effects.py: no skill of that name in %s: %s" % (folder, ", ".join(strangers)), file=sys.stderr)
    text = page(" ".join(read), read_logs(logs), skills, ports)
    if doc is None:
        print(text, end="")
        return
    with open(doc, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
