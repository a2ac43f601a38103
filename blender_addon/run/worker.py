# SPDX-License-Identifier: GPL-3.0-or-later
"""A thread that does one job at a time, so that the window stays alive during a step.

The jobs call the native library, which needs no Python while it works; nothing in them may touch bpy, nor hold anything
of Blender's that could be freed there (see collector). They should do as little in Python as they can: with Python 3.11 and
older, Blender looks into a context that a script overrides without Python's lock whenever some thread has that, and what
both allocate at the same moment crashes Blender.
"""

import queue
import threading

from . import collector


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
            except Exception as error:  # told to whoever asks for the result
                self._error = error
            job = None  # what only this thread had goes now

    def _begin(self):
        self._work.acquire()
        collector.rest_while(self._work.locked)

    def start(self, job):
        """Begin a job; the one before must have ended. What that raised is forgotten if nobody has asked."""
        self._error = None
        self._begin()
        self._jobs.put(job)

    def wait(self, seconds=None):
        """Whether there is nothing to do, now or after at most so many seconds; None: forever."""
        if not self._work.acquire(timeout=-1 if seconds is None else max(0.0, seconds)):
            return False
        self._work.release()
        collector.look()
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
        collector.look()
