# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python binding in memory: the one that belongs to this add-on, and its library let go when the add-on leaves.

Blender forgets the modules of an extension that it updates, but not those of its wheels.
"""

import importlib
import sys

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
    """The library's file may be replaced or removed now, unless something still works with it."""
    from .muslin import __name__ as name

    library = sys.modules.get(f"{name}.library")
    if library is not None:
        library.unload()
