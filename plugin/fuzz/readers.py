"""Fuzzes the readers of files that are written in Python: mutated files are read, or refused by a MuslinError.

libFuzzer sees no Python, so this makes its own changes, from seeds: the same number gives the same file again.

    python readers.py [--reader NAME] [--first SEED] [--runs N] [--seconds S] [--keep FOLDER]

N is of each reader, S of all together, whichever comes first. Prints how many files each reader was given, and what
it raised that it must not; exit code 1 then.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import os
import random
import resource
import struct
import sys
import tempfile
import time
import traceback
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[0] / "python")]

from muslin import Cloth, Mesh, MuslinError, fabric_file, obj, pc2, recording, table  # noqa: E402
from muslin.farm import job  # noqa: E402
from muslin.farm.tasks import tasks_of  # noqa: E402
from muslin.recording import blocks, container, replay  # noqa: E402
from muslin.recording.signatures import SIGNATURES  # noqa: E402

from mutate import mutated  # noqa: E402

SLOW_SECONDS = 10  # for a file of a few thousand bytes on a busy machine
MOST_MEMORY = 4 << 30  # bytes: what asks for more is a finding, not the machine's end
REFUSALS = (MuslinError, blocks.BlockError)


class Format:
    """suffix: of its files. words: that its texts have."""

    suffix, words = "", ()

    def seeds(self):
        """Files that are right, from which mutation starts."""
        folder = HERE / "corpus" / type(self).__name__.lower()
        return [path.read_bytes() for path in sorted(folder.iterdir())]

    def change(self, dice, data, seeds):
        return mutated(dice, data, seeds, self.words)


class Obj(Format):
    suffix = ".obj"
    words = (
        b"\nv ",
        b"\nf ",
        b"\nvt ",
        b"\nl ",
        b"\nfo ",
        b"\no ",
        b"\nusemtl ",
        b" 1/1",
        b" -1//2",
    )

    def read(self, path):
        mesh = obj.read_obj(path)
        assert mesh.face_vertices.size == 0 or mesh.face_vertices.max() < mesh.vertex_count


class Pc2(Format):
    suffix = ".pc2"

    def seeds(self):
        frames = struct.pack("<18f", *range(18))
        return [pc2.HEADER.pack(pc2.MAGIC, pc2.VERSION, 3, 1.0, 1.0, 2) + frames]

    def change(self, dice, data, seeds):
        """Every other one keeps the mark, behind which all else stands."""
        changed = super().change(dice, data, seeds)
        return pc2.MAGIC + changed[len(pc2.MAGIC) :] if dice.random() < 0.5 else changed

    def read(self, path):
        cache = pc2.read_pc2(path)
        if len(cache.positions):
            cache.positions[0], cache.positions[-1], cache.positions[0:2]


class Fabric(Format):
    suffix = ".json"
    words = tuple(
        f'"{name}": '.encode() for name in ("material", "contact", "model", "number", "stretching")
    ) + tuple(
        f'"{setting.name}": 1, '.encode() for setting in table.TABLE.structs["Material"].settings
    )

    def read(self, path):
        fabric_file.read_fabric(path)


class Job(Format):
    suffix = ".json"
    words = tuple(
        f'"{name}": '.encode()
        for name in (
            "garments",
            "shots",
            "variations",
            "leave_out",
            "settings",
            "mesh",
            "bodies",
            "motion",
            "blend",
        )
    )

    def read(self, path):
        tasks_of(job.read_job(path))


class Record(Format):
    suffix = ".muslin"

    def seeds(self):
        """Calls of every kind of argument."""
        data = container.header_bytes("0")
        for number, name in enumerate(SIGNATURES):
            signature = SIGNATURES[name]
            data += container.call_bytes(0, number, plain_arguments(signature))
            reported = sum(one.compared for one in signature.arguments)
            digests = [b"\0" * blocks.DIGEST_BYTES] * reported
            data += container.outcome_bytes(number + 1, 0, 0, digests)
        return [data, small_recording()]

    def change(self, dice, data, seeds):
        """Checksums hide what is behind them from plain changes: mostly one record changes, and is summed anew."""
        if dice.random() < 0.2:
            return mutated(dice, data, seeds)
        found = records_of(data)
        place = dice.randrange(len(found))
        kind, contents, size = found[place]
        if kind == container.CALL and dice.random() < 0.8:
            head = contents[: container.CALL_HEAD.size]
            raw = mutated(dice, zlib.decompress(contents[len(head) :]), seeds)
            contents, size = head + zlib.compress(raw), len(raw)
        else:
            contents = mutated(dice, contents, seeds)
            size = len(contents)
        found[place] = kind, contents, size if dice.random() < 0.95 else dice.randrange(1 << 32)
        kept = found[: dice.choice((1, place + 1, place + 2, len(found)))]
        return container.MARK + b"".join(container.record_bytes(*record) for record in kept)

    def read(self, path):
        with container.Recording(path) as read:
            for call in read.calls():
                try:
                    replay.describe(call)
                    blocks.check_arrays(call.signature, call.blocks(), 4)
                except blocks.BlockError:
                    continue  # the call is refused, and the next may be read


def small_recording():
    """Of a cloth of three vertices: arrays, structs and what came out."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.muslin"
        recording.start(path)
        try:
            with Cloth(Mesh.from_faces([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])) as cloth:
                cloth.set_pins([0], [1.0], [[0, 0, 1]])
                cloth.step(0.01)
                cloth.restore(cloth.snapshot())
                cloth.positions()
        finally:
            recording.stop()
        return path.read_bytes()


def plain_arguments(signature):
    """Bytes for the arguments of a call: null for every pointer, zero for every number."""
    return blocks.pack(
        signature, [None if one.pointed else bytes(one.kind()) for one in signature.arguments]
    )


def records_of(data):
    at, found = len(container.MARK), []
    while at < len(data):
        kind, length, size, _, _ = container.HEAD.unpack_from(data, at)
        at += container.HEAD.size
        found.append((kind, data[at : at + length], size))
        at += length
    return found


FORMATS = {kind.__name__.lower(): kind for kind in (Obj, Pc2, Fabric, Job, Record)}


class Fuzzer:
    """Feeds one reader. findings: (seed, bytes, what went wrong)."""

    def __init__(self, name, folder):
        self.name = name
        self.format = FORMATS[name]()
        self.inputs = self.format.seeds()
        self.path = str(Path(folder) / f"fuzzed{self.format.suffix}")
        self.runs = self.accepted = 0
        self.findings = []

    def data_of(self, seed):
        dice = random.Random(seed)
        return self.format.change(dice, dice.choice(self.inputs), self.inputs)

    def run(self, seed):
        self.give(self.data_of(seed), seed)

    def give(self, data, seed=None):
        with open(self.path, "wb") as file:
            file.write(data)
        began, problem = time.perf_counter(), ""
        try:
            self.format.read(self.path)
            self.accepted += 1
        except REFUSALS as error:
            problem = "" if str(error).strip() else "a refusal without a word"
        except BaseException:
            problem = traceback.format_exc()
            if isinstance(sys.exc_info()[1], KeyboardInterrupt):
                raise
        taken = time.perf_counter() - began
        self.runs += 1
        if problem or taken > SLOW_SECONDS:
            self.findings.append((seed, data, problem or f"took {taken:.1f} s"))


def address_space():
    """Bytes that this process has reserved: terabytes with a sanitizer."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


def fuzz(names, first, runs, seconds=None, stop_at=10):
    """The Fuzzers of these readers, after so many seeds each."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (address_space() + MOST_MEMORY, before[1]))
    until = time.monotonic() + seconds if seconds else float("inf")
    room = "/dev/shm" if os.path.isdir("/dev/shm") else None
    try:
        with tempfile.TemporaryDirectory(dir=room) as folder:
            Path(folder, "sheet.obj").write_bytes(b"v 0 0 0\n")  # what the job's files name
            fuzzers = [Fuzzer(name, folder) for name in names]
            for seed in range(first, first + runs):
                if time.monotonic() > until or any(len(one.findings) >= stop_at for one in fuzzers):
                    break
                for one in fuzzers:
                    one.run(seed)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    return fuzzers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reader", choices=FORMATS, action="append")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--runs", type=int, default=1 << 60, metavar="N")
    parser.add_argument("--seconds", type=float, metavar="S")
    parser.add_argument("--keep", metavar="FOLDER", help="where files that are findings are put")
    options = parser.parse_args()
    fuzzers = fuzz(options.reader or list(FORMATS), options.first, options.runs, options.seconds)
    for one in fuzzers:
        print(f"{one.name}: {one.runs} files, {one.accepted} read, {len(one.findings)} findings")
        for seed, data, problem in one.findings:
            print(f"  seed {seed}, {len(data)} bytes: {problem}")
            if options.keep:
                Path(options.keep).mkdir(parents=True, exist_ok=True)
                Path(options.keep, f"{one.name}-{seed}{one.format.suffix}").write_bytes(data)
    return 1 if any(one.findings for one in fuzzers) else 0


if __name__ == "__main__":
    sys.exit(main())
