# SPDX-License-Identifier: GPL-3.0-or-later
"""A wheel: the binding, its command line and the native library for one platform and any Python 3.

The library is loaded by ctypes, so no interpreter's ABI is in the name. The format is that of the Python Packaging
Authority's "Binary distribution format", version 1.0.
"""

import base64
import hashlib

from packing.archive import zip_bytes
from packing.files import ROOT, binding_files

DESCRIPTION = ROOT / "plugin" / "python" / "README.md"
METADATA = """\
Metadata-Version: 2.1
Name: muslin
Version: {version}
Summary: Cloth simulation with a constant system matrix
Author: The Muslin developers
License: GPL-3.0-or-later
Classifier: License :: OSI Approved :: GNU General Public License v3 or later (GPLv3+)
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Multimedia :: Graphics :: 3D Modeling
Requires-Python: >=3.10
Requires-Dist: numpy>=1.22
Description-Content-Type: text/markdown

{description}"""
ENTRY_POINTS = "[console_scripts]\nmuslin = muslin.__main__:run\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: muslin\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n"


def wheel_name(version, platform):
    """The file's name, which says what it is for."""
    return f"muslin-{version}-py3-none-{platform.tag}.whl"


def wheel_bytes(version, library, platform, licences):
    """A wheel of the binding with this library; licences: bytes by name."""
    files = {f"muslin/{name}": data for name, data in binding_files(library, platform).items()}
    info = f"muslin-{version}.dist-info"
    files.update((f"{info}/licenses/{name}", data) for name, data in licences.items())
    description = DESCRIPTION.read_text(encoding="utf-8")
    metadata = METADATA.format(version=version, description=description)
    files[f"{info}/METADATA"] = metadata.encode()
    files[f"{info}/WHEEL"] = WHEEL.format(tag=platform.tag).encode()
    files[f"{info}/entry_points.txt"] = ENTRY_POINTS.encode()
    record = f"{info}/RECORD"
    files[record] = _record(files, record)
    # At the end, as the format recommends: they can be read without the rest.
    return zip_bytes(files, last={name for name in files if name.startswith(f"{info}/")})


def _record(files, own_name):
    """The list of all files with their sums; itself it cannot sum up."""
    lines = []
    for name, data in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}")
    return "\n".join([*lines, f"{own_name},,", ""]).encode()
