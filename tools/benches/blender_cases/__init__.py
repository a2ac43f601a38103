# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of `tools/bench blender`. What runs in Blender itself is in the folder `inside`."""
