# SPDX-License-Identifier: GPL-3.0-or-later
"""A thread that does one job at a time, so that the window stays alive during a step.

The jobs call the native library, which needs no Python while it works; nothing in them may touch bpy, nor hold anything
of Blender's that could be freed there (see below). They should do as little in Python as they can: with Python 3.11 and
older, Blender looks into a context that a script overrides without Python's lock whenever some thread has that, and what
both allocate at the same moment crashes Blender.

Python's garbage collector is kept in the main thread. It runs in whichever thread allocates, and frees all that it finds:
objects of Blender's, too, that an exception or another add-on has tied in a knot. Blender's operators meanwhile work in
the main thread without Python's lock, and free what such objects refer to. So nothing is collected by itself while a
thread of ours is at work: the main thread does it between two steps, and calls rest_while(), collect_again(), resting().
"""

import gc
import queue
import threading
from contextlib import contextmanager

import bpy

LOOK_EVERY = 0.5  # s
MOST = 100_000  # new objects before they are collected, although a thread is at work all the time

_at_work = []  # functions: whether a thread is still at work
_was_on = False  # before the first of them


def rest_while(is_at_work):
    """No collection from now on, until is_at_work() is False and someone looks. Call it before the thread begins."""
    global _was_on
    collect_again()
    if not _at_work:
        _was_on = gc.isenabled()
        gc.disable()
    elif gc.get_count()[0] > MOST:
        gc.collect()
    _at_work.append(is_at_work)
    if not bpy.app.background and not bpy.app.timers.is_registered(_tick):
        bpy.app.timers.register(_tick, first_interval=LOOK_EVERY, persistent=True)


def collect_again():
    if _at_work:
        _at_work[:] = [is_at_work for is_at_work in _at_work if is_at_work()]
        if not _at_work and _was_on:
            gc.enable()


@contextmanager
def resting():
    within = [True]
    rest_while(lambda: bool(within))
    try:
        yield
    finally:
        within.clear()
        collect_again()


def _tick():
    """For Blender's timer: a thread may end without anyone asking for it."""
    collect_again()
    return LOOK_EVERY if _at_work else None


class Worker:
    def __init__(self):
        self._jobs = queue.SimpleQueue()
        self._work = threading.Lock()  # locked while the thread begins, has a job or ends
        self._error = None
        # A daemon: Blender may be closed at any time, even by an error in another add-on.
        self._thread = threading.Thread(target=self._run, name="Muslin", daemon=True)
        self._begin()
        self._thread.start()

    def _run(self):
        next_job, ready = self._jobs.get, self._work.release
        while True:
            ready()  # from here on nothing is allocated, so nothing collected, until there is a job
            job = next_job()
            if job is None:
                return
            try:
                job()
            except Exception as error:  # reported to whoever asks for the result
                self._error = error
            job = None  # frees what only this thread held

    def _begin(self):
        self._work.acquire()
        rest_while(self._work.locked)

    def start(self, job):
        """Begin a job; the one before must have ended. What that raised is forgotten if no one has asked."""
        self._error = None
        self._begin()
        self._jobs.put(job)

    def wait(self, seconds=None):
        """Whether there is nothing to do, now or after at most so many seconds; None: forever."""
        if not self._work.acquire(timeout=-1 if seconds is None else max(0.0, seconds)):
            return False
        self._work.release()
        collect_again()
        return True

    def finish(self):
        """Wait for the job; what it raised is raised here."""
        self.wait()
        error, self._error = self._error, None
        if error is not None:
            raise error

    def close(self):
        """No more jobs; waits for the one at work, so that nothing is taken from under it."""
        self.wait()
        self._begin()
        self._jobs.put(None)
        self._thread.join()
        self._work.release()
        collect_again()
