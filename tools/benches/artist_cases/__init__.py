# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of `tools/bench artist`: what an artist waits for, and what he sees."""
