# SPDX-License-Identifier: GPL-3.0-or-later
"""A small house that keeps all rules breaks each of them in turn: the lint names the file and the line."""

import contextlib
import io
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from small_house import FILES

from house import __main__ as program
from house import callers, floors, heads, imports, lengths, ways
from house.tree import Tree

ALL = (floors, imports, lengths, heads, callers, ways)


class HouseTest(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for path, text in FILES.items():
            self.write(path, text)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def plant(self, path, text):
        """Adds lines to a file; the number of the first."""
        file, is_c = self.root / path, path.endswith((".c", ".h"))
        before = file.read_text() if file.exists() else "/* New. */\n" if is_c else ""
        self.write(path, before + text + "\n")
        return before.count("\n") + 1

    def found(self):
        tree = Tree(self.root)
        return [finding for check in ALL for finding in check.check(tree)]

    def assert_found(self, path, line, words):
        """One finding, in this place, with these words."""
        found = self.found()
        self.assertEqual([(one.path, one.line) for one in found], [(path, line)], found)
        self.assertIn(words, found[0].text)

    def run_program(self, *arguments):
        said = io.StringIO()
        with mock.patch.object(sys, "argv", ["house", *arguments]):
            with contextlib.redirect_stdout(said):
                return program.main(), said.getvalue()


class Program(HouseTest):
    def test_small_house(self):
        self.assertEqual(self.found(), [])
        self.assertEqual(self.run_program(str(self.root)), (0, ""))

    def test_tells_the_places_in_order_and_fails(self):
        line = self.plant("native/mesh/mesh.c", '#include "cloth/cloth.h"')
        self.plant("native/base/status.c", '#include "cloth/cloth.h"')
        status, said = self.run_program(str(self.root))
        self.assertEqual(status, 1)
        self.assertRegex(said, r"^native/base/status.c:6: base must not include upward")
        self.assertRegex(said, rf"\nnative/mesh/mesh.c:{line}: mesh must not include upward")


class Floors(HouseTest):
    def check_include(self, path, name, words):
        self.assert_found(path, self.plant(path, f'#include "{name}"'), words)

    def test_upward(self):
        self.check_include("native/base/status.c", "mesh/mesh.h", "must not include upward")

    def test_upward_from_a_room_within(self):
        self.check_include("native/mesh/inner/room.c", "cloth/cloth.h", "must not include upward")

    def test_aside(self):
        self.check_include("native/linear/factor.c", "mesh/mesh.h", "to its own floor")

    def test_native_and_plugin(self):
        self.check_include("native/cloth/cloth.c", "muslin.h", "native must not hear of plugin")

    def test_past_the_doors(self):
        self.check_include("plugin/src/muslin.c", "mesh/mesh.h", "through native's doors")

    def test_folder_on_no_floor(self):
        self.plant("native/attic/box.c", "")
        self.assert_found("native/attic/box.c", 1, "native/attic is on no floor")

    def test_include_of_no_floor(self):
        self.check_include("native/cloth/cloth.c", "attic/box.h", "attic/box.h is on no floor")

    def test_circle(self):
        self.write("native/mesh/a.h", '/* A. */\n\n#include "mesh/b.h"\n')
        self.write("native/mesh/b.h", '/* B. */\n#include "a.h"\n')
        words = "native/mesh/a.h -> native/mesh/b.h -> native/mesh/a.h"
        self.assert_found("native/mesh/a.h", 3, words)

    def test_tests_may_include_anything_and_comments_include_nothing(self):
        self.plant("native/tests/test_mesh.c", '#include "linear/pcg.h"')
        self.plant("native/base/status.c", '/*\n#include "mesh/mesh.h"\n*/')
        self.assertEqual(self.found(), [])


class Imports(HouseTest):
    def check_import(self, path, text, words):
        self.assert_found(path, self.plant(path, text), words)

    def test_binding_and_blender(self):
        self.check_import("plugin/python/muslin/cloth.py", "import bpy", "must not hear of Blender")

    def test_binding_and_addon_inside_a_function(self):
        path, text = "plugin/python/muslin/cloth.py", "    import blender_addon.scene"
        self.check_import(path, text, "must not hear of Blender")

    def test_scenes_and_blender(self):
        self.check_import(
            "test_scenes/sheets.py", "from mathutils import Vector", "hear of Blender"
        )

    def test_binding_and_command(self):
        text = "from .command import drape"
        self.check_import("plugin/python/muslin/mesh.py", text, "on top of the binding")

    def test_upward_in_the_addon(self):
        path, text = "blender_addon/scene/arrays.py", "from ..simulation.worker import Worker"
        self.check_import(path, text, "scene must not import simulation")

    def test_upward_inside_a_function(self):
        self.plant("blender_addon/simulation/worker.py", "def draw():")
        path, text = "blender_addon/simulation/worker.py", "    from .. import panels"
        self.check_import(path, text, "simulation must not import panels")

    def test_ground_imports_no_feature(self):
        self.check_import("blender_addon/words.py", "from .bake import x", "must not import")

    def test_features_know_each_other_but_in_no_circle(self):
        self.plant("blender_addon/bake/plans.py", "from ..simulation import simulation")
        self.assertEqual(self.found(), [])
        self.plant("blender_addon/simulation/simulation.py", "from ..bake import plans")
        self.write("blender_addon/bake/bake_ui.py", "")
        words = "addon.bake.plans -> addon.simulation.simulation -> addon.bake.plans"
        self.assert_found("blender_addon/bake/plans.py", 1, words)

    def test_two_files_of_one_name(self):
        self.plant("blender_addon/bake/simulation.py", "import os")
        self.assert_found("blender_addon/simulation/simulation.py", 1, "has the name of")

    def test_absolute_name_of_the_binding(self):
        self.check_import("blender_addon/bake/x.py", "import muslin", "by relative names")

    def test_absolute_name_of_the_addon(self):
        path, text = "blender_addon/bake/x.py", "from blender_addon.scene import garment"
        self.check_import(path, text, "by relative names")

    def test_folder_without_a_place(self):
        path, text = "blender_addon/attic/x.py", "from ..scene import garment"
        self.check_import(path, text, "attic has no place")

    def test_circle(self):
        self.write("plugin/python/muslin/a.py", "import os\nfrom . import b\n")
        self.write("plugin/python/muslin/b.py", "def late():\n    from .a import x\n")
        self.assert_found("plugin/python/muslin/a.py", 2, "muslin.a -> muslin.b -> muslin.a")


class Lengths(HouseTest):
    def test_c_function(self):
        path, body = "native/tests/long.c", "    int a = 0;\n" * 58
        head = "static void\nlong_one(int a,\n         int b) {\n"
        self.write(path, f"/* Long. */\n\n{head}{body}}}\n")
        self.assert_found(path, 3, "long_one has 62 lines")
        self.write(path, f"/* Long. */\n\nstatic void long_one(void) {{\n{body}}}\n")
        self.assertEqual(self.found(), [])

    def test_python_function(self):
        path = "tools/benches/long.py"
        self.write(path, "class A:\n    def long_one(self):\n" + "        pass\n" * 60)
        self.assert_found(path, 2, "long_one has 61 lines")


class Heads(HouseTest):
    def test_missing(self):
        self.write("native/base/bare.h", "\n/* Late. */\n")
        self.assert_found("native/base/bare.h", 1, "no head comment")


class Callers(HouseTest):
    def test_nobody(self):
        """A comment or a sentence that names it is no call, nor is what declares it."""
        self.plant("native/mesh/mesh.h", "int mesh_torn(void);")
        line = self.plant("native/mesh/mesh.c", "int mesh_torn(void) {\n    return 1;\n}")
        self.assert_found("native/mesh/mesh.c", line, "nobody calls mesh_torn")

    def test_on_one_line_and_inline(self):
        line = self.plant("native/mesh/mesh.h", "static inline int mesh_torn(void) { return 1; }")
        self.assert_found("native/mesh/mesh.h", line, "nobody calls mesh_torn")

    def test_only_tests(self):
        line = self.plant("native/mesh/mesh.c", "int mesh_torn(void) { return 1; }")
        self.plant("native/tests/test_mesh.c", "int main(void) { return mesh_torn(); }")
        self.assert_found("native/mesh/mesh.c", line, "only tests call mesh_torn")
        with mock.patch.dict(callers.FOR_TESTS, {"mesh_torn": "a window"}):
            self.assertEqual(self.found(), [])
            self.plant("native/cloth/cloth.c", "static int is_torn(void) { return mesh_torn(); }")
            self.assert_found("native/mesh/mesh.c", line, "leaves FOR_TESTS")

    def test_only_its_own_file(self):
        line = self.plant("native/mesh/mesh.c", "int mesh_torn(void) { return 1; }")
        self.plant("native/mesh/mesh.c", "static int is_torn(void) { return mesh_torn(); }")
        self.assert_found("native/mesh/mesh.c", line, "make it static")
        self.plant("native/tests/test_mesh.c", "int main(void) { return mesh_torn(); }")
        self.assertEqual(self.found(), [])

    def test_in_a_table(self):
        self.plant("native/mesh/mesh.c", "int mesh_torn(void) { return 1; }")
        self.plant("native/cloth/cloth.c", "static const Kind kinds[] = {{mesh_torn, 1}};")
        self.assertEqual(self.found(), [])

    def test_public(self):
        """The list of functions in the binding calls none of them."""
        line = self.plant("plugin/src/muslin.c", "int muslin_cut(void) { return 1; }")
        self.plant("plugin/python/muslin/_abi.py", 'MORE = {"muslin_cut": ()}')
        self.assert_found("plugin/src/muslin.c", line, "nobody calls the public muslin_cut")
        self.write("plugin/tests/test_cut.py", 'call("muslin_cut")\n')
        self.assertEqual(self.found(), [])


class Ways(HouseTest):
    def test_second_include(self):
        line = self.plant("native/linear/ordering.c", "#include <cholmod.h>")
        words = "cholmod.h is included by native/linear/factor.c alone"
        self.assert_found("native/linear/ordering.c", line, words)

    def test_second_caller(self):
        text = "static long now(void) { return clock_gettime(0, 0); }"
        line = self.plant("native/mesh/mesh.c", text)
        self.assert_found("native/mesh/mesh.c", line, "native/base/machine.c alone")

    def test_message_without_a_code(self):
        text = 'static int a(int *s) {\n    return status_set(\n        s, STATUS_OK, "torn");\n}'
        line = self.plant("native/cloth/cloth.c", text)
        self.assert_found("native/cloth/cloth.c", line + 1, "a message with the code OK")

    def test_python_that_looks_into_the_current_folder(self):
        for path, text in (
            ("tools/muslin", 'exec "$python" -m muslin "$@"'),
            ("tools/lib.sh", "python3 -B -c 'import numpy'"),
            ("CMakeLists.txt", "add_test(NAME y COMMAND ${MUSLIN_PYTHON} -m unittest)"),
            ("tools/benches/run.py", 'subprocess.run([sys.executable, "-m", "muslin"])'),
        ):
            with self.subTest(path):
                before = (self.root / path).read_text() if (self.root / path).exists() else ""
                self.assert_found(path, self.plant(path, text), "look into the current folder")
                self.write(path, before)


if __name__ == "__main__":
    unittest.main()
