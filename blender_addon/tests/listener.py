# SPDX-License-Identifier: GPL-3.0-or-later
"""Hears what is printed to stderr, where Blender puts the errors of panels, and passes it on."""

import io


class Listener(io.TextIOBase):
    """Takes the place of a stream: sys.stderr = Listener(sys.stderr)."""

    def __init__(self, stream):
        self.stream = stream
        self.heard = []

    def write(self, text):
        """Remembers the text and writes it."""
        self.heard.append(text)
        return self.stream.write(text)

    def flush(self):
        """As the stream does."""
        self.stream.flush()

    def text(self):
        """All that was heard."""
        return "".join(self.heard)
