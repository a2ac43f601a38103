# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one case inside Blender: blender -b --python start.py -- CASE OPTIONS

OPTIONS is a JSON object; `answer` names the file that gets what the case's function returns, `threads` is for the
add-on: how many it may use, 0 for as many as help.
"""

import importlib
import json
import sys
from pathlib import Path

# Without the add-on, and before it is loaded.
APART = {"enabling": "enabling", "worn": "own_solvers"}
INSIDE = Path(__file__).resolve().parent


def main():
    case, options = sys.argv[sys.argv.index("--") + 1 :]
    options = json.loads(options)
    sys.dont_write_bytecode = case != "enabling"  # there it is part of what is measured
    sys.path[:0] = [str(INSIDE), str(INSIDE.parents[3])]  # test_scenes is there
    answer, threads = Path(options.pop("answer")), options.pop("threads")
    if threads:
        importlib.import_module("addon").preferences().threads = threads
    found = getattr(importlib.import_module(APART.get(case, "cases")), case)(**options)
    answer.write_text(json.dumps(found, allow_nan=False), "utf-8")


main()
