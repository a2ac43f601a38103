# SPDX-License-Identifier: GPL-3.0-or-later
"""Zips whose bytes depend on what is in them alone: names are sorted, times are fixed."""

import io
import zipfile

TIME = (1980, 1, 1, 0, 0, 0)  # the oldest that a zip can hold


def zip_bytes(files, last=()):
    """A zip of bytes by name; the names in `last` stand at its end."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        for name in sorted(files, key=lambda name: (name in last, name)):
            entry = zipfile.ZipInfo(name, TIME)
            entry.create_system = 3  # Unix, so that the next line is understood
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name], compresslevel=9)
    return memory.getvalue()


def write(path, data):
    """A file, put in place at once."""
    part = path.with_name("." + path.name)
    part.write_bytes(data)
    part.replace(path)
    return path
