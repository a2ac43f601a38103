# SPDX-License-Identifier: GPL-3.0-or-later
"""Random garments, motions and settings, run by `muslin drape`: none may crash, end in an error, take for ever or be torn.

    tools/bench motion --only sweep

Some runs of another seed, told one by one: main(), as in `sweep.py --seed 3 --first 60 --runs 60`.

What is refused in words before anything is simulated is no failure, nor is an error of a method that has a limit to its step
by nature. Needs the library.
"""

import argparse
import json
import os
import random
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from common import garments
from common.bench import heading, note
from muslin import exits, read_obj, read_pc2
from muslin.command import child
from muslin.pc2 import Pc2Writer
from test_scenes.contact import real
from test_scenes.mesh import unique_edges

SEED, RUNS, QUICK_RUNS = 1, 400, 40
LIMIT = 240  # s of processor time, of a run
AT_ONCE = 2
TORN = 1.6  # length over that at rest
SHORT = 0.02  # of the mean edge: shorter ones are left out, as nobody sees them
REFUSED = exits.BAD_INPUT
DENSE = ("cipc/dress_16k", "coverall_8k")

FABRICS = (
    "cotton muslin silk jersey linen wool denim leather poplin satin tulle felt rubber neoprene"
)
# Names of options with what they may be; None leaves an option out, and the first is the most likely.
CHOICES = {
    "fps": (24, 25, 30, 12, 60, 120, 240),
    "substeps": (None, None, 1, 2, 3, 4, 8),
    "fabric": (None, *FABRICS.split()),
    "run-up": (None, None, None, 6, 12),
    "mirror": (None, None, "auto", "exact", "halve"),
    "closure": (None, None, None, "zip", "button"),
    "self-contact": (None, True),
    "friction": (None, 0, 0.1, 0.6, 1, 3),
    "model": (None, None, "edge", "membrane"),
    "bending": (None, None, "hinge", "spring"),
    "integrator": (None, None, "euler", "bdf2"),
    "stiffness-damping": (None, None, None, 0.001, 0.01),
    "damping": (None, None, None, 1),
}
SOLVERS = (
    {},
    {"quality": "draft"},
    {"quality": "fit"},
    {"quality": "final"},
    {"scheme": "plain", "iterations": 6},
    {"scheme": "anderson", "iterations": 10},
    {"solver": "implicit"},
    {"solver": "sweep", "sweeps": 12},
    {"solver": "sweep", "sweep-method": "kang1"},
    {"solver": "threads"},
)
WEIGHTS = (4, 4, 4, 1, 1, 1, 1, 2, 1, 0.3)


def garment_names():
    """Those that there are, panels of patterns left out."""
    folder = real.FOLDER
    known = [name for name in (*garments.REAL, *DENSE) if (folder / f"{name}.obj").is_file()]
    return known


def chosen(random_of, names):
    """One run: what it wears, how it moves, and the options of the command line."""
    dense = random_of.random() < 0.06
    name = random_of.choice([n for n in names if (n in DENSE) == dense] or names)
    motion = random_of.choice(("arms", "walk", "walk", None))
    options = {"frames": random_of.randint(8, 12 if dense else 20)}
    for key, values in CHOICES.items():
        options[key] = random_of.choice(values)
    options |= random_of.choices(SOLVERS, WEIGHTS)[0]
    if random_of.random() < 0.5:
        options["thickness"] = float(f"{10 ** random_of.uniform(-3.3, -2):.2g}")
    if options["mirror"] != "halve" and options["mirror"] is None:
        options["closure"] = None
    if motion is None or dense:
        options["run-up"] = None
    if dense:  # the dearest of them would take minutes
        options |= {"quality": random_of.choice(("draft", "fit")), "frames": 6}
        options = {key: options[key] for key in options if key not in ("solver", "scheme")}
        options = {key: options[key] for key in options if key not in ("sweeps", "iterations")}
        options.pop("sweep-method", None)
    scale = random_of.choice((1, 1, 1, 1, 0.01, 0.1, 10, 100))
    alone = random_of.random() < 0.5  # the garment is scaled, and the body is not
    return {"garment": name, "motion": motion, "scale": scale, "alone": alone, "options": options}


def drawn(seed, number, names):
    return chosen(random.Random(f"{seed} {number}"), names)


# --- files -----------------------------------------------------------------------------------------


def scaled_obj(source, scale, target):
    """The same file with its vertices scaled."""
    lines = []
    for line in source.read_text(encoding="utf-8").splitlines():
        if line.startswith("v "):
            line = "v " + " ".join(f"{scale * float(x):.9g}" for x in line.split()[1:4])
        lines.append(line)
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


def scaled_cache(source, scale, frames, target):
    track = np.array(read_pc2(source).positions[:frames])
    with Pc2Writer(str(target), track.shape[1]) as writer:
        for positions in track:
            writer.write((scale * positions).astype(np.float32))


def figure_of(run):
    """The mesh and the moving one of the figure that a garment is made for."""
    folder = real.FOLDER
    if run["garment"].startswith("cipc"):
        return folder / "cipc" / "body.obj", folder / "cipc" / "body_rumba.pc2"
    return folder / "body.obj", folder / f"body_{run['motion']}.pc2"


def command_of(run, folder):
    """The arguments of `muslin`, for files that are written to the folder."""
    folder, options = Path(folder), dict(run["options"])
    garment = folder / "garment.obj"
    scaled_obj(real.FOLDER / f"{run['garment']}.obj", run["scale"], garment)
    command = [
        "drape",
        "--garment",
        str(garment),
        "-o",
        str(folder / "cloth.pc2"),
        "--threads",
        "1",
    ]
    if run["motion"] is not None:
        body, motion = figure_of(run)
        scale = 1 if run["alone"] else run["scale"]
        scaled_obj(body, scale, folder / "body.obj")
        scaled_cache(motion, scale, options["frames"], folder / "body.pc2")
        command += ["--body", f"{folder / 'body.pc2'}:{folder / 'body.obj'}"]
    if run["garment"].startswith("cipc"):
        command += ["--sew", "exactly"]
    for key, value in options.items():
        if value is True:
            command.append(f"--{key}")
        elif value is not None:
            command += [f"--{key}", str(value)]
    return command


# --- a run and what came of it ---------------------------------------------------------------------


def largest_stretch(folder):
    """At the end, over the garment's own lengths; also whether all is finite."""
    mesh = read_obj(str(folder / "garment.obj"))
    positions = np.array(read_pc2(str(folder / "cloth.pc2")).positions[-1], np.float64)
    faces = np.split(mesh.face_vertices, np.cumsum(mesh.face_sizes)[:-1])
    edges, _ = unique_edges([tuple(face) for face in faces])
    rest = np.linalg.norm(np.diff(mesh.positions[edges].astype(float), axis=1)[:, 0], axis=1)
    edges, rest = edges[rest > SHORT * rest.mean()], rest[rest > SHORT * rest.mean()]
    length = np.linalg.norm(np.diff(positions[edges], axis=1)[:, 0], axis=1)
    return float((length / rest).max()), bool(np.isfinite(positions).all())


def ended(command, folder):
    """Exit code and all that was said. The limit is one of processor time, so that other work does not count."""
    line = [sys.executable, child.__file__, *command]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(line, cwd=folder, **pipes) as process:
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (LIMIT, LIMIT))
        said, _ = process.communicate()
    return process.returncode, said


def outcome_of(run):
    """A row of the table; `fault` is None where nothing is wrong."""
    row = {"garment": run["garment"], "motion": run["motion"], "scale": run["scale"]}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = command_of(run, folder)
        code, said = ended(command, folder)
        row["command"] = shlex.join(command).replace(name, "DIR")
        row["said"] = [line for line in said.splitlines() if "warning" in line]
        row |= {"refused": code == REFUSED, "stretch": None, "fault": None}
        last = (said.strip().splitlines() or [""])[-1]
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            row["fault"] = f"over {LIMIT} s"
        elif code not in (exits.OK, exits.FAILED, REFUSED):
            row["fault"] = f"crashed: {code} {last}"
        elif code == exits.FAILED:
            by_nature = run["options"].get("sweep-method") and "diverged" in last
            row["fault"] = None if by_nature else last
        elif code == exits.OK:
            row["stretch"], finite = largest_stretch(folder)
            torn = f"torn to {row['stretch']:.2f}" if row["stretch"] > TORN else None
            row["fault"] = torn if finite else "not finite"
        return row


def outcomes(seed, numbers, at_once=AT_ONCE):
    """Rows of these runs, in order."""
    names = garment_names()

    def one(number):
        return {"run": f"{seed}:{number}", **outcome_of(drawn(seed, number, names))}

    with ThreadPoolExecutor(at_once) as pool:
        yield from pool.map(one, numbers)


def sweep(results, quick):
    """sweep_failed"""
    heading("Random garments, motions and settings")
    if not garment_names() or not (real.FOLDER / "body.obj").is_file():
        note("Skipped, since there is no shared/data beside the checkout.")
        return
    runs = QUICK_RUNS if quick else RUNS
    rows = list(outcomes(SEED, range(runs)))
    failed = [row for row in rows if row["fault"]]
    note(f"{runs} runs, {sum(bool(row.get('refused')) for row in rows)} of them refused in words.")
    results.table("sweep", failed, "run garment motion scale fault command")
    results.number("sweep_failed", len(failed))


def main():
    """Some runs of a seed, each told as it ends."""
    parser = argparse.ArgumentParser(description="Random runs of muslin drape.")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--runs", type=int, default=QUICK_RUNS)
    parser.add_argument("--at-once", type=int, default=AT_ONCE)
    parser.add_argument("--json", help="also write the rows here")
    options = parser.parse_args()
    numbers = range(options.first, options.first + options.runs)
    rows = []
    for row in outcomes(options.seed, numbers, options.at_once):
        rows.append(row)
        told = row["fault"] or ("refused" if row.get("refused") else f"{row['stretch'] or 0:.2f}")
        print(row["run"], row["garment"], row["motion"], row["scale"], told, flush=True)
        if row["fault"]:
            print("   ", row["command"], flush=True)
    failed = sum(bool(row["fault"]) for row in rows)
    print(f"{failed} of {len(rows)} failed")
    if options.json:
        Path(options.json).write_text(json.dumps(rows), encoding="utf-8")
    return failed > 0


PARTS = {"sweep": sweep}
FIGURES = """
sweep_failed | 0 | of 400 random runs of `muslin drape`, those that crash, end in an error, or are torn
"""


if __name__ == "__main__":
    os.nice(5)
    sys.exit(main())
