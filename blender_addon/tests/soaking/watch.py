# SPDX-License-Identifier: GPL-3.0-or-later
"""What must never happen: tracebacks, also of timers and of drawing; meshes that change by themselves; leaks."""

import ctypes
import faulthandler
import gc
import hashlib
import os
import sys
import tempfile
import threading

import bpy
import numpy as np
from support import addon

from .steps import Failed

PAGE = os.sysconf("SC_PAGE_SIZE")
TROUBLE = (
    "Traceback (most recent call last)",
    "Error: Python:",
    "Exception in thread",
    "Exception ignored in",
)


class Ear:
    """Hears all that the process prints, Blender itself included. say() still reaches the outside."""

    def __init__(self):
        self._file = tempfile.TemporaryFile()
        self._read = 0
        self._real = [os.dup(1), os.dup(2)]
        sys.stdout.flush()
        sys.stderr.flush()
        for stream in (1, 2):
            os.dup2(self._file.fileno(), stream)
        faulthandler.enable(self._real[0])

    def say(self, text):
        os.write(self._real[0], text.encode() + b"\n")

    def listen(self):
        """What was printed since the last time; Failed where that is a traceback."""
        sys.stdout.flush()
        sys.stderr.flush()
        ctypes.CDLL(None).fflush(None)
        text = os.pread(self._file.fileno(), 1 << 20, self._read)
        self._read += len(text)
        text = text.decode(errors="replace")
        if any(word in text for word in TROUBLE):
            raise Failed(text)
        return text

    def close(self):
        """Everything is printed as usual again."""
        sys.stdout.flush()
        sys.stderr.flush()
        for stream, real in enumerate(self._real, 1):
            os.dup2(real, stream)
        faulthandler.disable()
        self._file.close()


def shapes():
    """name -> a digest of where the vertices are, of every mesh of this file that nobody edits."""
    known = [mesh for mesh in bpy.data.meshes if mesh.library is None and not mesh.is_editmode]
    return {mesh.name: _digest(mesh) for mesh in known}


def _digest(mesh):
    out = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", out)
    return hashlib.blake2b(out.tobytes(), digest_size=12).hexdigest()


def compare(before, after, what):
    """Meshes that are in both are the same."""
    changed = [name for name, digest in after.items() if before.get(name, digest) != digest]
    if changed:
        raise Failed(f"{what} changed the mesh {', '.join(changed)}")


def nothing_left():
    """When everything was discarded and freed: nothing of Muslin is in the scene, and nobody works."""
    running = addon("running")
    if running.previews or running.bake is not None or running.job is not None:
        raise Failed(f"still at work: {list(running.previews)}, {running.bake}, {running.job}")
    for obj in bpy.data.objects:
        shown = [m.name for m in obj.modifiers if m.name.startswith("Muslin Preview")]
        if obj.library is None and shown:
            raise Failed(f"{obj.name} still has {shown}")
    left = [thread.name for thread in threading.enumerate() if thread.name == "Muslin"]
    if left:
        raise Failed(f"{len(left)} threads of Muslin are left")


def footprint():
    """(memory in MB, open files) of the process, without what can be given back."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    return round(pages * PAGE / 2**20, 1), len(os.listdir("/proc/self/fd"))
