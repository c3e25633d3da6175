#!/usr/bin/env python3
"""An agent that answers from files: scripted.py FOLDER reads one question (docs/agents.md) and answers with
FOLDER/ROLE-CHAINSTEP, in which @request@ and @cause@ (the verdict's first words) are put in. A file that
begins with "!" is an order instead: !hang, !flood, !exit N, !raw TEXT, !other TEXT."""
import json
import pathlib
import re
import sys
import time

folder = pathlib.Path(sys.argv[1])
question = json.load(sys.stdin)
name = "-".join(question["id"].split("-")[1:3])
with open(folder / "asked", "a") as log:
    log.write(json.dumps(question) + "\n")
try:
    text = (folder / name).read_bytes().decode("latin-1")
except FileNotFoundError:
    text = "Nothing comes to my mind."
verdict = re.search(r"## Verdict\n(.*)\n", question["user"])
text = text.replace("@request@", question["id"]).replace("@cause@", verdict.group(1)[:40] if verdict else "")
order, _, rest = text.partition(" ")
if order.strip() == "!hang":
    time.sleep(600)
elif order.strip() == "!flood":
    while True:
        sys.stdout.write("x" * 65536)
elif order == "!exit":
    sys.exit(int(rest))
elif order == "!raw":
    sys.stdout.buffer.write(rest.encode("latin-1"))
else:
    if order == "!other":
        question["id"], text = "another", rest
    print(json.dumps({"id": question["id"], "text": text,
                      "usage": {"input_tokens": len(question["user"]) // 4, "output_tokens": len(text) // 4}}))
