"""JSON as Muslin writes it.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import math


def finite(value):
    """JSON knows no infinity: such a number becomes null."""
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def to_json(value):
    return json.dumps(finite(value), indent=1, allow_nan=False) + "\n"
