"""A call of a recording in one line, for people.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctypes

from .blocks import BlockError, number_of, unpack


def describe(call):
    """Such as "muslin_cloth_step(cloth 4294967297, 0.0416667) = 0". BlockError as in unpack()."""
    data = call.arguments()
    if data is None:
        raise BlockError("its arguments cannot be unpacked")
    signature = call.signature
    words = [word(one, block) for one, block in zip(signature.arguments, unpack(signature, data))]
    if signature.takes_handle:
        words[0] = f"cloth {words[0]}"
    outcome = call.outcome
    end = " did not come back" if outcome is None else f" = {outcome.status}"
    if outcome is not None and outcome.created:
        end += f", cloth {outcome.created}"
    if call.during:
        end += f", while call {call.during} ran"
    return f"{signature.name}({', '.join(words)}){end}"


def word(argument, block):
    """A number, or what there is of an array."""
    if argument.pointed is None:
        return (
            f"{number_of(argument, block):.9g}"
            if is_real(argument)
            else str(number_of(argument, block))
        )
    if block is None:
        return "null"
    if argument.array is None:
        return argument.name
    return f"{block.length // ctypes.sizeof(argument.pointed)} {argument.name}"


def is_real(argument):
    return argument.kind in (ctypes.c_float, ctypes.c_double)
