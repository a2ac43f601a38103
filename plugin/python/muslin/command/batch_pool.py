# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs tasks as processes, some at a time, and reports each in one line."""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections import namedtuple

from .. import exits, windows
from ..errors import printable
from ..farm.record import FINISHED, is_true, read_record
from ..farm.work import BATCH_VARIABLE
from ..files import make_folder, reported
from . import batch_tasks
from .simulation import ends_with_this

LOOK_EVERY = 0.02  # s
WAIT_FOR_OTHERS = 0.5  # s until a task that another batch has is looked at again
PATIENCE = 15.0  # s that a process has to end by itself; drape may take 5

LAST_BYTES = 4096  # of a log that are looked through for why a process ended
SPEAKER = "muslin: "  # before what the command line says

STARTER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "child.py")

KEPT, DONE, FAILED, STOPPED = "kept", "done", "failed", "stopped"


# seconds: of the process, for tasks that were done now.
Result = namedtuple("Result", "task state seconds record", defaults=(0.0, {}))


class Running:
    """A task in a process group of its own, so that Ctrl-C on a terminal reaches the batch alone. Its log has the
    batch's name until it ends: another batch may be writing the task's own."""

    def __init__(self, task, command, batch):
        self.task = task
        self.began = time.monotonic()
        self._log = windows.openable(task.state(f".{batch}.log"))
        own = batch_tasks.environment() if task.is_blend else os.environ
        make_folder(task.job.state_folder)
        with reported(self._log):
            log = open(self._log, "wb")
        with log:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=ends_with_this(),
                env={**own, BATCH_VARIABLE: batch},
            )

    def last_words(self, code):
        """Why the process ended, where it left no record: its own last line."""
        names = {number.value: number.name for number in signal.Signals}
        ending = names.get(-code, f"signal {-code}")
        how = f"its process was ended by {ending}" if code < 0 else f"its process ended with {code}"
        with open(self._log, "rb") as log:
            log.seek(max(os.path.getsize(self._log) - LAST_BYTES, 0))
            lines = log.read().decode(errors="replace").splitlines()
        said = [line[len(SPEAKER) :] for line in lines if line.startswith(SPEAKER)]
        reported = bool(said) and not said[-1].startswith("drape ")  # its arguments, the first line
        return f"{how}: {printable(said[-1])}" if reported else how

    @property
    def seconds(self):
        return time.monotonic() - self.began

    def end_log(self, own):
        """Once the process has ended. own: it had the task, and this is the task's log unless it says nothing."""
        if own and os.path.getsize(self._log) > 0:
            windows.replace(self._log, self.task.state(".log"))
        else:
            os.unlink(self._log)


class Pool:
    """at_once: processes at a time. command_of: a task as the arguments of its process. report: is given each Result."""

    def __init__(self, tasks, at_once, command_of, report, again=False):
        self._waiting = [(0.0, task) for task in tasks]  # when it may be looked at, s
        # worked out here, so that one is refused before any starts
        self._commands = {task.name: command_of(task) for task in tasks}
        self._running = []
        self._at_once = at_once
        self._report = report
        self._again = again
        self._name = secrets.token_hex(8)
        self.results = []

    def run(self, stop):
        """Until everything is done, or `stop.asked`; gives the results in the order in which they came."""
        try:
            while (self._waiting or self._running) and not stop.asked:
                self._start()
                self._collect()
                if self._running or self._waiting:
                    time.sleep(LOOK_EVERY)
        finally:  # also where a disk is full, or no one reads what is reported
            self._end_all()
        return self.results

    def _start(self):
        now = time.monotonic()
        for entry in list(self._waiting):
            if len(self._running) >= self._at_once:
                return
            when, task = entry
            if when > now:
                continue
            self._waiting.remove(entry)
            record = read_record(task)
            # one that had to wait for another batch was done there
            if (when > 0.0 or not self._again) and is_true(task, record):
                self._add(Result(task, KEPT, record=record))
                return
            self._running.append(Running(task, self._commands[task.name], self._name))

    def _collect(self):
        for one in list(self._running):
            code = one.process.poll()
            if code is None:
                continue
            self._running.remove(one)
            if code == exits.BUSY:
                one.end_log(own=False)
                self._waiting.append((time.monotonic() + WAIT_FOR_OTHERS, one.task))
                continue
            record = read_record(one.task)
            own = record.get("batch") == self._name  # else it is of another batch, just before
            if code == exits.OK and record.get("state") == FINISHED:
                state = DONE if own else KEPT
            else:
                state = FAILED
                if not own or record.get("code") != code:  # it could not even record why
                    record = {"reason": one.last_words(code)}
            one.end_log(own=state != KEPT)
            self._add(Result(one.task, state, one.seconds, record))

    def _add(self, result):
        self.results.append(result)
        self._report(result)

    def _end_all(self):
        """Ask every process to end; who does not within the patience is killed."""
        for one in self._running:
            one.process.terminate()
        deadline = time.monotonic() + PATIENCE
        for one in self._running:
            try:
                one.process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                one.process.kill()
                one.process.wait()
        ended, self._running = self._running, []
        for one in ended:  # when all have: what is reported may find no reader
            one.end_log(own=one.process.returncode != exits.BUSY)
            self._add(Result(one.task, STOPPED, one.seconds))


def python_command(*arguments):
    """This command line in another process."""
    return [sys.executable, STARTER, *map(str, arguments)]
