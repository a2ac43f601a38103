# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels ask about a garment that its settings do not tell: what runs, what it measured,
what the last check found. Everything here is cheap: it is asked at every redraw."""

from collections import namedtuple

from ..run import running

# kind: "bake", "drape" or "timeline". progress: 0 to 1. text: a line, with the time left or the speed.
Job = namedtuple("Job", "kind progress text")


def job(obj):
    """What is being done with this garment now; None: nothing."""
    uid = obj.muslin.uid
    queue = running.bake
    if queue is not None and getattr(queue, "uid", "") == uid:
        return Job("bake", min(max(queue.progress, 0.0), 1.0), queue.text)
    preview = running.previews.get(uid) if uid else None
    if preview is not None and preview.mode in ("drape", "timeline"):
        return Job(preview.mode, 0.0, preview.text)
    return None


def other_work():
    """What else keeps Muslin busy, in a line; "" when nothing does."""
    return running.bake.text if running.bake is not None else ""


def has_preview(obj):
    """Whether a previewed shape is there to be kept or discarded."""
    return bool(obj.muslin.uid) and obj.muslin.uid in running.previews


def last_words(obj):
    """What the last bake or preview had to say; "" when nothing."""
    return running.last_words.get(obj.muslin.uid, "")


def statistics(obj):
    """[(label, value), ...] of the last frame; empty before the first."""
    return running.statistics.get(obj.muslin.uid, ())


def chosen_output(output, vertices, frames):
    return "pc2", "A PC2 cache of about 30 MB: shape keys would make the .blend heavy"


def findings(obj):
    return None
