# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that nobody calls. The compiler finds those that are static in a C file; here are the others.

A function that only tests call is dead, too. One that its own file and tests call is a door for tests. One that only
its own file calls should be static.
"""

import re

from house.c_text import WORD, functions, used_words
from house.tree import Finding, is_program

PUBLIC = re.compile(r"muslin_\w+$")
# They say what every public function is like, and call none.
LISTS = ("plugin/python/muslin/_abi.py", "plugin/python/muslin/recording/signatures.py")
# Only tests call these, on purpose; why. Who gets another caller leaves the list.
FOR_TESTS = {
    "pool_threads": "the number of threads is seen nowhere else",
    "collider_closest_parts": "what the quicker searches are held to",
    "coarse_basis": "the functions of the coarse level",
}


def check(tree):
    """Functions of the library without a caller."""
    outside = _words_of_callers_outside(tree)
    used = {path: used_words(tree.text(path)) for path in tree.c_files()}
    users = {}
    for path, words in used.items():
        for word in words:
            users.setdefault(word, set()).add(path)
    for path in tree.library_files():
        for function in functions(tree.text(path)):
            text = _complaint(path, function, users.get(function.name, set()), outside)
            if text:
                yield Finding(path, function.first, text)


def _words_of_callers_outside(tree):
    """All words of the Python files that call the library, and of the examples in C."""
    words = set()
    for path in tree.python_files():
        if (
            path.startswith(("plugin/", "test_scenes/", "tools/", "blender_addon/"))
            and path not in LISTS
        ):
            words.update(WORD.findall(tree.text(path)))
    return words


def _complaint(path, function, users, outside):
    """What is wrong with a function that these files use; "" if nothing is."""
    name = function.name
    if (
        name == "main" or name.isupper()
    ):  # a name that macros make is used by a name that macros make
        return ""
    if PUBLIC.match(name):
        return "" if name in outside or users - {path} else f"nobody calls the public {name}"
    if function.is_static and path.endswith(".c"):
        return ""
    tests = {user for user in users if is_program(user) and "/bench/" not in user}
    if not users:
        return f"nobody calls {name}"
    if users == tests:
        return "" if name in FOR_TESTS else f"only tests call {name}"
    if name in FOR_TESTS:
        return f"{name} is called, and not only by tests: it leaves FOR_TESTS in tools/house"
    if users == {path} and not function.is_static:
        return f"only its own file calls {name}: make it static"
    return ""
