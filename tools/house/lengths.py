# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is so long that a reader loses it: files and functions, of tests and benches, too."""

import ast

from house.c_text import functions
from house.tree import Finding

MOST_C_LINES = 700
MOST_PYTHON_LINES = 400
MOST_FUNCTION_LINES = 60  # a screen


def check(tree):
    """Files and functions that are too long."""
    for path in tree.c_files():
        yield from _check_file(tree, path, MOST_C_LINES)
        for function in functions(tree.text(path)):
            yield from _check_function(path, function.name, function.first, function.last)
    for path in tree.python_files():
        yield from _check_file(tree, path, MOST_PYTHON_LINES)
        for node in ast.walk(ast.parse(tree.text(path))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield from _check_function(path, node.name, node.lineno, node.end_lineno)


def _check_file(tree, path, most):
    count = len(tree.lines(path))
    if count > most:
        yield Finding(path, most + 1, f"the file has {count} lines, more than {most}")


def _check_function(path, name, first, last):
    count = last - first + 1
    if count > MOST_FUNCTION_LINES:
        text = f"{name} has {count} lines, more than {MOST_FUNCTION_LINES}"
        yield Finding(path, first, text)
