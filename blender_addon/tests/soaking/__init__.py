# SPDX-License-Identifier: GPL-3.0-or-later
"""A long life in Blender, drawn by lot: steps of an artist who never waits, while cloth is previewed and baked.

`steps` knows the kinds of steps; `cloth`, `scene` and `files` have them; `keys` lets a key call them; `watch` sees what
must never happen; `play` puts a life together from a seed and lives it. tools/soak runs it.
"""
