# SPDX-License-Identifier: GPL-3.0-or-later
"""What a Python module imports, by full name, those inside of functions included."""

import ast
from collections import namedtuple

from house.tree import is_program

# name: of a module where it is one of the package, else as it is written
Import = namedtuple("Import", "name line")


def modules(tree, folder, package):
    """{full name: path, ...} of the modules of a package that lies in a folder; tests are left out."""
    found = {}
    for path in tree.python_files():
        if path.startswith(folder + "/") and not is_program(path):
            parts = [package, *path[len(folder) + 1 : -len(".py")].split("/")]
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(tree, name, known):
    """All imports of a module; `known` are the modules of its package."""
    path = known[name]
    for node in ast.walk(ast.parse(tree.text(path))):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, name, path.endswith("/__init__.py"))
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield Import(full if full in known else base, node.lineno)


def _base(node, name, is_package):
    """What a `from` imports from: dots lead up from the module's own package."""
    if not node.level:
        return node.module
    parts = name.split(".") if is_package else name.split(".")[:-1]
    parts = parts[: len(parts) - node.level + 1]
    return ".".join([*parts, node.module] if node.module else parts)
