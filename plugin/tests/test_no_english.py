"""The library's sentences are for people: no code of the add-on, the command or the binding looks into them.

What is done is chosen by codes and numbers (muslin.calls), so that the words may change. Looked for is everything
that finds words in a message, a warning, a cause or an error's text; the second half of the tests runs with every
letter of every message exchanged for another.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ast
import codecs
import io
import tempfile
import unittest
from contextlib import redirect_stderr
from pathlib import Path
from unittest import mock

import numpy as np

import mirror_meshes as meshes
from body_meshes import ball
from muslin import Cloth, DetailCode, MuslinError, Outcome, calls, command, write_obj
from muslin.calls import Detail, Message

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("blender_addon", "plugin/python/muslin")
PARSERS = ("obj.py", "values.py")  # whose text is a file, or an option of the command

SAYING = {"message", "warnings", "cause", "sentences"}  # attributes that are text, or lists of it
FINDING = {"startswith", "endswith", "find", "rfind", "index", "partition", "rpartition", "split"}
FINDING |= {"rsplit", "splitlines", "replace", "removeprefix", "removesuffix", "count"}
MATCHING = {"search", "match", "fullmatch", "findall", "finditer", "sub", "subn"}


class Reader(ast.NodeVisitor):
    """Collects the lines of one file in which words are looked for in what the library says."""

    def __init__(self):
        self.names = {"message", "warning", "warnings", "sentence", "text"}  # that hold such text
        self.attributes = set(SAYING)
        self.errors = set()
        self.lines = []

    def is_text(self, node):
        if isinstance(node, ast.Name):
            return node.id in self.names
        if isinstance(node, ast.Attribute):
            return node.attr in self.attributes
        if isinstance(node, ast.Subscript):
            return self.is_text(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return node.func.id in ("message", "str") and self.tells(node)
        return False

    def tells(self, node):
        """Whether anything in an expression is such text, or the error whose text str() would give."""
        inner = [each for each in ast.walk(node) if each is not node]
        errors = any(isinstance(each, ast.Name) and each.id in self.errors for each in inner)
        return errors or any(self.is_text(each) for each in inner)

    def bind(self, target, value):
        if self.is_text(value) or isinstance(value, (ast.Call, ast.List, ast.ListComp)):
            if self.is_text(value) or self.tells(value):
                self.note(target)

    def note(self, target):
        """What is assigned to holds such text from now on; not the object that an attribute is of."""
        if isinstance(target, ast.Attribute):
            self.attributes.add(target.attr)
        elif isinstance(target, ast.Name):
            self.names.add(target.id)
        else:
            for each in ast.iter_child_nodes(target):
                self.note(each)

    def visit_ExceptHandler(self, node):
        if node.name:
            self.errors.add(node.name)
        self.generic_visit(node)

    def visit_FunctionDef(self, node):
        before = set(self.names), set(self.errors)
        given = [argument.arg for argument in node.args.args]
        self.errors |= {name for name in given if name == "error"}
        self.generic_visit(node)
        self.names, self.errors = before

    def visit_Assign(self, node):
        for target in node.targets:
            self.bind(target, node.value)
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        self.bind(node.target, node.value)
        self.generic_visit(node)

    def visit_For(self, node):
        self.bind(node.target, node.iter)
        self.generic_visit(node)

    def visit_comprehension(self, node):
        self.bind(node.target, node.iter)
        self.generic_visit(node)

    def visit_ListComp(self, node):
        for generator in node.generators:
            self.visit(generator)
        self.generic_visit(node)

    visit_GeneratorExp = visit_SetComp = visit_DictComp = visit_ListComp

    def visit_Compare(self, node):
        inside = any(isinstance(each, (ast.In, ast.NotIn)) for each in node.ops)
        lists = [each for each in node.comparators if isinstance(each, ast.Attribute)]
        if inside and any(self.is_text(each) for each in node.comparators if each not in lists):
            self.lines.append(node.lineno)
        if inside and any(each.attr in ("message", "cause") for each in lists):
            self.lines.append(node.lineno)
        self.generic_visit(node)

    def visit_Call(self, node):
        if isinstance(node.func, ast.Attribute):
            finds = node.func.attr in FINDING and self.is_text(node.func.value)
            finds = finds and not is_mending(node)
            matches = node.func.attr in MATCHING and any(self.is_text(each) for each in node.args)
            if finds or matches:
                self.lines.append(node.lineno)
        self.generic_visit(node)


def is_mending(call):
    """Of spaces or signs, whatever the words are."""
    if not call.args:
        return call.func.attr != "splitlines"
    value = getattr(call.args[0], "value", None)
    signs = isinstance(value, str) and not any(letter.isalpha() for letter in value)
    return call.func.attr == "replace" and signs


def looked_for(source):
    reader = Reader()
    reader.visit(ast.parse(source))
    return reader.lines


class SourceTest(unittest.TestCase):
    def test_nothing_looks_for_words(self):
        files = [path for place in PLACES for path in (ROOT / place).rglob("*.py")]
        files = [path for path in files if "tests" not in path.parts and path.name not in PARSERS]
        self.assertGreater(len(files), 60)
        for path in files:
            with self.subTest(path.relative_to(ROOT)):
                self.assertEqual(looked_for(path.read_text()), [])

    def test_what_would_be_found(self):
        """As it was written before, and in other ways."""
        for source in (
            'any("is not its own" in text for text in cloth.warnings)',
            "fell = [text.partition(BACK)[2] for text in cloth.warnings if text]",
            'for text in cloth.warnings:\n    for part in text.split("; "):\n        tell(part)',
            'news = cloth.warnings[1:]\nfor text in news:\n    if "whole" in text:\n        stop()',
            'try:\n    go()\nexcept MuslinError as error:\n    if "vertex" in str(error): stop()',
            'def of(error):\n    text = str(error)\n    return re.findall("vertex", text)',
            'def of(error):\n    return error.message.replace("exact", "")',
            'if "memory" in error.message: stop()',
            "BODY.sub(name, message(handle))",
            'if detail.cause.startswith("the wind"): stop()',
        ):
            with self.subTest(source):
                self.assertNotEqual(looked_for(source), [])


def exchanged(text):
    return codecs.encode(text, "rot13")


def unreadable(handle=0, real=calls.message):
    """A message with other letters; the codes and numbers stay."""
    reported = real(handle)
    other = Message(exchanged(reported))
    other.details = tuple(map(unreadable_detail, reported.details))
    return other


def unreadable_detail(detail):
    other = Detail(exchanged(detail))
    other.__dict__.update(detail.__dict__, cause=exchanged(detail.cause))
    return other


def beside():
    """A ball on the other side of the plane."""
    mesh = ball()
    mesh.positions[:] -= np.float32([0.5, 0, 0])
    return mesh


class ExchangedTest(unittest.TestCase):
    """Nothing that is decided changes when the library speaks another language."""

    def setUp(self):
        for place in ("muslin.calls.message", "muslin.cloth.message"):
            patch = mock.patch(place, unreadable)
            patch.start()
            self.addCleanup(patch.stop)

    def test_binding(self):
        with Cloth(meshes.roof(), mirror="auto") as cloth:
            cloth.add_body(beside())
            cloth.set_pins([0])
            codes = [(detail.code, detail.outcome) for detail in cloth.details]
        wanted = [
            (DetailCode.BODY_ASYMMETRIC, Outcome.KEPT_SIDE_MET),
            (DetailCode.PINS_ASYMMETRIC, Outcome.SOLVED_WHOLE),
        ]
        self.assertEqual(codes, wanted)
        with self.assertRaises(MuslinError) as caught, Cloth(meshes.roof()) as cloth:
            cloth.set_pins([3, 3])
        self.assertEqual(str(caught.exception), "iregrk 3 vf cvaarq gjvpr")
        self.assertEqual(caught.exception.details[0].vertex, 3)

    def test_command(self):
        """Each remark has its line, with the file of the body that it is about."""
        with tempfile.TemporaryDirectory() as folder:
            garment, body = Path(folder) / "roof.obj", Path(folder) / "body.obj"
            mesh, other = meshes.roof(), beside()
            write_obj(garment, mesh.positions, mesh.faces())
            faces = [*other.faces(), [0, 1, 1], [2, 2, 3]]
            write_obj(body, other.positions, faces)
            output = Path(folder) / "out.pc2"
            reported = io.StringIO()
            arguments = ["drape", "--garment", garment, "--body", body, "-o", output]
            arguments += ["--frames", 2, "--mirror", "auto", "--wind", "1,0,0"]
            with redirect_stderr(reported):
                self.assertEqual(command.main([str(each) for each in arguments]), 0)
        lines = reported.getvalue().splitlines()
        self.assertEqual(sum(str(body) in line for line in lines), 2, lines)
        self.assertEqual(sum("zveebe cynar" in line for line in lines), 2, lines)


if __name__ == "__main__":
    unittest.main()
