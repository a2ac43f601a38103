"""Recordings for tests, the command line in this process, and files forged record by record.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import io
import json
import struct
import tempfile
import unittest
import zlib
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from body_meshes import STEP, ball, moved, sheet
from muslin import Cloth, MuslinError, check_mesh, find_symmetry, links, recording
from muslin.command import main
from muslin.recording import container
from muslin.sewing.plackets import open_fronts

BALL = (0, 0, -0.09)  # m; just under the sheet


def play(threads=2, **settings):
    """One of everything that a caller does, errors among it."""
    mesh, pins = sheet(8), [0, 7]
    for look in (check_mesh, find_symmetry, open_fronts):
        look(mesh)
    with Cloth(mesh, threads=threads, **settings) as cloth:
        cloth.set_pins(pins)
        cloth.set_self_contact(True)
        body_mesh = ball(middle=BALL)
        body = cloth.add_body(body_mesh, friction=0.5)
        for frame in range(3):
            cloth.move_pins(mesh.positions[pins] + (0.01 * frame, 0, 0))
            body.move(moved(body_mesh, (0, 0, 0.01 * frame)))
            cloth.step(STEP)
            cloth.positions()
            cloth.stats()
            cloth.fit()
            cloth.tensions()
            cloth.inspect()
            cloth.put_outside(cloth.positions() - (0, 0, 0.01))
        cloth.set_material(density=0.3, bend=1e-4)
        cloth.set_forces(wind=(1, 0, 0))
        cloth.set_fields(traction=[[0, 0, 0.1]] * mesh.vertex_count)
        cloth.set_maps(mass=[1.5] * mesh.vertex_count, size=[0.95] * mesh.vertex_count)
        refused(cloth.set_material, density=-1)
        refused(cloth.move_pins, [[0, 0, 0]])
        snapshot = cloth.snapshot()
        cloth.step(STEP)
        cloth.restore(snapshot)
        refused(cloth.restore, b"no snapshot")
        body.replace(ball(radius=0.08, middle=BALL))
        body.set_surface(friction=0.1)
        cloth.step(STEP)
        body.remove()
        cloth.set_links([links.elastic([[0, 1]], 0.9)])
        tacked = cloth.tack([0], [1], length=None)
        cloth.step(STEP)
        cloth.link_report()
        cloth.release(tacked)
        cloth.hold(tacked)
        cloth.set_state(*cloth.state())
        cloth.set_quality("final")
        cloth.step(STEP)
        cloth.report()
        cloth.solve(mesh.positions)
        cloth.eigenvalues()
        cloth.progress()
        cloth.positions()
    refused(cloth.positions)
    parts = {"parts": [0] * mesh.vertex_count, "materials": [{"density": 0.2}]}
    with Cloth(mesh, threads=threads, **parts, **settings) as cloth:
        cloth.set_material(part=0, bend=1e-4)
        cloth.step(STEP)
        cloth.positions()
    with Cloth(sheet(30), threads=threads, budget_ms=1, **settings) as cloth:
        cloth.hold_level(1)
        cloth.step(STEP)
        cloth.refine(STEP)
        cloth.settle()
        cloth.positions()


def refused(call, *arguments, **settings):
    try:
        call(*arguments, **settings)
    except MuslinError:
        return
    raise AssertionError("this call was to be refused")


class RecordingTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(recording.stop)
        self.folder = Path(folder.name)
        self.file = self.folder / "calls.muslin"

    def record(self, **settings):
        """The file with the calls of play()."""
        recording.start(self.file)
        play(**settings)
        recording.stop()
        self.assertEqual(recording.problem(), "")
        return self.file

    def command(self, *arguments, code=0):
        """What a command prints, and what it complains about."""
        said, complained = io.StringIO(), io.StringIO()
        with redirect_stdout(said), redirect_stderr(complained):
            found = main([str(argument) for argument in arguments])
        self.assertEqual(found, code, said.getvalue() + complained.getvalue())
        return said.getvalue(), complained.getvalue()

    def replay(self, *options, code=0):
        return self.command("replay", self.file, *options, code=code)

    def assert_same(self, *options):
        """Replays to the same bytes, and compares something; how many calls were made."""
        said, complained = self.replay(*options)
        self.assertRegex(said, r"(?m)^\d+ calls, [1-9]\d* outputs, all the same bytes$")
        self.assertEqual(complained, "")
        return int(said.splitlines()[-1].split()[0])


# Files by hand: a forger knows the checksums, too.


def records(data):
    """Kind, contents and size when unpacked of every record of a file."""
    at, found = len(container.MARK), []
    while at < len(data):
        kind, length, size, _, _ = container.HEAD.unpack_from(data, at)
        at += container.HEAD.size
        found.append((kind, data[at : at + length], size))
        at += length
    return found


def file_of(found):
    return container.MARK + b"".join(container.record_bytes(*record) for record in found)


def with_header(data, **changes):
    """The file with other entries in its header."""
    (_, contents, _), *rest = records(data)
    contents = json.dumps({**json.loads(contents), **changes}).encode()
    return file_of([(container.HEADER, contents, len(contents)), *rest])


def with_arguments(data, name, change):
    """The file with change(arguments), a bytearray, for the first call of a function."""
    found = records(data)
    functions = [entry[0] for entry in json.loads(found[0][1])["functions"]]
    for place, (kind, contents, size) in enumerate(found):
        if kind == container.CALL:
            thread, function = container.CALL_HEAD.unpack_from(contents)
            if functions[function] == name:
                raw = bytearray(zlib.decompress(contents[container.CALL_HEAD.size :]))
                change(raw)
                head = struct.pack("<IH", thread, function)
                found[place] = (kind, head + zlib.compress(bytes(raw)), len(raw))
                return file_of(found)
    raise AssertionError(f"there is no call of {name}")
