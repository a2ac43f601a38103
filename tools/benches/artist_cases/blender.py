# SPDX-License-Identifier: GPL-3.0-or-later
"""One Blender with the add-on, and files where it can read them."""

import shutil
from functools import lru_cache

from blender_cases.session import open_sessions
from common.report import note
from test_scenes.contact import real

PREFERRED = ("5.2", "4.3", "3.4")


@lru_cache(maxsize=1)
def session():
    """The newest Blender of this machine; None, and why, where there is none."""
    found, _ = open_sessions(PREFERRED[:1])
    if not found:
        found, _ = open_sessions(PREFERRED[1:])
    if not found:
        note("Skipped: there is no Blender here; tools/blenders prepare fetches them.")
        return None
    return found[0]


def files(*names):
    """Copies of these files of the data folder, where Blender sees them; None where one is absent."""
    paths = [real.FOLDER / name for name in names]
    absent = [path.name for path in paths if not path.is_file()]
    if absent:
        note(
            f"Skipped, since shared/data beside the checkout does not have it: {', '.join(absent)}"
        )
        return None
    if session() is None:
        return None
    copies = [session().folder / path.name for path in paths]
    for path, copy in zip(paths, copies):
        if not copy.exists():
            shutil.copyfile(path, copy)
    return [str(copy) for copy in copies]
