# SPDX-License-Identifier: GPL-3.0-or-later
"""dll_file.py FILE.dll: checks which libraries a DLL needs and what it exports, by objdump.

Every Windows has the libraries that muslin.dll may need. Whatever else it named would have to be shipped beside it, and
a DLL of that name that the host has loaded before would be taken instead.
"""

import re
import shutil
import subprocess
import sys

# Microsoft's C library is the old one, which is a part of Windows, or the new one, which is since Windows 10.
SYSTEM = re.compile(r"(kernel32|msvcrt|ucrtbase|api-ms-win-crt-[a-z0-9-]+)\.dll", re.IGNORECASE)
OURS = "muslin_"
FORMAT = "pei-x86-64"
# The compiler's own knows the format on every machine, the system's on x86-64.
OBJDUMP = "x86_64-w64-mingw32-objdump", "objdump"
IMPORT = re.compile(r"^\s+DLL Name: (\S+)$", re.MULTILINE)
# What follows "[Ordinal/Name Pointer] Table": a line for each name, of which newer objdumps tell more.
EXPORT = re.compile(r"^\s+\[ *\d+\](?: \+base\[ *\d+\] +[0-9a-f]+)? (\S+)$", re.MULTILINE)


class DllError(Exception):
    """A file that is no DLL for Windows on x86-64."""


def objdump():
    """Path of an objdump; None where there is none."""
    return next(filter(None, map(shutil.which, OBJDUMP)), None)


def tables(path):
    """Names of the libraries that Windows loads with this one, and of the functions that others may call."""
    command = [objdump(), "-p", path]
    reported = subprocess.run(command, capture_output=True, check=False, text=True)
    if reported.returncode or f"file format {FORMAT}\n" not in reported.stdout:
        raise DllError(f"{path} is no file for Windows on x86-64: {reported.stderr.strip()}")
    _, _, names = reported.stdout.partition("[Ordinal/Name Pointer] Table")
    return IMPORT.findall(reported.stdout), EXPORT.findall(names)


def foreign_imports(path):
    """Libraries that a DLL needs and Windows does not bring."""
    return [name for name in tables(path)[0] if not SYSTEM.fullmatch(name)]


def problems(path):
    """What is wrong with the DLL, in words."""
    exported = tables(path)[1]
    found = [f"needs {name}, which Windows does not bring" for name in foreign_imports(path)]
    found += [
        f"exports {name}, which is not ours" for name in exported if not name.startswith(OURS)
    ]
    return found + ([] if exported else ["exports nothing"])


def main(path):
    try:
        found = problems(path)
    except (OSError, DllError) as error:
        found = [str(error)]
    for problem in found:
        print(f"exports: {path}: {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
