#!/usr/bin/env python3
"""An agent for the kernels of three.cu that knows nothing by itself: shown the skill of nvcc_roles.sh, or told by the prompt
to look for what all threads repeat, it takes the sum that all threads share in a launch of its own. As an editor it answers with
the text of the file that it is given."""
import json
import re
import sys

question = json.load(sys.stdin)
user = question["user"]
text = "Nothing comes to my mind."
term = re.search(r"s \+= (.*);", user)
if question["role"] == "editor":
    with open(sys.argv[1]) as file:
        section = "".join("  " + line for line in file)
    text = f"```yaml\nrequest: {question['id']}\ntext: |\n{section}\nwhy: it was not seen\n```\n"
elif ("common-sum-once" in user or "what all threads repeat" in question["system"]) and term:
    text = f"""```yaml
request: {question["id"]}
idea: the sum is taken once
skill: {"common-sum-once" if "common-sum-once" in user else "none"}
source: |
  __global__ void sum_once(const unsigned *c, unsigned *sum, int taps)
  {{
      unsigned s = 0;
      for (int k = threadIdx.x; k < taps; k += blockDim.x)
          s += {term.group(1)};
      atomicAdd(sum, s);
  }}
  __global__ void apply(const unsigned *x, const unsigned *sum, unsigned *y, int n)
  {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n)
          y[i] = x[i] ^ *sum;
  }}
workspace: {{sum: 4}}
when: n >= 1 && taps >= 1 && taps <= 4096
plan:
  - {{memset: sum, value: 0}}
  - {{kernel: sum_once, grid: [1], block: [256], args: [c, sum, taps]}}
  - {{kernel: apply, grid: ["ceildiv(n, 256)"], block: [256], args: [x, sum, y, n]}}
```
"""
print(json.dumps({"id": question["id"], "text": text}))
