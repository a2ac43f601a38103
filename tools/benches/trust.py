# SPDX-License-Identifier: GPL-3.0-or-later
"""How far Muslin can be trusted: failing memory, broken files and meshes, kills, and long lives in Blender."""

import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path

from blender_cases.session import TOOLS, UNAVAILABLE, VERSIONS, call, folder_of, open_sessions
from common.bench import Bench, heading, note, print_table
from muslin import FileError, read_pc2
from muslin.command import child
from reach import caches, make_job
from test_scenes import garbage as spoil
from test_scenes import sheets
from test_scenes.contact import figures, mirrored, real
from test_scenes.garbage_trial import trial
from test_scenes.objfile import read_obj, write_obj

QUICK_HELP = "few executions, kills and steps; the same figures of shorter runs"
FIGURES = """
coverage | >= 0.97 | lines of native and plugin/src that tests run
oom_tried | all | allocations that were made to fail
oom_wrong | 0 | of these, with a wrong result, a leak or no status
fuzz_readers | >= 1e7 | executions of fuzzed files without a finding
fuzz_abi | >= 1e5 | executions of fuzzed calls without a finding
garbage_failed | 0 | defective real meshes, of 300, that were not survived
garbage_longest_seconds | - | the longest frame, or check, of theirs, s
kills_tried | >= 50 | kills during a bake, on the command line and in Blender
kills_lost | 0 | of these, with a finished frame or an older result lost
disks_lost | 0 | of four ways in which disks fail, those by which something was lost
soak_steps | >= 2000 | random steps in Blender's window that ended well, the worst of three
"""


def json_report_of(command, path):
    """What a tool writes as JSON to a file; fails with what it said."""
    path.unlink(missing_ok=True)
    status, said = call(command)
    if not path.exists():
        if status == UNAVAILABLE:
            return None
        raise RuntimeError(f"{command[0]} came to nothing:\n{said[-2000:]}")
    return json.loads(path.read_text(encoding="utf-8"))


def coverage(results, quick):
    """By a coverage build of its own."""
    heading("Lines that tests run")
    note("All tests without Blender; quick: the short ones, which tell little.")
    chosen = ["-L", "short"] if quick else ["-E", "^lint"]
    command = [TOOLS / "test", "--kind", "coverage", *chosen]
    found = json_report_of(command, TOOLS.parent / "build-coverage" / "coverage.json")
    results.number("coverage", found["coverage"])


# Executions of each target: those of all readers are ten million. Snapshots are read in C, and stepped from under
# sanitizers: a hundred a second. The other readers are written in Python and take some thousand files a second.
PYTHON = ("obj", "pc2", "fabric", "job", "record")
FUZZED = {"abi": 100_000, "snapshot": 50_000, **dict.fromkeys(PYTHON, 2_000_000)}
QUICK_FUZZED = {"abi": 500, "snapshot": 1_000, **dict.fromkeys(PYTHON, 2_000)}


def fuzz(results, quick):
    """How many fuzzed files and orders of calls are taken or refused as promised, by tools/fuzz."""
    heading("Fuzzing")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, count in (QUICK_FUZZED if quick else FUZZED).items():
            path = Path(folder) / f"{name}.json"
            options = ["--seconds", "0", "--runs", str(count), "--json", path]
            rows.append(
                {"target": name, **json_report_of([TOOLS / "fuzz", *options, name], path)[name]}
            )
    results.table("fuzz", rows, "target executions findings")
    for key, mine in (("fuzz_abi", rows[:1]), ("fuzz_readers", rows[1:])):
        broken = any(row["findings"] for row in mine)
        results.number(key, 0 if broken else sum(row["executions"] for row in mine))


COUNTS = re.compile(r"(\w+): (\d+) tried, (\d+) wrong")


def memory(results, quick):
    """Every allocation of lists of calls fails, alone and with all that follow, by build/tests/test_memory."""
    heading("Memory that cannot be had")
    note("The whole scene anew for each; quick: most of them on one cloth, which has to go on.")
    program = Path(os.environ["MUSLIN_BENCH_PROGRAMS"]).parent / "tests" / "test_memory"
    command = [program] if quick else [program, "--full"]
    reported = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout
    found = [COUNTS.fullmatch(line) for line in reported.splitlines()]
    rows = [{"scene": f[1], "tried": int(f[2]), "wrong": int(f[3])} for f in found if f]
    if not rows or rows[-1]["scene"] != "all":
        raise RuntimeError("test_memory came to no end:\n" + reported[-2000:])
    results.table("memory", rows, oom_tried=rows[-1]["tried"], oom_wrong=rows[-1]["wrong"])


SAID = re.compile(r"Muslin's kills: (\d+), lost: (\d+)")


def kills_blender(results, quick):
    """It adds to the figures of the command line's kills."""
    heading("Kills during a bake in Blender that is to replace an older one")
    sessions, rows = open_sessions(), []
    test = TOOLS.parent / "blender_addon" / "tests" / "test_kills.py"
    for session in sessions:
        count = -(-(3 if quick else 25) // len(sessions))  # of all Blenders together
        command = [TOOLS / "blender_support" / "test_in_blender", session.version, test]
        _, said = call(command, MUSLIN_BLENDER_HOME=session.home, MUSLIN_KILLS=count)
        found = SAID.search(said)
        if found is None:
            raise RuntimeError(f"the kills failed in Blender {session.version}:\n{said}")
        rows.append({"version": session.version, "kills": int(found[1]), "lost": int(found[2])})
    results.table("kills_blender", rows)
    if rows:
        results.add("kills_tried", sum(row["kills"] for row in rows))
        results.add("kills_lost", sum(row["lost"] for row in rows))


def soak(results, quick):
    """Lives of random steps in the windows of the Blenders: see tools/soak."""
    heading("Random steps of one seed in Blender's window")
    note("Memory (MB) and open files: after the first and last hundred, when all is discarded.")
    rows = []
    for version in VERSIONS:
        report = folder_of(f"soak_{version}.json")
        steps = ["--steps", "120" if quick else "2000", "--seed", "3", "--json", report]
        found = json_report_of([TOOLS / "soak", version, *steps], report)
        if found is None:
            note(f"Skipped: Blender {version}, which tools/blenders prepare fetches.")
            continue
        row = {"version": version, "steps": len(found["steps"]) - (not found["passed"])}
        footprints = found.get("footprints") or [(0.0, 0)]
        for when, (size, files) in (("first", footprints[0]), ("last", footprints[-1])):
            row |= {f"memory_{when}": size, f"files_{when}": files}
        what = found.get("error", "").strip().splitlines()
        rows.append({**row, "ended_by": what[-1][:60] if what else ""})
    results.table("soak", rows)
    if rows:
        results.number("soak_steps", min(row["steps"] for row in rows))


# --- real garments with something wrong, 300 of them by seeds --------------------------------------
#
# Each in a process of its own, with a limit of time and memory that nothing should ever meet: the library ends by itself.

CASES, QUICK_CASES = 300, 29
GARMENTS = ("tshirt_sym", "longsleeve", "jacket_open_sym", "trousers", "skirt_sym", "overalls")
GARMENTS += ("bodysuit_sym", "tshirt", "jacket_open")
OWN = {"own_tshirt": lambda: figures.tshirt(0.03), "own_jacket": lambda: mirrored.jacket(0.04)}
# What a case may take on two busy cores, s, and have, bytes: far beyond what the library asks for.
LIMIT_SECONDS = 240
LIMIT_BYTES = 12 << 30


@lru_cache(maxsize=None)
def worn(name):
    """A garment and its body, of the folder beside the checkout or our own."""
    if name in OWN:
        scene = OWN[name]()
        body = scene.bodies[0]
        return scene.cloth, spoil.Mesh(body.positions(0), body.faces)
    return read_obj(real.FOLDER / f"{name}.obj", uvs=True), read_obj(real.FOLDER / "body.obj")


def garment_names():
    there = [name for name in GARMENTS if (real.FOLDER / f"{name}.obj").is_file()]
    return [*there, *OWN] if there and (real.FOLDER / "body.obj").is_file() else list(OWN)


def cases(count):
    """Name of garment, defect, seed: every defect as often, on ever other garments."""
    names, defects = garment_names(), list(spoil.DEFECTS)
    return [
        (names[(k + k // len(defects)) % len(names)], defects[k % len(defects)], k)
        for k in range(count)
    ]


def try_garbage(name, defect, seed):
    """Outcomes as dictionaries; None where the process did not live to tell."""
    fork = multiprocessing.get_context("fork")
    receiver, sender = fork.Pipe(duplex=False)
    process = fork.Process(target=_in_child, args=(sender, name, defect, seed))
    process.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(LIMIT_SECONDS) else None
    except EOFError:
        return None
    finally:
        process.kill()
        process.join()


def _in_child(sender, name, defect, seed):
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    sender.send([asdict(outcome) for outcome in trial(spoil.spoiled(*worn(name), defect, seed))])


def garbage(results, quick):
    heading("Garbage")
    count = QUICK_CASES if quick else CASES
    note(f"{count} cases on {', '.join(garment_names())}; every one checked, draped and mirrored.")
    seen, failed, longest = Counter(), [], 0.0
    for name, defect, seed in cases(count):
        outcomes = try_garbage(name, defect, seed)
        wrong = ["did not live to tell"] if outcomes is None else []
        for each in outcomes or ():
            seen["refused" if each["refusal"] else "went through"] += 1
            longest = max(longest, each["frame"])
            wrong += [f"{each['way']}: {each['fault']}"] if each["fault"] else []
        case = f"{defect} on {name}, seed {seed}"
        failed += [{"case": case, "what_is_wrong": text} for text in wrong[:1]]
        results.row("garbage", case=case, failed=bool(wrong), outcomes=outcomes)
    print_table(failed)
    note(f"Ways through the library: {dict(seen)}. The longest frame, or check: {longest:.1f} s.")
    results.figures(garbage_failed=len(failed), garbage_longest_seconds=longest)


# --- the command line killed at random moments, and on disks that fail -----------------------------
#
# What was there before stays, what is finished can be read, and the same command once more gives the bytes of a run that
# nobody disturbed.

FRAMES, SIDE = 40, 20  # vertices along a side
HEADER = 32  # bytes of a PC2 file
SEED = 25
LIMIT = 120  # s that any run may take


def kills(results, quick):
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
    seconds, wanted = time.monotonic() - begin, caches(job)
    lost = running = 0
    for _ in range(count):
        for place in (job.parent / "caches", job.parent / "job.batch"):
            shutil.rmtree(place)
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        running += killed(process, chance.uniform(0, seconds))
        found = caches(job)
        bad = not found.items() <= wanted.items()
        bad |= run(words).returncode != 0 or caches(job) != wanted
        lost += bad
    return lost, running


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


PARTS = {"coverage": coverage, "fuzz": fuzz, "garbage": garbage, "kills": kills}
PARTS |= {"kills_blender": kills_blender, "memory": memory, "soak": soak}
BENCH = Bench("trust", __doc__, QUICK_HELP, PARTS, FIGURES)
