# SPDX-License-Identifier: GPL-3.0-or-later
"""A small house that keeps all rules: the files of a checkout, as text."""

NATIVE = {
    "native/base/status.h": "/* Codes. */\nint status_set(int *status, int code, const char *text);\n",
    "native/base/status.c": """/* Codes. */
#include "base/status.h"

/* calls nobody: mesh_torn() */
int status_set(int *status, int code, const char *text) { return *status = text ? code : 0; }
""",
    "native/mesh/mesh.h": '/* A mesh. */\n#include "base/status.h"\nint mesh_check(int *status);\n',
    "native/mesh/mesh.c": """/* A mesh. */
#include "mesh/mesh.h"

static int is_bad(int code) { return code < 0; }

int mesh_check(int *status) {
    return is_bad(status_set(status, -2, "it calls mesh_torn() in vain"));
}
""",
    "native/linear/factor.c": '/* Factors. */\n#include "cholmod.h"\n#include "base/status.h"\n',
    "native/cloth/cloth.h": '/* A cloth. */\n#include "mesh/mesh.h"\nint cloth_step(int *status);\n',
    "native/cloth/cloth.c": """/* A cloth. */
#include "cloth/cloth.h"

int cloth_step(int *status) { return mesh_check(status); }
""",
    "native/tests/test_mesh.c": '/* Tests. */\n#include "cloth/cloth.h"\n#include "mesh/mesh.h"\n',
    "plugin/include/muslin.h": "/* The boundary. */\nint muslin_step(void);\n",
    "plugin/src/muslin.c": """/* The boundary. */
#include "muslin.h"

#include "cloth/cloth.h"

int muslin_step(void) {
    int status = 0;
    return cloth_step(&status);
}
""",
}
BINDING = {
    "__init__.py": "from .cloth import step\n",
    "__main__.py": "from .command import main\n\nmain()\n",
    "_abi.py": 'FUNCTIONS = {"muslin_step": ()}\n',
    "library.py": "FUNCTIONS = ()\n",
    "cloth.py": 'from . import library\n\n\ndef step():\n    return "muslin_step"\n',
    "command/__init__.py": "def main():\n    from .drape import drape\n\n    drape()\n",
    "command/drape.py": "from ..cloth import step as drape\n",
}
ADDON = {
    "__init__.py": "def register():\n    from . import registry\n\n    registry.register()\n",
    "registry.py": "def register():\n    pass\n",
    "properties.py": "import bpy\n",
    "words.py": "",
    "scene/arrays.py": "import bpy\n\nfrom .. import words\nfrom ..muslin import Cloth\n",
    "simulation/simulation.py": "from ..scene import arrays\n",
    "bake/bake_ui.py": "from ..simulation import simulation\n",
    "panels.py": "def draw():\n    from .bake import bake_ui\n",
}
OTHERS = {
    "test_scenes/__init__.py": "",
    "test_scenes/sheets.py": "import muslin\n",
    "tools/muslin": '#!/usr/bin/env bash\n# not python -m muslin\nexec_module muslin "$@"\n',
    "CMakeLists.txt": "add_test(NAME x COMMAND ${MUSLIN_PYTHON} ${run_module} unittest)\n",
}
FILES = {
    **NATIVE,
    **{f"plugin/python/muslin/{path}": text for path, text in BINDING.items()},
    **{f"blender_addon/{path}": text for path, text in ADDON.items()},
    **OTHERS,
}
