# SPDX-License-Identifier: GPL-3.0-or-later
"""Enabling the add-on in a process that has not seen it; then the first button that needs the library."""

import sys
from pathlib import Path
from time import perf_counter

import addon
import addon_utils


def _library_is_loaded():
    return "libmuslin" in Path("/proc/self/maps").read_text("utf-8")


def enabling(folder):
    name = addon.name()
    if any(loaded.startswith(name) for loaded in sys.modules):
        raise RuntimeError("the add-on is there already")
    numpy = "numpy" in sys.modules
    begin = perf_counter()
    enabled = addon_utils.enable(name)
    enable = perf_counter() - begin
    if enabled is None:
        raise RuntimeError("the add-on was not enabled")
    found = {"enable": enable, "library_loaded": _library_is_loaded()}
    found["numpy_loaded"] = "numpy" in sys.modules and not numpy
    begin = perf_counter()
    problem = addon.module("running").look_for_library().message
    found["first_use"] = perf_counter() - begin
    if problem or not _library_is_loaded():
        raise RuntimeError(f"the library did not load: {problem}")
    return found
