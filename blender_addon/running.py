# SPDX-License-Identifier: GPL-3.0-or-later
"""What is going on now, for panels, handlers and buttons. Lives in memory only: no file can be saved
with a running flag in it.

    bake          None, or a bake.bake_queue.BakeQueue: .uids (of the garments at work), .progress (0 to 1),
                  .text ("Shirt: frame 12 of 250, 1 min left"), .seconds_left, .step_warnings, .stop()
    previews      uid -> preview.preview.Preview: .mode ("timeline", "drape" or "held"), .text, .note,
                  .frames_per_second, .step_warnings, .uids (those that it shows; garments in one cloth share one)
    statistics    uid -> [(label, text), ...] of the last frame
    last_words    uid -> what the garment's last bake or preview had to say, one line
    errors        uid -> the Finding that ended its last run, until that is dismissed or another begins: see last_error
    job           None, or a jobs.Job, as a measurement: .uid, .progress, .text, .stop()
    symmetries    uid -> mirror.symmetry.Report of the last look
    solved        uid -> (whether that is as wanted, how a mirrored garment is solved, one line)
    grab          whether the mouse takes the cloth in Drape Now
    follows_fit   whether any garment of this file may have a fit map that follows its bake; None: not asked yet
    speeds        uid -> (what was measured, how much quicker one half is, one line)

And whether the native library can be used here, for panels: asking never loads anything. Looking does, once after a
panel was first seen, and when the user asks for it again.

Neither NumPy nor the library is imported by this module alone: panels read it while they draw.
"""

import platform
import threading
from collections import namedtuple

bake = None
previews = {}
statistics = {}
last_words = {}
errors = {}
job = None
symmetries = {}
solved = {}
speeds = {}
grab = True
follows_fit = None


def all_previews():
    return list(dict.fromkeys(previews.values()))


def is_busy():
    drapes = any(preview.mode == "drape" for preview in previews.values())
    return bake is not None or job is not None or drapes


def on_main_thread():
    return threading.current_thread() is threading.main_thread()


def redraw():
    import bpy

    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type in {"VIEW_3D", "PROPERTIES"}:
                area.tag_redraw()


def status_line(text):
    """None: Blender's own again."""
    import bpy

    for workspace in bpy.data.workspaces:
        workspace.status_text_set(text)


def stop_everything():
    """End all work at once: another file, or the add-on goes away. Finished frames stay on disk."""
    global bake, job, follows_fit
    follows_fit = None
    queue, bake = bake, None
    if queue is not None:
        queue.leave()
    other, job = job, None
    if other is not None:
        other.leave()
    for preview in all_previews():
        preview.close()
    for known in (previews, statistics, last_words, errors, symmetries, solved, speeds):
        known.clear()


# message: in words, what is wrong; empty when all is well. version and path: empty when unknown.
LibraryStatus = namedtuple("Status", "tried ready version path machine message")

_NOT_TRIED = LibraryStatus(False, False, "", "", platform.machine(), "")
_library_status = _NOT_TRIED


def library_status():
    return _library_status


def look_for_library():
    """Find and load the library, and remember how it went. Never raises: a panel must go on."""
    global _library_status
    machine = platform.machine()
    try:
        found = _version_and_path()
        _library_status = LibraryStatus(True, True, *found, machine, "")
    except Exception as error:  # whatever it is, the panel shows it
        message = str(error) or type(error).__name__
        _library_status = LibraryStatus(True, False, "", "", machine, message)
    return _library_status


def _version_and_path():
    import bpy

    from .muslin import __version__, _abi, library
    from .muslin.errors import LibraryError
    from . import recording

    try:
        version = library.version()
    except LibraryError as error:
        raise LibraryError(
            f"Muslin cannot simulate here: {error}. This is Muslin {__version__}, interface "
            f"{_abi.ABI_VERSION}, in Blender {bpy.app.version_string} on {platform.machine()}"
        ) from None
    recording.follow()
    try:
        return version, str(library.find())
    except LibraryError:  # its file was taken away meanwhile
        return version, ""


def forget_library():
    global _library_status
    _library_status = _NOT_TRIED


# kind: "bake", "job", "drape" or "timeline". progress: 0 to 1. text: a line, with the time left or the speed.
Activity = namedtuple("Job", "kind progress text")


def activity(obj):
    uid = obj.muslin.uid
    queue = bake
    if queue is not None and uid in getattr(queue, "uids", ()):
        return Activity("bake", min(max(queue.progress, 0.0), 1.0), queue.text)
    if job is not None and job.uid == uid:
        return Activity("job", job.progress, job.text)
    preview = previews.get(uid) if uid else None
    if preview is not None and preview.mode in ("drape", "timeline"):
        return Activity(preview.mode, 0.0, preview.text)
    return None


def step_warnings_of(obj):
    """Sentences on what went wrong within the steps of its bake, or of its preview."""
    uid, queue = obj.muslin.uid, bake
    if queue is not None and uid in queue.uids:
        return [each.text for each in queue.step_warnings]
    preview = previews.get(uid) if uid else None
    return [each.text for each in preview.step_warnings] if preview is not None else []
