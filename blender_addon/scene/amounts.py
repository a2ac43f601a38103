# SPDX-License-Identifier: GPL-3.0-or-later
"""Amounts as an artist reads them. Imports nothing: panels ask it while they draw."""


def size(byte_count):
    """1234567 -> "1.2 MB"."""
    value = float(byte_count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if value < 999.5 or unit == "GB":
            break
        value /= 1000.0
    return f"{value:.0f} {unit}" if value >= 10 or unit == "bytes" else f"{value:.1f} {unit}"
