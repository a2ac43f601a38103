# SPDX-License-Identifier: GPL-3.0-or-later
"""One task from its beginning to its end, by one process."""

import glob
import os
import platform
import time
from collections import namedtuple
from contextlib import suppress
from pathlib import Path

from .. import exits, windows
from ..errors import FileError, MuslinError
from ..files import check_writable
from .claim import check_owner, claimed, note_owner
from .record import FAILED, FINISHED, is_true, noted, origin_of, read_record, write_record

# What became of it.
DONE, KEPT, BUSY, BROKEN = "done", "kept", "busy", "failed"
# A batch names itself to its processes here, to tell what they did from what others did meanwhile.
BATCH_VARIABLE = "MUSLIN_BATCH"


# code: 0 where all frames are there. verdict: what is wrong with the cloth, in numbers. inputs: files that only whoever
# simulated knows of, `noted` before the work began. reason: why it failed.
Outcome = namedtuple("Outcome", "code verdict inputs reason", defaults=({}, (), ""))


class NotPlaced(FileError):
    """What was simulated is whole, but something is in the way of its name: hours of work, which no one removes."""


def run_task(task, simulate, again=False, interrupted=None):
    """Do a task unless it is up to date; gives what became of it, and the exit code. simulate(task, paths) writes the
    point caches and gives an Outcome. interrupted: the code that means so; then nothing is recorded.
    """
    with claimed(task) as held:
        if not held:
            return BUSY, 0
        origin = origin_of(task)  # before: who changes a file meanwhile gets it done again
        if not again and is_true(task, read_record(task), simulates=True):
            return KEPT, 0
        begin = time.monotonic()
        try:
            outcome = produce(task, simulate)
        except MuslinError as error:
            refused = Outcome(exits.BAD_INPUT, reason=error.message)
            keep(task, origin, refused, time.monotonic() - begin)
            raise
        if outcome.code != interrupted:
            keep(task, origin, outcome, time.monotonic() - begin)
        return (DONE if outcome.code == 0 else BROKEN), outcome.code


def produce(task, simulate):
    """Simulate, and give the point caches their names once all of them are whole."""
    check_owner(task)
    paths = unfinished_places(task)
    placed = True
    try:
        outcome = simulate(task, paths)
        if outcome.code == 0:
            note_owner(task)
            for path, place in zip(paths, task.outputs):
                move(path, place)
    except NotPlaced:
        placed = False
        raise
    except OSError as error:
        place = error.filename or paths[0].parent
        raise FileError(place, f"cannot be written: {error.strerror}") from None
    finally:
        if placed:
            remove(paths)
    return outcome


def unfinished_places(task):
    """Beside the outputs: what has the name of an output is whole. Refuses outputs that could not be written later."""
    for path in task.outputs:
        check_writable(path)
    places = [path.with_name(f".{path.stem}.unfinished{path.suffix}") for path in task.outputs]
    remove(places)
    return places


def move(path, place):
    """Give a whole file its name; one that cannot have it stays where it is."""
    try:
        windows.replace(path, place)
    except OSError as error:
        problem = f"cannot be written: {error.strerror}; the whole file is {path}"
        raise NotPlaced(place, problem) from None


def remove(places):
    """Also what a process left that was ended in the middle of writing."""
    for place in places:
        parts = glob.escape(f".{place.name}.") + "*.part"
        for path in (place, *Path(windows.openable(place.parent)).glob(parts)):
            with suppress(FileNotFoundError):
                os.unlink(windows.openable(path))


def keep(task, origin, outcome, seconds):
    finished = outcome.code == 0
    write_record(
        task,
        **origin,
        state=FINISHED if finished else FAILED,
        code=outcome.code,
        reason=outcome.reason,
        seconds=seconds,
        batch=os.environ.get(BATCH_VARIABLE, ""),
        host=platform.node(),
        ended=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        outputs=noted(task, task.outputs) if finished else [],
        inputs=list(outcome.inputs),
        verdict=outcome.verdict,
    )
