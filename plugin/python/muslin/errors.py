# SPDX-License-Identifier: GPL-3.0-or-later
"""What can go wrong, in one place. Every error that a user can cause is a MuslinError."""


def printable(text):
    """With question marks for what no terminal or menu should be given: names of files may hold anything."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


class MuslinError(Exception):
    """A call was refused or failed. status: an `_enums.Status`, or None where no call of the library was made.
    message: names the vertex, the parameter or the path. details: a `calls.Detail` for each sentence that has one.
    """

    def __init__(self, status, message, details=()):
        super().__init__(status, message, details)
        self.status, self.message, self.details = status, message, details

    def speaking_of(self, what):
        """The same error, whose message names a file or an object first."""
        return MuslinError(self.status, f"{what}: {self.message}", self.details)

    def __str__(self):
        return self.message


class FileError(MuslinError):
    """A file cannot be read or written. `line` counts from 1 and is None where no line is meant."""

    def __init__(self, path, problem, line=None):
        place = str(path) if line is None else f"{path}, line {line}"
        super().__init__(None, f"{place}: {problem}")
        self.path, self.problem, self.line = path, problem, line

    def __reduce__(self):
        return FileError, (self.path, self.problem, self.line)


class LibraryError(MuslinError):
    """The native library is missing, is built for another machine, or has another interface."""

    def __init__(self, message):
        super().__init__(None, message)

    def __reduce__(self):
        return LibraryError, (self.message,)


def refuse(message):
    """What a user has given cannot be used; no call of the library was made."""
    raise MuslinError(None, message)
