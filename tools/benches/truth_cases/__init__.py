# SPDX-License-Identifier: GPL-3.0-or-later
"""The cases of tools/bench truth: theory, meshes, and what is measured on them."""
