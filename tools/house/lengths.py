# SPDX-License-Identifier: GPL-3.0-or-later
"""No function is so long that a reader loses it, in tests and benches neither. A file may hold a whole idea."""

import ast

from house.c_text import functions
from house.tree import Finding

MOST_FUNCTION_LINES = 60  # a screen


def check(tree):
    """Functions that are too long."""
    for path in tree.c_files():
        for function in functions(tree.text(path)):
            yield from _check_function(path, function.name, function.first, function.last)
    for path in tree.python_files():
        for node in ast.walk(ast.parse(tree.text(path))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield from _check_function(path, node.name, node.lineno, node.end_lineno)


def _check_function(path, name, first, last):
    count = last - first + 1
    if count > MOST_FUNCTION_LINES:
        text = f"{name} has {count} lines, more than {MOST_FUNCTION_LINES}"
        yield Finding(path, first, text)
