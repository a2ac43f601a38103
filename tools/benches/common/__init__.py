# SPDX-License-Identifier: GPL-3.0-or-later
"""What every bench shares: tables, JSON, timing, the command line."""
