# SPDX-License-Identifier: GPL-3.0-or-later
"""A thread that does one job at a time, so that the window stays alive during a step.

The jobs call the native library, which needs no Python while it works; nothing in them may touch bpy.
"""

import queue
import threading


class Worker:
    def __init__(self):
        self._jobs = queue.SimpleQueue()
        self._idle = threading.Event()
        self._idle.set()
        self._error = None
        # A daemon: Blender may be closed at any time, even by an error in another add-on.
        self._thread = threading.Thread(target=self._run, name="Muslin", daemon=True)
        self._thread.start()

    def _run(self):
        while True:
            job = self._jobs.get()
            if job is None:
                return
            try:
                job()
            except Exception as error:  # told to whoever asks for the result
                self._error = error
            self._idle.set()

    def start(self, job):
        """Begin a job; the one before must have ended. What that raised is forgotten if nobody has asked."""
        self._error = None
        self._idle.clear()
        self._jobs.put(job)

    def wait(self, seconds=None):
        """Whether there is nothing to do, now or after at most so many seconds; None: forever."""
        return self._idle.wait(seconds)

    def finish(self):
        """Wait for the job; what it raised is raised here."""
        self._idle.wait()
        error, self._error = self._error, None
        if error is not None:
            raise error

    def close(self):
        """No more jobs; waits for the one at work, so that nothing is taken from under it."""
        self._idle.wait()
        self._jobs.put(None)
        self._thread.join()
