# SPDX-License-Identifier: GPL-3.0-or-later
"""What is going on now, for panels, handlers and buttons. Lives in memory only: no file can be saved
with a running flag in it.

    bake          None, or a run.bake.BakeQueue: .uids (of the garments at work), .progress (0 to 1),
                  .text ("Shirt: frame 12 of 250, 1 min left"), .seconds_left, .troubles, .stop()
    previews      uid -> run.preview.Preview: .mode ("timeline", "drape" or "held"), .text, .note,
                  .frames_per_second, .troubles, .uids (those that it shows; garments in one cloth share one)
    statistics    uid -> [(label, text), ...] of the last frame
    last_words    uid -> what the garment's last bake or preview had to say, one line
    job           None, or a run.job.Job, as a measurement: .uid, .progress, .text, .stop()
    symmetries    uid -> scene.symmetry.Report of the last look
    solved        uid -> (whether that is as wanted, how a mirrored garment is solved, one line)
    grab          whether the mouse takes the cloth in Drape Now
    follows_fit   whether any garment of this file may have a fit map that follows its bake; None: not asked yet
    speeds        uid -> (what was measured, how much quicker one half is, one line)

Neither NumPy nor the library is imported by this module alone: panels read it while they draw.
"""

import platform
import threading

bake = None
previews = {}
statistics = {}
last_words = {}
job = None
symmetries = {}
solved = {}
speeds = {}
grab = True
follows_fit = None

_library_problem = None  # not asked yet


def all_previews():
    """Each once."""
    return list(dict.fromkeys(previews.values()))


def is_busy():
    """Whether a bake, a drape or another job works in the background now."""
    drapes = any(preview.mode == "drape" for preview in previews.values())
    return bake is not None or job is not None or drapes


def on_main_thread():
    return threading.current_thread() is threading.main_thread()


def library_problem():
    """Why the native library cannot be used, with path, machine and versions; "" when it can."""
    global _library_problem
    if _library_problem is None:
        _library_problem = _ask_library()
    return _library_problem


def _ask_library():
    import bpy

    from ..muslin import __version__, _abi, library
    from ..muslin.errors import LibraryError
    from . import record

    try:
        library.get()
        record.follow()
        return ""
    except LibraryError as error:
        return (
            f"Muslin cannot simulate here: {error}. This is Muslin {__version__}, interface "
            f"{_abi.ABI_VERSION}, in Blender {bpy.app.version_string} on {platform.machine()}"
        )


def forget_library_problem():
    """Ask again next time: the file may have been put right."""
    global _library_problem
    _library_problem = None


def redraw():
    """Let panels and views show what has changed."""
    import bpy

    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type in {"VIEW_3D", "PROPERTIES"}:
                area.tag_redraw()


def status_line(text):
    """Text in the status bar of every window; None: Blender's own again."""
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
    for known in (previews, statistics, last_words, symmetries, solved, speeds):
        known.clear()
