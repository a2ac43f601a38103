# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of `tools/bench fabrics`, one file for each kind of figures."""
