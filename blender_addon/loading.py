# SPDX-License-Identifier: GPL-3.0-or-later
"""How modules come into memory: the Python binding that belongs to this add-on, whose library is let go when the add-on leaves,
and bytecode of the modules that wait for a button.

Blender forgets the modules of an extension that it updates, but not those of its wheels.

Python compiles a module when it is first imported, and keeps that beside it. Those that enabling does not import would
be compiled by the first click after an installation, which takes a tenth of a second longer then.
"""

import importlib
import os
import sys
import threading
from importlib.util import cache_from_source
from pathlib import Path

_used = None  # the binding that this add-on works with


def renew():
    """Forget a binding that another version of the add-on has left in memory."""
    global _used
    from .muslin import __name__ as name

    if _used is not None and sys.modules[name] is _used:
        return
    if hasattr(sys.modules[name], "bl_info"):
        raise RuntimeError("the Muslin add-on for older Blenders is enabled, too: remove it first")
    for other in [other for other in sys.modules if f"{other}.".startswith(f"{name}.")]:
        del sys.modules[other]
    importlib.invalidate_caches()
    _used = importlib.import_module(name)


def let_go():
    """The library's file may be replaced or removed now, unless something still uses it."""
    from .muslin import __name__ as name

    library = sys.modules.get(f"{name}.library")
    if library is not None:
        library.unload()


FOLDER = Path(__file__).resolve().parent
LATE = FOLDER / "preview" / "preview.py"  # one of them, compiled last: where it is, all of them are

_running = []  # the thread, while one may be at work
_stop = threading.Event()


def register():
    """Compile once after an installation, in the background; a Blender that quits early leaves the rest to the next. Not in a
    read-only folder: nothing would be kept, and every start would do it again."""
    if sys.dont_write_bytecode or not os.access(FOLDER, os.W_OK):
        return
    if Path(cache_from_source(LATE)).exists():
        return
    from .muslin import __file__ as binding

    folders = dict.fromkeys((FOLDER, Path(binding).resolve().parent))
    _stop.clear()
    thread = threading.Thread(target=compile_all, args=(folders,), name="Muslin bytecode")
    _running[:] = [thread]
    thread.start()


def unregister():
    """Whoever removes the add-on next removes folders that nothing writes into any more."""
    _stop.set()
    while _running:
        _running.pop().join()


def compile_all(folders):
    import compileall

    paths = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    for path in sorted(paths, key=LATE.__eq__):
        if _stop.is_set():
            return
        compileall.compile_file(path, quiet=2)
