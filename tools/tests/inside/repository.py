# SPDX-License-Identifier: GPL-3.0-or-later
"""Run inside of a Blender by test_repository.py: a remote repository from the day it is added to the day it is left.

    blender -b --online-mode --python repository.py -- URL REPOSITORY NEWER VERSION NEWER_VERSION

REPOSITORY is the folder behind the URL; NEWER has what it holds after the update. A preview runs whenever something is
updated or removed.
"""

import importlib
import os
import shutil
import sys
import traceback
from pathlib import Path

import addon_utils
import bpy

SHELF = "shelf"  # the repository's name in Blender
ADDON = f"bl_ext.{SHELF}.muslin"
HELPERS = Path(__file__).resolve().parents[3] / "blender_addon" / "tests"


def check(truth, words):
    if not truth:
        raise RuntimeError(words)


def add_repository(url):
    """As the button *Add Remote Repository* does; gives its number."""
    extensions = bpy.context.preferences.extensions
    extensions.repos.new(name="Shelf", module=SHELF, custom_directory="", remote_url=url)
    return [repository.module for repository in extensions.repos].index(SHELF)


def sync(number):
    bpy.ops.extensions.repo_sync(repo_index=number)


def binding(name="muslin"):
    """A module of the wheel, as it is in memory now."""
    return importlib.import_module(name)


def site_packages():
    extensions = Path(os.environ["BLENDER_USER_EXTENSIONS"])
    return extensions / ".local" / "lib" / "python{}.{}".format(*sys.version_info) / "site-packages"


def loaded_libraries():
    """The paths of Muslin's libraries in this process."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    return {line.split(maxsplit=5)[5] for line in lines if "libmuslin" in line}


def check_installed(version):
    check(addon_utils.check(ADDON)[1], "the add-on is not enabled")
    info = addon_utils.module_bl_info(sys.modules[ADDON])
    check(info["version"] in (version, tuple(map(int, version.split(".")))), info["version"])
    check(binding().__version__ == version, f"the binding is {binding().__version__}")
    check(Path(binding().__file__).parents[1] == site_packages(), binding().__file__)
    check(binding("muslin.library").version() == version, "the library is another one")
    infos = [path.name for path in site_packages().glob("*.dist-info")]
    check(infos == [f"muslin-{version}.dist-info"], f"wheels: {infos}")
    check(loaded_libraries() == {str(site_packages() / "muslin" / "libmuslin.so")}, "its place")


def begin_preview(obj):
    """Play a few frames: the cloth moves, in a thread of its own."""
    import scenes

    bpy.context.scene.frame_set(1)
    scenes.select(obj)
    bpy.ops.muslin.preview()
    for frame in range(2, 6):
        bpy.context.scene.frame_set(frame)
    fallen = scenes.seen(obj)[40, 2]
    check(fallen < 0.99, f"the preview does not fall: {fallen}")


def check_untouched(obj, before):
    """Nothing of a preview is left, and the mesh is as it was modelled."""
    import scenes

    check(scenes.modelled(obj) == before, "the mesh has changed")
    check(len(obj.modifiers) == 0, "a modifier was left")
    bpy.context.scene.frame_set(7)  # a handler that was left would work now
    check(scenes.modelled(obj) == before, "somebody still simulates")


def live(url, repository, newer, version, newer_version):
    """The whole story; raises at what is wrong."""
    number = add_repository(url)
    sync(number)
    bpy.ops.extensions.package_install(repo_index=number, pkg_id="muslin", enable_on_install=True)
    import scenes
    import support

    support.NAMES = (ADDON,)
    obj = scenes.garment()
    before = scenes.modelled(obj)
    begin_preview(obj)
    check_installed(version)
    shutil.copytree(newer, repository, dirs_exist_ok=True)
    sync(number)
    bpy.ops.extensions.package_upgrade_all()
    check_untouched(obj, before)
    begin_preview(obj)
    check_installed(newer_version)
    bpy.ops.extensions.package_uninstall(repo_index=number, pkg_id="muslin")
    check_untouched(obj, before)
    check(not hasattr(obj, "muslin"), "its properties are still there")
    check(not loaded_libraries(), f"still loaded: {loaded_libraries()}")
    check(not (site_packages() / "muslin").exists(), "its wheel is still there")
    check(not addon_utils.check(ADDON)[1], "it is still enabled")


def main():
    """Ends Blender with status 1 at the first thing that is wrong."""
    sys.path.insert(0, str(HELPERS))
    try:
        live(*sys.argv[sys.argv.index("--") + 1 :])
        print("the repository was lived through", flush=True)
    except BaseException:
        traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
        os._exit(1)


if __name__ == "__main__":
    main()
