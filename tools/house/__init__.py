# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of the house, as tools/lint checks them: who may use whom, how long things may be, what nobody calls.

    tree      the files that there are
    c_text    what a C file includes, defines and names
    packages  what a Python module imports
    cycles    who uses whom in a circle
    floors    includes lead downward, and nowhere in a circle
    imports   so do imports
    lengths   of files and functions
    heads     a head comment in every C file
    callers   functions that nobody calls
    ways      one way to each thing

Each of the last six has a function check(tree), which yields what it finds. Standard library only.
"""
