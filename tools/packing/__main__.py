# SPDX-License-Identifier: GPL-3.0-or-later
"""Packs libraries: for each an extension, a zip for older Blenders and, if asked for, a wheel. tools/package calls it."""

import argparse
import sys
from pathlib import Path

from packing.addon import extension_files, legacy_files
from packing.archive import write, zip_bytes
from packing.files import licence_files
from packing.platforms import PackageError, platform_of
from packing.wheel import wheel_bytes, wheel_name


def package(version, library, licences, output, keep_wheel=False):
    """Writes the packages of one library and returns their paths, the extension first."""
    platform = platform_of(library)
    name, wheel = wheel_name(version, platform), wheel_bytes(version, library, platform, licences)
    stem = f"muslin-{version}-{platform.name}"
    packages = {
        f"{stem}.zip": zip_bytes(extension_files(version, {platform: (name, wheel)}, licences)),
        f"{stem}-legacy.zip": zip_bytes(legacy_files(version, library, platform, licences)),
    }
    if keep_wheel:
        packages[name] = wheel
    output.mkdir(parents=True, exist_ok=True)
    return [write(output / name, data) for name, data in packages.items()]


def main(arguments):
    """The command line; prints the paths."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", required=True)
    parser.add_argument("--library", type=Path, action="append", required=True, help="stripped")
    parser.add_argument("--licences", type=Path, required=True, help="folder of the sources")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument(
        "--wheels", action="store_true", help="also leave the wheels as separate files"
    )
    options = parser.parse_args(arguments)
    try:
        for library in options.library:
            licences = licence_files(options.licences, platform_of(library))
            paths = package(options.version, library, licences, options.output, options.wheels)
            print(*paths, sep="\n")
    except (PackageError, OSError) as error:
        print(f"package: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
