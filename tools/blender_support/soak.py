# SPDX-License-Identifier: GPL-3.0-or-later
"""The outer half of tools/soak: starts Blenders that live a life of random steps, and shortens one that fails."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIFE = HERE.parents[1] / "blender_addon" / "tests" / "window_soak.py"
SECONDS = 120, 3.0  # that a life may take: to begin with, and for each step
TRIES_MOST = 60  # Blenders that shortening starts


class Blender:
    """One version, in which the add-on is installed."""

    def __init__(self, version, folder):
        self.version = version
        self.wish = folder / f"soak_{version}_wish.json"
        self.report = folder / f"soak_{version}_report.json"

    def live(self, wanted):
        """Whether it ends well, what it reports, and all that was said. wanted: seed and count, or steps."""
        self.report.unlink(missing_ok=True)
        self.wish.write_text(json.dumps({**wanted, "report": str(self.report)}), "utf-8")
        seconds = SECONDS[0] + SECONDS[1] * (wanted.get("count") or len(wanted["steps"]))
        reported = {"MUSLIN_SOAK": str(self.wish), "MUSLIN_BLENDER_TIMEOUT": f"{seconds:.0f}"}
        done = subprocess.run(
            [HERE / "test_in_blender", self.version, LIFE],
            env={**os.environ, **reported},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        found = (
            json.loads(self.report.read_text("utf-8")) if self.report.exists() else {"steps": []}
        )
        return done.returncode == 0 and found.get("state") == "passed", found, done.stdout


def shorten(blender, steps):
    """The steps without those that the failure does not need: halves, quarters, and so on are left out in turn."""
    size, tries = len(steps) // 2, 0
    while size and tries < TRIES_MOST:
        begin = 0
        while begin < len(steps) and tries < TRIES_MOST:
            fewer = steps[:begin] + steps[begin + size :]
            tries += 1
            passed, found, _ = blender.live({"steps": fewer})
            if passed:
                begin += size
            else:
                steps = (
                    fewer[: len(found["steps"])] or fewer
                )  # those after the failure are not needed
                print(f"{len(steps)} steps still fail", flush=True)
        size //= 2
    return steps


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("version")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--replay", type=Path)
    parser.add_argument("--shorten", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    blender = Blender(options.version, options.folder)
    wanted = {"seed": options.seed, "count": options.steps}
    if options.replay:
        wanted = {"steps": json.loads(options.replay.read_text("utf-8"))}
    passed, found, said = blender.live(wanted)
    if options.json:
        options.json.write_text(json.dumps({"passed": passed, **found}), "utf-8")
    if passed:
        print(
            f"Blender {options.version}: {len(found['steps'])} steps, {found['by_key']} by the key, "
            f"{found['unheard']} keys unheard, memory and files {found['footprints']}"
        )
        return 0
    steps = found["steps"]
    print(said[-6000:])
    print(f"Blender {options.version} failed at step {len(steps)} with", json.dumps(wanted)[:60])
    if options.shorten:
        steps = shorten(blender, steps)
    path = options.folder / f"soak_{options.version}_failed.json"
    path.write_text(json.dumps(steps), "utf-8")
    print(
        f"The {len(steps)} steps are in {path}: tools/soak {options.version} --replay {path} does them again"
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
