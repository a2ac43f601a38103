# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels ask about a garment that its settings do not tell: what runs, what it measured,
what the last check found. Everything here is cheap: it is asked at every redraw."""

import sys
from collections import namedtuple
from time import monotonic

import bpy

from ..fit_properties import BY_NAME
from ..operators import check
from ..output import reach
from ..properties import IN_FILE, folders_set
from ..run import running
from ..scene import amounts

LOOK_EVERY = 2.0  # s, at folders

_looked = {}  # what was asked -> (when to look again, answer)

# kind: "bake", "job", "drape" or "timeline". progress: 0 to 1. text: a line, with the time left or the speed.
Job = namedtuple("Job", "kind progress text")


def job(obj):
    """What is being done with this garment now; None: nothing."""
    uid = obj.muslin.uid
    queue = running.bake
    if queue is not None and uid in getattr(queue, "uids", ()):
        return Job("bake", min(max(queue.progress, 0.0), 1.0), queue.text)
    if running.job is not None and running.job.uid == uid:
        return Job("job", running.job.progress, running.job.text)
    preview = running.previews.get(uid) if uid else None
    if preview is not None and preview.mode in ("drape", "timeline"):
        return Job(preview.mode, 0.0, preview.text)
    return None


def troubles(obj):
    """Sentences on what went wrong within the steps of its bake, or of its preview."""
    uid, queue = obj.muslin.uid, running.bake
    if queue is not None and uid in queue.uids:
        return [each.text for each in queue.troubles]
    preview = running.previews.get(uid) if uid else None
    return [each.text for each in preview.troubles] if preview is not None else []


def has_preview(obj):
    """Whether a previewed shape is there to be kept or discarded."""
    return bool(obj.muslin.uid) and obj.muslin.uid in running.previews


def statistics(obj):
    """[(label, value), ...] of the last frame; empty before the first."""
    return running.statistics.get(obj.muslin.uid, ())


def chosen_output(obj, frame_count):
    """(kind, line, trouble): what a bake will leave behind, why or how large, and whether it cannot.

    The module that knows needs NumPy, which a panel must not wait for: see panels.warm_up.
    """
    wanted = obj.muslin.output
    results = sys.modules.get(__package__.rpartition(".")[0] + ".output.results")
    if results is None:
        return wanted, "", False
    vertices = len(obj.data.vertices)
    try:
        kind, why = results.choose(wanted, vertices, frame_count, obj)
        results.check(obj, kind)
    except results.Problem as problem:
        return wanted, str(problem), True
    place = "in the .blend" if kind in IN_FILE else "on disk"
    return (
        kind,
        why or f"About {amounts.size(results.BYTES * vertices * frame_count)} {place}",
        False,
    )


def writes_to(obj):
    """The folder of its caches where the artist may not expect it: outside of the .blend's, and as a file has brought it."""
    folder = obj.muslin.cache_folder
    if folder in folders_set:
        return ""
    return _now_and_then(("folder", bpy.data.filepath, folder), lambda: reach.outside(folder))


def left_over(obj):
    """Frames of a bake that did not come to its end. Looks at the disk now and then."""
    results = sys.modules.get(__package__.rpartition(".")[0] + ".output.results")
    if results is None or running.bake is not None:
        return 0
    folder = obj.muslin.cache_folder
    asked = "left over", obj.muslin.uid, folder, folder in folders_set
    return _now_and_then(asked, lambda: results.left_over(obj))


def _now_and_then(asked, look):
    """The answer of the last look; the disk may be slow."""
    now = monotonic()
    if asked not in _looked or now > _looked[asked][0]:
        _looked[asked] = now + LOOK_EVERY, look()
    return _looked[asked][1]


def findings(obj):
    """What the last check found, a list; None before the first."""
    return check.findings(obj)


def symmetry(obj):
    """The scene.symmetry.Report on this garment as it is now; None: not looked, or changed since."""
    report = running.symmetries.get(obj.muslin.uid)
    if report is None:
        return None
    from ..scene.symmetry import key  # is loaded by now: it made the report

    return report if report.asked == key(obj) else None


def was_looked_at(obj):
    return obj.muslin.uid in running.symmetries


def solved(obj):
    """(whether that is as wanted, how a mirrored garment is solved); None: nothing was."""
    return running.solved.get(obj.muslin.uid) if obj.muslin.mirror.enabled else None


def speed(obj):
    """What was measured with the settings as they are; "" if nothing."""
    measured = running.speeds.get(obj.muslin.uid)
    if measured is None:
        return ""
    from ..scene.mirror import choice  # is loaded by now: it was measured

    return measured[1] if measured[0] == choice(obj) else ""


def shows_fit(obj):
    """Whether its fit map is to be drawn, and there is one."""
    fit = obj.muslin.fit
    if not (obj.muslin.enabled and fit.enabled and fit.show) or obj.mode == "EDIT":
        return False
    return BY_NAME[fit.quantity].attribute in obj.data.attributes
