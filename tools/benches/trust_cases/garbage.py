# SPDX-License-Identifier: GPL-3.0-or-later
"""Real garments with something wrong, 300 of them by seeds: looked at, draped with body and self-contact, mirrored.

Each in a process of its own, with a limit of time and memory that nothing should ever meet: the library ends by itself.
"""

import json
import os
import resource
import select
import signal
from collections import Counter
from dataclasses import asdict
from functools import lru_cache

from common.bench import heading, note, print_table
from test_scenes import garbage
from test_scenes.contact import figures, mirrored, real
from test_scenes.garbage_trial import trial
from test_scenes.objfile import read_obj

CASES, QUICK_CASES = 300, 29
GARMENTS = ("tshirt_sym", "longsleeve", "jacket_open_sym", "trousers", "skirt_sym", "overalls")
GARMENTS += ("bodysuit_sym", "tshirt", "jacket_open")
OWN = {"own_tshirt": lambda: figures.tshirt(0.03), "own_jacket": lambda: mirrored.jacket(0.04)}
# What a case may take on two busy cores, s, and have, bytes: far beyond what the library asks for.
LIMIT_SECONDS = 240
LIMIT_BYTES = 12 << 30


@lru_cache(maxsize=None)
def worn(name):
    """A garment and its body, of the folder beside the checkout or our own."""
    if name in OWN:
        scene = OWN[name]()
        body = scene.bodies[0]
        return scene.cloth, garbage.Mesh(body.positions(0), body.faces)
    return read_obj(real.FOLDER / f"{name}.obj", uvs=True), read_obj(real.FOLDER / "body.obj")


def garments():
    there = [name for name in GARMENTS if (real.FOLDER / f"{name}.obj").is_file()]
    return [*there, *OWN] if there and (real.FOLDER / "body.obj").is_file() else list(OWN)


def cases(count):
    """Name of garment, defect, seed: every defect as often, on ever other garments."""
    names, defects = garments(), list(garbage.DEFECTS)
    return [
        (names[(k + k // len(defects)) % len(names)], defects[k % len(defects)], k)
        for k in range(count)
    ]


def run(name, defect, seed):
    """Outcomes as dictionaries; None where the process did not live to tell."""
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        _in_child(sender, name, defect, seed)
    os.close(sender)
    with os.fdopen(receiver, "rb") as pipe:
        ready, _, _ = select.select([pipe], [], [], LIMIT_SECONDS)
        if not ready:
            os.kill(child, signal.SIGKILL)
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def _in_child(sender, name, defect, seed):
    """Never returns."""
    try:
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
        outcomes = trial(garbage.spoiled(*worn(name), defect, seed))
        with os.fdopen(sender, "wb") as pipe:
            pipe.write(json.dumps([asdict(outcome) for outcome in outcomes]).encode())
    finally:
        os._exit(0)


def measure(results, quick):
    heading("Garbage")
    count = QUICK_CASES if quick else CASES
    note(f"{count} cases on {', '.join(garments())}; every one checked, draped and mirrored.")
    seen, failed, longest = Counter(), [], 0.0
    for name, defect, seed in cases(count):
        outcomes = run(name, defect, seed)
        wrong = ["did not live to tell"] if outcomes is None else []
        for each in outcomes or ():
            seen["refused" if each["refusal"] else "went through"] += 1
            longest = max(longest, each["frame"])
            wrong += [f"{each['way']}: {each['fault']}"] if each["fault"] else []
        case = f"{defect} on {name}, seed {seed}"
        failed += [{"case": case, "what_is_wrong": text} for text in wrong[:1]]
        results.row("garbage", case=case, failed=bool(wrong), outcomes=outcomes)
    print_table(failed)
    note(f"Ways through the library: {dict(seen)}. The longest frame, or check: {longest:.1f} s.")
    results.number("garbage_failed", len(failed))
    results.number("garbage_longest_seconds", longest)
