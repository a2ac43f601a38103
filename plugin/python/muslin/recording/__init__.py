# SPDX-License-Identifier: GPL-3.0-or-later
"""Record and replay: every call of the native library into a file, and again from it to the same bytes.

    from muslin import recording

    recording.start("bug.muslin")
    ...
    recording.stop()

or MUSLIN_RECORD=bug.muslin in the environment of any program that uses this package, where %p stands
for the number of the process. The file is what a report of a bug needs: meshes, motion and settings,
nothing else. `muslin replay` makes the calls again, without Blender.

    signatures   what each argument of a C function is
    blocks       the arguments of a call by value
    container    the file
    recorder     writes it while calls are made
    replay       makes them again
"""

import os
import warnings

from .. import library

_recorder = None


def report(text):
    """Tells the user that a recording ended early; called once for each, from any thread. The host may put its own here."""
    warnings.warn(text, RuntimeWarning, stacklevel=2)


def start(path):
    """Record every call from now on into a new file; a recording under way ends. Else FileError."""
    library.get()  # by now, so that a missing library is reported as that
    library.interpose(lambda loaded: new_recorder(path, loaded))


def new_recorder(path, loaded):
    """A recorder, which is now the one at work."""
    from .recorder import Recorder

    global _recorder
    fresh = Recorder(path, loaded, lambda text: report(text))
    stop_file()
    _recorder = fresh
    return fresh


def start_by_environment(loaded, path):
    """What the environment asks for, or None; a file that cannot be written is reported, not raised."""
    from ..errors import FileError

    try:
        return new_recorder(path.replace("%p", str(os.getpid())), loaded)
    except FileError as error:
        report(f"nothing is recorded: {error}")
        return None


def stop():
    """End the recording; nothing happens without one."""
    library.interpose(None)
    stop_file()


def stop_file():
    if _recorder is not None:
        _recorder.close()


def path():
    """The file that is written now, or None."""
    return _recorder.path if _recorder is not None and _recorder.is_open else None


def problem():
    """Why the last recording ended early, in words; "" if it did not."""
    return _recorder.problem if _recorder is not None else ""
