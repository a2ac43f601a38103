# SPDX-License-Identifier: GPL-3.0-or-later
"""What the artist can do something about."""


class Problem(Exception):
    """A refusal in plain words; element ("VERT", "EDGE", "FACE") and indices say where, if known."""

    def __init__(self, message, object_name="", element="", indices=()):
        super().__init__(message)
        self.object_name = object_name
        self.element = element
        self.indices = list(indices)
