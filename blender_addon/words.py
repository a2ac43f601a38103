# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers, amounts and lists in words, as panels and messages say them. Imports nothing: panels ask it while they draw."""


def size(byte_count):
    """1234567 -> "1.2 MB"."""
    value = float(byte_count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if value < 999.5 or unit == "GB":
            break
        value /= 1000.0
    return f"{value:.0f} {unit}" if value >= 10 or unit == "bytes" else f"{value:.1f} {unit}"


def duration(seconds):
    """Seconds as a person says them: "8 s", "2 min 5 s", "1 h 10 min"."""
    whole = int(round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def length(metres):
    """In the unit that a person would use: "3.2 cm"."""
    for unit, factor in (("m", 1.0), ("cm", 1e-2)):
        if metres >= factor:
            return f"{metres / factor:.3g} {unit}"
    return f"{metres / 1e-3:.2g} mm"


def milliseconds(seconds):
    return f"{seconds * 1e3:.1f} ms"


def sentences(*parts):
    """What there is to say, one after the other; a full stop between them, whoever wrote them."""
    return ". ".join(part.rstrip(". ") for part in parts if part)


def listed(names):
    """As one says it: "Shirt", "Shirt and Coat", "Shirt, Jacket and Coat"."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def counted(count, one, many=None):
    """A number with its noun: "1 vertex", "1,234 vertices"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
