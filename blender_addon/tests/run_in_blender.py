# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs test files inside one Blender: blender -b --python run_in_blender.py -- FILE...

The installed and enabled add-on, whatever its full name in this Blender is, can be imported as `addon`:

    import addon
    from addon.muslin import library    # the same module that the add-on uses, not a second one

This folder and the root of the checkout are on the path, for helpers and for test_scenes; the Python binding of the
checkout is not: what is tested is what was installed.

Files run one after the other; before each Blender reads its first scene again. Files test_*.py hold unittest cases and
run without a window. Files window_*.py run with a window, on Blender's own clock: they hold functions window_*, called
in the order of their names, that raise when something is wrong; the first that does ends all. Such a function may be a
generator: Blender handles events and draws until it is called again after the seconds it yields; `yield from
screen.drawn()` waits no longer than for that. `yield from screen.picture(NAME)` takes a picture of the window, see
screen.py; one is always taken at the end of a file.

Any exception, no test at all, or an add-on that is not enabled ends Blender with status 1.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import os
import sys
import traceback
import unittest
from pathlib import Path
from time import perf_counter, process_time

import bpy

HERE = Path(__file__).resolve().parent
ALIAS = "addon"
NAMES = ("bl_ext.user_default.muslin", "muslin")  # as an extension, as an older add-on


class AliasFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes `import addon.x` mean the module x of the installed add-on."""

    def __init__(self, real_name):
        self.real_name = real_name

    def find_spec(self, name, path=None, target=None):
        """Answers for the alias and what is below it."""
        if name == ALIAS or name.startswith(ALIAS + "."):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def exec_module(self, module):
        """Puts the real module in the place of the empty one; the import system then returns it."""
        name = module.__name__
        from support import full_name  # beside this file, so only after the path is set

        below = name[len(ALIAS) + 1 :]
        real_name = full_name(self.real_name, below) if below else self.real_name
        sys.modules[name] = importlib.import_module(real_name)


def provide_addon():
    """Finds the enabled add-on and makes it importable as `addon`."""
    enabled = [name for name in NAMES if name in bpy.context.preferences.addons]
    if len(enabled) != 1:
        raise RuntimeError(f"expected one enabled Muslin add-on, found {enabled}")
    if enabled[0] not in sys.modules:
        raise RuntimeError(f"{enabled[0]} is enabled, but Blender did not load it")
    sys.meta_path.insert(0, AliasFinder(enabled[0]))


def calculate_alone():
    """One thread for the cloths, of Blenders that a test starts, too, since other tests need the other cores; whoever wants
    more asks for them."""
    name = next(name for name in NAMES if name in bpy.context.preferences.addons)
    bpy.context.preferences.addons[name].preferences.threads = 1
    bpy.ops.wm.save_userpref()


def load(path):
    """Imports the test file under its own name."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def passed():
    """The line without which the outer script believes nothing."""
    version = ".".join(str(number) for number in bpy.app.version[:2])
    print(f"Muslin's tests passed in Blender {version}", flush=True)


def run_cases(paths):
    """Runs the unittest cases of the files, all of them whatever fails; ends Blender."""
    failed = [path.name for path in paths if not run_file(path)]
    if failed:
        print("failed, or without a test:", *failed)
        fail()
    passed()
    sys.stdout.flush()
    sys.exit(0)


def run_file(path):
    """Whether the file has tests and all of them pass."""
    bpy.ops.wm.read_userpref()  # a test may have taken the factory's, which do not name the add-on
    bpy.ops.wm.read_homefile()
    suite = unittest.defaultTestLoader.loadTestsFromModule(load(path))
    print(path.name, flush=True)
    began, worked = perf_counter(), process_time()
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    worked, took = process_time() - worked, perf_counter() - began
    print(f"{path.name} took {took:.1f} s, {worked:.1f} s of a processor", flush=True)
    return result.wasSuccessful() and result.testsRun > 0


def fail():
    """Ends Blender at once with status 1, from wherever it is called."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1)


def steps(paths):
    """All window functions of all files one after the other, as one generator of seconds to wait."""
    import screen  # beside this file, so only after the path is set

    yield from screen.drawn()  # the window as Blender opens it
    for path in paths:
        if path != paths[0]:
            with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
                bpy.ops.wm.read_homefile()
            yield from screen.drawn()
        yield from file_steps(load(path))
        yield from screen.picture(path.stem)


def file_steps(module):
    functions = [
        function
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if name.startswith("window_")
    ]
    if not functions:
        raise RuntimeError("the file has no function window_*")
    for function in functions:
        print(f"{function.__name__} ...", flush=True)
        began = perf_counter()
        waits = function()
        if inspect.isgenerator(waits):
            yield from waits
        print(f"{function.__name__} ok, {perf_counter() - began:.1f} s", flush=True)


def run_on_clock(paths):
    """Runs the window functions from a timer of Blender, which draws between the calls."""
    waits = steps(paths)

    def tick():
        try:
            return next(waits)
        except StopIteration:
            passed()
            bpy.ops.wm.quit_blender()
            return None
        except BaseException:
            traceback.print_exc(file=sys.stdout)
            return fail()

    preferences = bpy.context.preferences
    preferences.use_preferences_save = False  # these are the tests' own, and end with this Blender
    preferences.view.show_splash = False
    preferences.system.viewport_aa = "OFF"  # every sample of it is one more picture by software
    bpy.app.timers.register(tick, persistent=True)


def main():
    """Runs the files named after -- on the command line."""
    paths = [Path(name).resolve() for name in sys.argv[sys.argv.index("--") + 1 :]]
    sys.path[:0] = [str(HERE), str(HERE.parents[1])]
    provide_addon()
    calculate_alone()
    if paths[0].name.startswith("window_"):
        run_on_clock(paths)
    else:
        run_cases(paths)


if __name__ == "__main__":
    try:
        main()
    except Exception:
        traceback.print_exc(file=sys.stdout)
        fail()
