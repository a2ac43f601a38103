"""What happens when the table of settings grows: new numbers reach every floor, and old callers are understood.

A copy of the table gets a number at the end of each definition, and the library's own reader is compiled with what
the generator makes of it; the caller is compiled with the header as it is now.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "plugin"
GENERATOR = PLUGIN / "settings" / "generate.py"
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
NUMBER = {"type": "float", "least": 0, "unit": "N", "help": "new", "since": 99}
NEW = {
    "Material": {"name": "tack", "default": 7.5},
    "Forces": {"name": "rain", "default": 0.25},
    "ClothDef": {"name": "luck", "default": 3},
    "Body": {"name": "dust", "default": 0.5},
    "Mesh": {"name": "glue", "default": 0.125},
}

# The caller of the header as it is: writes its definitions into a file.
CALLER = """
#include <stdio.h>
#include "muslin.h"
int main(void) {
    MuslinClothDef def = {.size = sizeof def, .solver = 1, .threads = 2, .mirror = 3, .precision = 2};
    MuslinMaterial material = {.size = sizeof material, .density = 0.5f, .pin_stiffness = 11};
    MuslinForces forces = {.size = sizeof forces, .gravity = {1, 2, 3}, .tangent_drag = 4};
    MuslinBody body = {.size = sizeof body, .face_count = 8, .friction = 0.75f};
    MuslinMesh mesh = {.size = sizeof mesh, .edge_count = 9};
    return fwrite(&def, sizeof def, 1, stdout) + fwrite(&material, sizeof material, 1, stdout)
        + fwrite(&forces, sizeof forces, 1, stdout) + fwrite(&body, sizeof body, 1, stdout)
        + fwrite(&mesh, sizeof mesh, 1, stdout) != 5;
}
"""

# The newer library: reads them, and tells what it took them for.
LIBRARY = """
#include <stdio.h>
#include "settings.h"
static int tell(StatusCode code, const Status *status) {
    if (code != STATUS_OK) {
        printf("%s", status->message);
    }
    return code;
}
int main(int count, char **paths) {
    static char bytes[4096];
    FILE *file = fopen(paths[count - 1], "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    Status status = {0};
    MuslinClothDef def;
    MuslinMaterial given;
    MuslinForces forces;
    MuslinBody body;
    MuslinMesh mesh;
    const struct {
        const StructTable *table;
        void *to;
    } reads[] = {{&settings_cloth_def, &def}, {&settings_material, &given}, {&settings_forces, &forces},
                 {&settings_body, &body}, {&settings_mesh, &mesh}};
    const char *at = bytes;
    for (int i = 0; i < 5; ++i) {
        if (tell(settings_read(reads[i].table, at, reads[i].to, &status), &status)) {
            return 1;
        }
        at += *(const uint32_t *)at;
    }
    Material material;
    settings_material_of(&given, &material);
    printf("%d %d %d %d %d | ", def.size == sizeof def, def.solver, def.threads, def.mirror, def.precision);
    printf("%g %g %g | ", given.density, given.pin_stiffness, given.tack);
    printf("%g %g %g %g | ", forces.gravity[0], forces.gravity[2], forces.tangent_drag, forces.rain);
    printf("%g %g | %d %g %g | ", def.luck, material.tack, body.face_count, body.friction, body.dust);
    printf("%d %g | %d", mesh.edge_count, mesh.glue, at == bytes + size);
    return 0;
}
"""


def grown_table():
    """The table with one more number in each definition."""
    content = json.loads((PLUGIN / "settings" / "settings.json").read_text())
    content["version"] = NUMBER["since"]
    for struct, field in NEW.items():
        content["structs"][struct]["fields"].append({**NUMBER, **field})
    return content


@unittest.skipUnless(COMPILER, "no C compiler")
class GrowthTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def generate(self, settings, name):
        """What the generator makes of a table."""
        path, made = self.folder / f"{name}.json", self.folder / name
        path.write_text(json.dumps(settings))
        subprocess.run([sys.executable, "-B", GENERATOR, path, made], check=True)
        return made

    def program(self, name, code, made, *sources):
        source, program = self.folder / f"{name}.c", self.folder / name
        source.write_text(code)
        folders = (PLUGIN / "include", PLUGIN / "src", ROOT / "native")
        folders += tuple(made / part for part in ("include", "private", "native"))
        flags = [f"-I{folder}" for folder in folders] + ["-Wall", "-Wextra", "-Werror"]
        command = [COMPILER, *flags, "-o", program, source, *sources, "-lm"]
        subprocess.run(command, check=True)
        return program

    def test_a_newer_library_understands_an_older_caller(self):
        now = json.loads((PLUGIN / "settings" / "settings.json").read_text())
        caller = self.program("caller", CALLER, self.generate(now, "now"))
        made = self.generate(grown_table(), "grown")
        sources = [PLUGIN / "src" / name for name in ("settings.c",)]
        sources += [made / "private" / "settings_table.c", ROOT / "native/base/status.c"]
        reader = self.program("reader", LIBRARY, made, *sources)
        given = self.folder / "given"
        given.write_bytes(subprocess.run([caller], check=True, capture_output=True).stdout)
        reported = subprocess.run([reader, given], capture_output=True, text=True)
        wanted = "1 1 2 3 2 | 0.5 11 7.5 | 1 3 4 0.25 | 3 7.5 | 8 0.75 0.5 | 9 0.125 | 1"
        self.assertEqual((reported.stdout, reported.stderr), (wanted, ""))

    def test_a_new_number_is_in_the_headers_of_both_floors(self):
        made = self.generate(grown_table(), "grown")
        self.assertIn("double tack;", (made / "native/laws/material_fields.h").read_text())
        header = (made / "include/muslin_settings.h").read_text()
        self.assertIn("    /* N, at least 0, default 7.5: new */\n    float tack;\n", header)

    def test_the_same_table_gives_the_same_bytes_and_leaves_files_alone(self):
        made = self.generate(grown_table(), "grown")
        files = [path for path in sorted(made.rglob("*")) if path.is_file()]
        self.assertEqual(len(files), 5)
        before = [(path.read_bytes(), path.stat().st_mtime_ns) for path in files]
        self.generate(grown_table(), "grown")
        self.assertEqual([(path.read_bytes(), path.stat().st_mtime_ns) for path in files], before)

    def test_a_new_number_before_an_older_one_is_refused(self):
        """It would move what old callers have filled."""
        content = grown_table()
        fields = content["structs"]["Material"]["fields"]
        fields.insert(0, fields.pop())
        self.refused(content, "Material: a newer field stands before an older one")

    def test_a_new_number_raises_the_version(self):
        content = grown_table()
        content["version"] -= 1
        self.refused(content, "a field is newer than the interface")

    def test_two_versions_of_one_size_are_refused(self):
        """A float in the padding after another one: what an old caller has there is no number."""
        content = grown_table()
        content["version"] += 1
        newer = {**NUMBER, "name": "lint", "default": 1, "since": content["version"]}
        content["structs"]["Body"]["fields"].append(newer)
        self.refused(content, "Body: two versions are of the same size")

    def refused(self, settings, part):
        path = self.folder / "wrong.json"
        path.write_text(json.dumps(settings))
        command = [sys.executable, "-B", GENERATOR, path, self.folder / "wrong"]
        result = subprocess.run(command, capture_output=True, text=True)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(part, result.stderr)
        self.assertFalse((self.folder / "wrong").exists())


if __name__ == "__main__":
    unittest.main()
