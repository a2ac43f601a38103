# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether packages are good, by those who use them: Blender's own tool, an old Blender, pip, and the machines' loaders.

    judge FOLDER     a line for each package, and what is wrong with it; exit status 1 with any fault
"""

import functools
import os
import platform as host
import re
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

from packing.files import OF_COMPILER, ROOT
from packing.platforms import PLATFORMS, PackageError, platform_of

EXTENSION_BLENDERS, LEGACY_BLENDER = ("4.3", "5.2"), "3.4"
# The name of the compiler and of the emulator for each platform that a program can be tried on.
MACHINES = {"linux-x64": "x86_64", "linux-arm64": "aarch64"}
LICENCES = (
    *("LICENSE", "CHOLMOD.txt", "AMD.txt", "COLAMD.txt", "METIS.txt"),
    *("Apache-2.0.txt", "LGPL-2.1.txt"),
)
NAME = re.compile(
    r"muslin-[0-9.]+-(?:py3-none-(?P<tag>\w+)\.whl|(?P<platform>[a-z0-9-]+?)(?P<legacy>-legacy)?\.zip)"
)
UNAVAILABLE = 77  # exit status of tools/blender
INSTALL_LEGACY = """
import addon_utils, bpy
bpy.ops.preferences.addon_install(filepath={path!r}, overwrite=True)
bpy.ops.preferences.addon_enable(module="muslin")
assert addon_utils.check("muslin")[1], "the add-on was not enabled"
"""


class NoJudge(Exception):
    """A Blender that has to judge is not on this machine."""


def faults(path):
    """What is wrong with a package, in words; empty if nothing is. NoJudge where it cannot be told."""
    found = NAME.fullmatch(path.name)
    platform = _platform_named(found) if found else None
    if platform is None:
        return [f"{path.name} is no name of a package"]
    if found["tag"]:
        judges = (_licences, _library_in_wheel, _pip)
    elif found["legacy"]:
        judges = (_licences, _library_in_legacy, _older_blender)
    else:
        judges = (_licences, _library_in_extension, _extension_tool)
    complaints = []
    for judge in judges:
        try:
            judge(path, platform)
        except (PackageError, AssertionError, KeyError, OSError) as error:
            complaints.append(str(error) or repr(error))
    return complaints


def _platform_named(found):
    """The platform in a package's name; None if there is none of that name."""
    tags = {platform.tag: platform for platform in PLATFORMS.values()}
    return tags.get(found["tag"]) if found["tag"] else PLATFORMS.get(found["platform"])


def _run(command, **more):
    """Runs a program with more in its environment; PackageError with what it says if that fails.

    Nothing leads to the checkout's own binding and library: packages have to bring theirs.
    """
    own = ("PYTHONPATH", "MUSLIN_LIBRARY")
    environment = {name: value for name, value in os.environ.items() if name not in own}
    run = subprocess.run(
        [str(word) for word in command],
        env={**environment, **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if run.returncode == UNAVAILABLE:
        raise NoJudge(run.stdout.strip())
    if run.returncode != 0:
        raise PackageError(f"{Path(command[0]).name}: {run.stdout.strip()[-2000:]}")
    return run.stdout


def _blender(version, *arguments):
    with tempfile.TemporaryDirectory() as home:
        return _run([ROOT / "tools" / "blender", version, *arguments], MUSLIN_BLENDER_HOME=home)


def _extension_tool(path, _):
    for version in EXTENSION_BLENDERS:
        _blender(version, "--command", "extension", "validate", path)


def _older_blender(path, _):
    """It installs and enables it, whichever platform the library is for: that is loaded at the first use only."""
    code = INSTALL_LEGACY.format(path=str(path.resolve()))
    reported = _blender(LEGACY_BLENDER, "-b", "--python-exit-code", "1", "--python-expr", code)
    if "Traceback" in reported:
        raise PackageError(reported)


@functools.lru_cache(maxsize=None)
def _environment():
    """A folder with a fresh Python that has pip."""
    folder = tempfile.TemporaryDirectory()
    venv.create(folder.name, with_pip=True, symlinks=True)
    return folder  # goes away with the cache


def _pip(path, platform):
    """pip takes it for its platform, this machine's or not."""
    python = Path(_environment().name) / "bin" / "python"
    with tempfile.TemporaryDirectory() as target:
        command = [python, "-m", "pip", "install", "--no-index", "--no-deps", "--target", target]
        _run([*command, "--only-binary", ":all:", "--platform", platform.tag, path])
        if not (Path(target) / "muslin" / platform.library).is_file():
            raise PackageError("pip installed no library")


def _licences(path, platform):
    with zipfile.ZipFile(path) as archive:
        names = {Path(name).name for name in archive.namelist()}
    for licence in (*LICENCES, *OF_COMPILER.get(platform.name, ())):
        if licence not in names:
            raise PackageError(f"the licence {licence} is missing")


def _library_in_wheel(path, platform):
    with zipfile.ZipFile(path) as archive:
        _judge_library(archive.read(f"muslin/{platform.library}"), platform)


def _library_in_legacy(path, platform):
    with zipfile.ZipFile(path) as archive:
        _judge_library(archive.read(f"muslin/muslin/{platform.library}"), platform)


def _library_in_extension(path, platform):
    """In the one wheel that it names."""
    with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
        manifest = archive.read("blender_manifest.toml").decode()
        wheels = re.findall(r'^wheels = \["\./(.*)"\]$', manifest, re.M)
        if len(wheels) != 1 or f'platforms = ["{platform.name}"]' not in manifest:
            raise PackageError("the manifest names another platform, or not one wheel")
        _library_in_wheel(archive.extract(wheels[0], folder), platform)


@functools.lru_cache(maxsize=None)  # the packages of a platform hold the same
def _judge_library(data, platform):
    """It is for its platform, asks for nothing that old systems lack, and a program drapes with it."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / platform.library
        library.write_bytes(data)
        if platform_of(library) is not platform:
            raise PackageError(f"the library is for {platform_of(library).name}")
        if platform.name in MACHINES:
            _run([ROOT / "tools" / "check_exports", library])
            _drape(library, MACHINES[platform.name])
        elif platform.name == "windows-x64":
            script = ROOT / "tools" / "python_support" / "dll_file.py"
            _run([sys.executable, "-B", script, library])


def _drape(library, machine):
    """The first program of the manual runs with this library, in an emulator where the machine is another one."""
    triple, folder = f"{machine}-linux-gnu", library.parent
    own = machine == host.machine()
    soname = re.search(r"soname: \[(.*)\]", _run(["readelf", "-dW", library]))[1]
    (folder / soname).symlink_to(library)
    build = Path(os.environ.get("MUSLIN_BUILD", ROOT / "build"))
    headers = [ROOT / "plugin" / "include", build / "generated" / "include"]
    options = [f"-I{header}" for header in headers] + ["-o", folder / "hello", library]
    compiler = "cc" if own else f"{triple}-gcc"
    _run([compiler, ROOT / "plugin" / "examples" / "hello.c", *options])
    if own:
        reported = _run([folder / "hello"], LD_LIBRARY_PATH=str(folder))
    else:  # the path is for the program, not for the emulator
        emulator = [f"qemu-{machine}-static", "-cpu", "max", "-L", f"/usr/{triple}"]
        reported = _run([*emulator, "-E", f"LD_LIBRARY_PATH={folder}", folder / "hello"])
    if "hangs" not in reported:
        raise PackageError(f"the first program says: {reported}")


def packages(folder):
    """The packages in a folder, by name."""
    return sorted(path for path in folder.iterdir() if path.suffix in (".zip", ".whl"))


def main(arguments):
    """The command line."""
    status = 0
    for path in packages(Path(arguments[0])):
        try:
            found = faults(path)
        except NoJudge as error:
            found = [f"not judged: {error}"]
        print(f"{path.name}: {'; '.join(found) or 'good'}")
        status |= bool(found)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
