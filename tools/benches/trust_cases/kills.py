# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line killed at random moments, and on disks that fail: what was there before stays, what is finished can
be read, and the same command once more gives the bytes of a run that nobody disturbed."""

import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common.bench import heading, note
from muslin import FileError, read_pc2
from muslin.command import child
from reach import caches, make_job
from test_scenes import sheets
from test_scenes.objfile import write_obj

FRAMES, SIDE = 40, 20  # vertices along a side
HEADER = 32  # bytes of a PC2 file
SEED = 25
LIMIT = 120  # s that any run may take


def measure(results, quick):
    heading("Kills and failing disks, on the command line")
    note(
        "SIGKILL at a random moment. Lost: an older result or a finished frame that cannot be read, a file that says more of "
        "itself than there is, or other bytes when the same command is given again."
    )
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kill, count in ((kill_drapes, 3 if quick else 30), (kill_batches, 1 if quick else 20)):
            lost, running = kill(Path(folder), count)
            row = {"killed": kill.__name__.removeprefix("kill_"), "kills": count, "lost": lost}
            rows.append({**row, "while_it_ran": running})
        faults = disks(Path(folder))
    results.table("kills", rows)
    results.add("kills_tried", sum(row["kills"] for row in rows))
    results.add("kills_lost", sum(row["lost"] for row in rows))
    results.table("disks", [{"disk": name, "lost": fault} for name, fault in faults.items()])
    results.number("disks_lost", sum(bool(fault) for fault in faults.values()))


def command(*words):
    return [sys.executable, child.__file__, *map(str, words)]


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, **more)


class Drape:
    """One drape in a folder of its own: `whole` is its cache, `older` another one that has its name before."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.output = folder / "out.pc2"
        self.garment = folder.parent / f"{folder.name}.obj"
        scene, pins = sheets.hung_cloth(SIDE)
        write_obj(self.garment, scene)
        self.words = command("drape", "--garment", self.garment, "-o", self.output)
        self.words += ["--pin", ",".join(map(str, pins)), "--frames", str(FRAMES)]
        self.older = self.bytes_of("--gravity", "0,0,-1")
        begin = time.monotonic()
        self.whole = self.bytes_of()
        self.seconds = time.monotonic() - begin
        self.reset()

    def bytes_of(self, *more):
        run([*self.words, *more], check=True)
        return self.output.read_bytes()

    def loss(self):
        """What is wrong with the files as they are, in words; "" if nothing is."""
        if self.output.read_bytes() not in (self.older, self.whole):
            return "the older result is lost"
        for path in self.folder.iterdir():
            if path != self.output and not self.holds(path):
                return f"{path.name} is not what was simulated"
        return ""

    def holds(self, path):
        """Whether a file that is not finished has whole frames of this run alone."""
        if path.stat().st_size < HEADER:
            return path.name.endswith(".part")  # ended before it had any
        try:
            frames = read_pc2(path).positions[:].tobytes()
        except FileError:
            return False
        return self.whole[HEADER:].startswith(frames)

    def goes_on(self):
        """Whether the same command, again, ends as if nothing had been."""
        same = self.bytes_of() == self.whole
        self.reset()
        return same

    def reset(self):
        """As it was before the first disturbance."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.output.write_bytes(self.older)


def kill_drapes(folder, count):
    """(kills that lost something, kills that found it running)."""
    drape, chance = Drape(folder / "drape"), random.Random(SEED)
    lost = running = 0
    for _ in range(count):
        process = subprocess.Popen(drape.words, stderr=subprocess.DEVNULL)
        running += killed(process, chance.uniform(0, drape.seconds))
        lost += bool(drape.loss()) or not drape.goes_on()
    return lost, running


def killed(process, seconds):
    """Kill it after a while; whether it was still at work."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True
    return False


def kill_batches(folder, count):
    """Likewise: the batch is killed, and what it started has to end by itself."""
    job = make_job(folder / "batch", quick=True)
    words, chance = command("batch", job, "-j", 2), random.Random(SEED)
    begin = time.monotonic()
    run(words, check=True)
    seconds, wanted = time.monotonic() - begin, caches(job.parent / "caches")
    lost = running = 0
    for _ in range(count):
        for place in (job.parent / "caches", job.parent / "job.batch"):
            shutil.rmtree(place)
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        running += killed(process, chance.uniform(0, seconds))
        found = whole_caches(job)
        bad = not found.items() <= wanted.items()
        bad |= run(words).returncode != 0 or whole_caches(job) != wanted
        lost += bad
    return lost, running


def whole_caches(job):
    """Those with their names; what begins with a dot is not finished."""
    found = caches(job.parent / "caches") if (job.parent / "caches").exists() else {}
    return {name: data for name, data in found.items() if not name.startswith(".")}


# Disks


def disks(folder):
    """What was lost by each way in which a disk may fail, in words; "" where nothing was."""
    drape, found = Drape(folder / "disk"), {}
    for test in (full_disk, removed_folder, read_only, two_at_once):
        drape.reset()
        found[test.__name__.replace("_", " ")] = test(drape) or drape.loss()
    return found


def full_disk(drape):
    """A disk in memory with room for the older cache and half of a new one, of this process's own."""
    kept = drape.folder.parent / "full"
    kept.mkdir()
    room = len(drape.older) + len(drape.whole) // 2
    script = (
        f'mount -t tmpfs -o size={room} none "$1" && cp "$2" "$1/out.pc2" && shift 2 && '
        f'{{ "$@"; code=$?; cp -a "$0"/. "{kept}"; exit $code; }}'
    )
    shutil.copy(drape.output, drape.folder.parent / "older.pc2")
    words = [str(drape.folder), str(drape.folder), str(drape.folder.parent / "older.pc2")]
    stats = ("--stats", drape.folder / "stats.json")
    done = run(["unshare", "-rm", "sh", "-c", script, *words, *drape.words, *map(str, stats)])
    if "unshare" in done.stderr or "mount" in done.stderr:
        note("Not tried here: no disk in memory can be mounted. The tests limit sizes instead.")
        return ""
    for path in kept.iterdir():
        shutil.copy(path, drape.folder)
    if done.returncode != 1 or "failed: " not in done.stderr:
        return f"it ended with {done.returncode}: {done.stderr}"
    if drape.output.read_bytes() != drape.older:
        return "the older result is lost"
    return "" if (drape.folder / "out.unfinished.pc2").exists() else "the new frames are lost"


def removed_folder(drape):
    process = paused_while_writing(drape)
    if process is None:
        return "it never began"
    shutil.rmtree(drape.folder)
    process.send_signal(signal.SIGCONT)
    code = process.wait(LIMIT)
    if code or not drape.output.exists() or drape.output.read_bytes() != drape.whole:
        return "the new frames are lost"
    return ""


def paused_while_writing(drape):
    """The drape with its file begun and not finished; None if it is never found so."""
    limit = time.monotonic() + LIMIT
    while time.monotonic() < limit:
        process = subprocess.Popen(drape.words, stderr=subprocess.DEVNULL)
        while process.poll() is None and not list(drape.folder.glob(".*.part")):
            time.sleep(0.01)
        process.send_signal(signal.SIGSTOP)
        if list(drape.folder.glob(".*.part")):
            return process
        process.send_signal(signal.SIGCONT)  # it was quicker than that
        process.wait(LIMIT)
        drape.reset()
    return None


def read_only(drape):
    drape.output.chmod(stat.S_IRUSR)
    done = run(drape.words)
    drape.output.chmod(stat.S_IRUSR | stat.S_IWUSR)
    unchanged = drape.output.read_bytes() == drape.older
    return "" if done.returncode == 2 and unchanged else "it was replaced"


def two_at_once(drape):
    processes = [subprocess.Popen(drape.words, stderr=subprocess.DEVNULL) for _ in range(2)]
    codes = [process.wait(LIMIT) for process in processes]
    same = drape.output.read_bytes() == drape.whole
    return "" if codes == [0, 0] and same and os.listdir(drape.folder) == ["out.pc2"] else "both"
