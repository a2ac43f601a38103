# SPDX-License-Identifier: GPL-3.0-or-later
"""Quality against milliseconds for every way to solve, on four scenes at three sizes; a part for each scene."""
