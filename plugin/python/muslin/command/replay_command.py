# SPDX-License-Identifier: GPL-3.0-or-later
"""`muslin replay` makes the calls of a recording again and compares the bytes; the option --record makes one."""

import sys
from collections import Counter
from contextlib import contextmanager
from itertools import islice

from .. import exits, library, recording
from ..errors import FileError
from ..recording.blocks import BlockError
from ..recording.container import Recording
from ..recording.replay import Replay, describe
from . import values
from .progress import warn
from .simulation import interruptible

HELP = """also record every call of the library to FILE, with meshes and motion, for a bug report; see muslin replay"""
DESCRIPTION = """Repeats every call of the native library that --record, the environment variable MUSLIN_RECORD or the switch
in Blender's preferences has written to a file, and compares what comes out. The exit code is 0 if all bytes are the
same, 1 if some differ, 2 if the file cannot be used."""


def add_option(parser):
    parser.add_argument("--record", metavar="FILE", help=HELP)


@contextmanager
def recording_warnings():
    """A recording that ends early is reported as any other warning is."""
    before, recording.report = recording.report, warn
    try:
        yield
    finally:
        recording.report = before


@contextmanager
def recorded(options):
    """Records what is done meanwhile, if the options ask for it."""
    path = getattr(options, "record", None)
    if path is None:
        yield
        return
    recording.start(path)
    try:
        yield
    finally:
        recording.stop()


def add_command(commands):
    summary = "repeat the calls of a recording, and compare the bytes"
    parser = commands.add_parser("replay", help=summary, description=DESCRIPTION)
    parser.add_argument("recording", metavar="FILE")
    parser.add_argument("--until", type=values.count, metavar="N", help="only the first N calls")
    parser.add_argument("--list", action="store_true", help="list the calls without making them")
    threads = "of every cloth, instead of the recorded number; does not affect results"
    parser.add_argument("--threads", type=values.count, metavar="N", help=threads)
    parser.set_defaults(run=run)


def run(options):
    with Recording(options.recording) as recording:
        if options.list:
            return show(recording, options)
        library.get()  # what is missing is reported before anything else
        return interruptible(lambda: replay(recording, options))


def sensible(recording, action, call):
    """action(call); a file that holds what no call could be is reported with the call."""
    try:
        return action(call)
    except BlockError as error:
        place = f"call {call.number}, {call.signature.name}"
        raise FileError(recording.path, f"{place}: {error}") from None


def show(recording, options):
    about = [recording.header.get(name) for name in ("muslin", "interface", "system", "machine")]
    print("recorded by Muslin {!a}, interface {!a}, on {!a} {!a}".format(*about))
    for call in islice(recording.calls(), options.until):
        print(f"{call.number:6d}  {sensible(recording, describe, call)}")
    return finish(recording, exits.OK)


def replay(recording, options):
    """Make the calls, report at once those that differ, and in the end count them."""
    made = outputs = differing = 0
    notes, player = Counter(), Replay(options.threads)
    try:
        for call in islice(recording.calls(), options.until):
            if call.outcome is None:  # it may end this process, too
                print(f"call {call.number}, {call.signature.name}: did not return", flush=True)
            result = sensible(recording, player.make, call)
            made += result.made
            outputs += result.compared
            if result.note:
                notes["not compared" if result.made else "not made", result.note] += 1
            if result.differences:
                differing += 1
                print(f"call {call.number}, {call.signature.name}: {'; '.join(result.differences)}")
    finally:
        player.close()
    for (what, why), count in notes.items():
        print(f"{what}: {count} ({why})")
    differ = f"{differing} calls differ" if differing else "all the same bytes"
    print(f"{made} calls, {outputs} outputs, {differ}")
    return finish(recording, exits.FAILED if differing else exits.OK)


def finish(recording, code):
    """Report what is wrong with the end of the file; gives the exit code."""
    if recording.damage:
        print(f"muslin: {recording.path}: {recording.damage}", file=sys.stderr)
        return code or exits.BAD_INPUT
    if recording.cut_off:
        warn(f"{recording.path} ends in the middle of a record; the calls before are complete")
    return code
