# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts packages together of what was built: wheels, extensions for Blender, and zips for older Blenders.

`platforms` knows the platforms, `files` collects what goes into packages, `archive` writes them, `wheel` and `addon` say
what each kind of package holds; `release` has the versions and the notes. The same input gives the same bytes.
"""
