# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one case inside Blender: blender -b --python start.py -- CASE OPTIONS

OPTIONS is a JSON object; `answer` names the file that gets what the case's function returns, `threads` is for the
add-on: how many it may use, 0 for as many as help.
"""

import importlib
import json
import sys
from pathlib import Path


APART = {
    "enabling": "enabling",
    "worn": "own_solvers",
}  # without the add-on, and before it is loaded


def main():
    case, options = sys.argv[sys.argv.index("--") + 1 :]
    options = json.loads(options)
    sys.dont_write_bytecode = case != "enabling"  # there it is part of what is measured
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    answer, threads = Path(options.pop("answer")), options.pop("threads")
    if threads:
        importlib.import_module("addon").preferences().threads = threads
    found = getattr(importlib.import_module(APART.get(case, "cases")), case)(**options)
    answer.write_text(json.dumps(found, allow_nan=False), "utf-8")


main()
