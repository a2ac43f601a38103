"""Values that start with a minus sign.

argparse takes "-1,0,0" for an option. Joined to the option before it, "--wind=-1,0,0", it is clear.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import re

# A number, a list of numbers, an axis of --pin-above, or a value to be refused by its name (-inf).
NEGATIVE_VALUE = re.compile(r"-(?:[0-9.]|[xyz]:|inf|nan)", re.IGNORECASE)
LONG_OPTION = re.compile(r"--[a-z][a-z-]*")


def join_negative_values(arguments):
    """The arguments, with each negative value joined to the option before it."""
    joined = []
    for argument in arguments:
        previous = joined[-1] if joined else ""
        if NEGATIVE_VALUE.match(argument) and LONG_OPTION.fullmatch(previous):
            joined[-1] = f"{previous}={argument}"
        else:
            joined.append(argument)
    return joined
