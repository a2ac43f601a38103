# SPDX-License-Identifier: GPL-3.0-or-later
"""The loops over the frames of a drape and the steps of settling, and how signals stop them.

A loop runs in a thread of its own: Python tells the main thread of a signal only between two calls, and a step of a
large garment is one long call. The main thread waits, and cancels the step when a signal comes.
"""

import ctypes
import os
import signal
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass

from .. import exits, jumps
from ..calls import Message
from ..errors import refuse
from ..poses import run_up, settle
from ..upsampling.operator import put_before_bodies

WAIT_SECONDS = 0.05
# How long a call may take to notice that it is cancelled. Factoring is not interrupted.
PATIENCE_SECONDS = 5.0
# Besides Ctrl-C: a pipeline that ends a job, and a terminal that is closed, of which Windows knows nothing.
ENDING_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)
OUTPUTS = (1, 2)  # the descriptors of stdout and stderr


class Stop:
    """asked: SIGINT or one of ENDING_SIGNALS has come."""

    asked = False

    def __init__(self):
        self._terminals = [number for number in OUTPUTS if os.isatty(number)]

    def ask(self, number, _):
        self.asked = True
        if number == getattr(signal, "SIGHUP", None):
            # who closed the terminal reads nothing more; writing would be an error before the files have their names
            nowhere = os.open(os.devnull, os.O_WRONLY)
            for number in self._terminals:
                os.dup2(nowhere, number)
            os.close(nowhere)


@contextmanager
def noted_signals():
    """Signals set a Stop instead of raising, so that no file is left in the middle of a write."""
    stop, before = Stop(), {}
    for number in (signal.SIGINT, *ENDING_SIGNALS):
        if signal.getsignal(number) != signal.SIG_IGN:  # as in the background, or by nohup
            before[number] = signal.signal(number, stop.ask)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@dataclass(eq=False)
class Work:
    """A loop of calls on a cloth. Afterwards: error: what ended it early, or None. stop: it was asked to end. stuck:
    the last call still runs, and the cloth must not be touched."""

    cloth: object
    progress: object
    stop = stuck = False
    error = None

    def run(self, stop):
        """Work until the end, an error, or `stop.asked`."""
        worker = threading.Thread(target=self._kept, daemon=True)
        worker.start()
        while worker.is_alive() and not stop.asked:
            worker.join(WAIT_SECONDS)
        if worker.is_alive():
            self.stop = True
            self.cloth.cancel()  # the step that runs or is about to
            worker.join(PATIENCE_SECONDS)
            self.stuck = worker.is_alive()
        self.progress.clear()

    def _kept(self):
        try:
            self._work()
        except Exception as error:  # the main thread decides what to do with it
            self.error = error


class Settling(Work):
    """Steps a cloth until it rests. report: of the last step, or None."""

    report = None

    def _work(self):
        for self.report in settle(self.cloth):
            self.progress.show(self.report)
            if self.stop:
                return


@dataclass(eq=False, kw_only=True)
class Simulation(Work):
    """Steps a cloth and writes its frames.

    positions: the last frame written, or None. report: of the prepared cloth, or None. statistics, mirrors, levels: one
    of each for each frame written; piercings: likewise, where there is a judge. warnings: pairs of a frame, from 1 (0:
    in the run-up, which is while `running_up`), and what was said then. verdict: is given the inspections. additions:
    functions from (positions, level) to positions, for frames that follow a coarser level. tracking, turbulence: a
    Tracking that moves the pins and a Turbulence that blows from the first frame on, or None.
    """

    writer: object
    frames: int
    step_seconds: float
    pins: object = ()
    pin_targets: object = None
    pin_start: object = None
    bodies: tuple = ()
    judge: object = None
    refined: bool = False
    verdict: object = None
    run_up: int = 0
    additions: tuple = ()
    tracking: object = None
    turbulence: object = None

    running_up = restless = False  # restless: not at rest before the first frame
    positions = report = None

    def __post_init__(self):
        self.statistics, self.mirrors, self.levels = [], [], []
        self.warnings, self.piercings = [], []

    def _work(self):
        if self.run_up:
            with self._warnings_of(0):
                self._run_up()
        if self.stop:
            return
        if self.tracking is not None:
            self.tracking.begin(self.cloth)
        self.cloth.prepare(self.step_seconds)
        self.report = self.cloth.report()
        if self.frames == 1:
            self._refine()
        self._record()
        for frame in range(1, self.frames):
            if self.stop:
                break
            with self._warnings_of(frame + 1):
                self._step(frame)

    def _run_up(self):
        """Frames before the first, which are not written."""
        self.running_up = True
        for text, rests in run_up(self.cloth, self.run_up, self.step_seconds, self._approach):
            self.progress.draw(text)
            self.restless |= rests is False
            if self.stop:
                return
        self.running_up = False

    def _approach(self, part):
        if self.pin_targets is not None:
            way = self.pin_targets(0) - self.pin_start
            self.cloth.move_pins(self.pin_start + part * way)
        return jumps.of_bodies([body.approach(part) for body in self.bodies])

    @contextmanager
    def _warnings_of(self, frame):
        """Keeps the warnings that come meanwhile, with their frame."""
        reported = len(self.cloth.warnings)
        try:
            yield
        finally:
            self.warnings += [(frame, text) for text in self.cloth.warnings[reported:]]

    def _step(self, frame):
        if self.tracking is not None:
            self.cloth.move_pins(self.tracking.targets(self.cloth.positions(), frame))
        elif self.pin_targets is not None:
            self.cloth.move_pins(self.pin_targets(frame))
        self._carry(jumps.of_bodies([body.move(frame) for body in self.bodies]), frame)
        if self.turbulence is not None:
            gusts = self.turbulence.at(self.cloth.positions(), frame * self.step_seconds)
            self.cloth.set_fields(wind=gusts)
        self.cloth.step(self.step_seconds)
        if frame == self.frames - 1:
            self._refine()
        self._record()

    def _carry(self, jumped, frame):
        """The cloth goes along with bodies that jump, or cannot."""
        if not jumped:
            return
        moves = self.pin_targets is not None
        held = self.pin_targets(frame) if moves else self.cloth.positions()[self.pins]
        found = jumps.carry(self.cloth, jumped, (self.pins, held))
        if found == jumps.Outcome.LOST:
            far = max(jump.distance for jump in jumped)
            refuse(
                f"a body that the cloth is worn on jumped {far:.2g} m, and into another pose: drape what follows on its "
                "own, with --run-up"
            )
        if found == jumps.Outcome.CARRIED:
            self.cloth.warnings.append(
                Message("the cloth was carried along with the body that jumped")
            )

    def _refine(self):
        """Where that is asked for, of the last frame."""
        while self.refined and not self.stop:
            if self.cloth.refine(self.step_seconds).settled:
                break

    def _record(self):
        if self.stop:  # the main thread may be naming the file
            return
        embedded = positions = self.cloth.positions()
        statistics, mirror, levels = self.cloth.stats(), self.cloth.mirror(), self.cloth.levels()
        if levels.level > 0 and self.additions:  # a refined last frame lacks nothing
            for add in self.additions:
                positions = add(positions, levels.level)
            positions = put_before_bodies(self.cloth, embedded, positions)
        frame = self.writer.frames + 1
        if self.verdict is not None:
            self.verdict.count(frame, levels)
        if self.verdict is not None and self.verdict.wants(frame, self.frames, levels.level > 0):
            self.verdict.add(frame, self.cloth.inspect())
        if self.judge is not None:
            self.piercings.append(self.judge(self.writer.frames, positions))
        self.writer.write(positions)
        self.positions = positions
        self.statistics.append(statistics)
        self.mirrors.append(mirror)
        self.levels.append(levels)
        self.progress.show(self.writer.frames)


# of <linux/prctl.h>: the signal that comes when the thread that started a process ends
PR_SET_PDEATHSIG = 1


def ends_with_this():
    """What Popen shall call in the new process, as preexec_fn; None where only Linux could be asked for that."""
    if not sys.platform.startswith("linux"):
        return None
    library, parent = ctypes.CDLL(None), os.getpid()

    def ask():
        library.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:  # it ended just before
            os._exit(1)

    return ask


def interruptible(work):
    """The result of work(), done in a thread. Ctrl-C ends the process at once, so this is only for work that leaves
    no file behind."""
    outcome = {}

    def keep_outcome():
        try:
            outcome["result"] = work()
        except BaseException as error:
            outcome["error"] = error

    worker = threading.Thread(target=keep_outcome, daemon=True)
    try:
        worker.start()
        while worker.is_alive():
            worker.join(WAIT_SECONDS)
    except KeyboardInterrupt:
        print("muslin: interrupted", file=sys.stderr, flush=True)
        os._exit(exits.INTERRUPTED)
    if "error" in outcome:
        raise outcome["error"]
    return outcome["result"]
