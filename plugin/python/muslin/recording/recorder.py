# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes every call of the library into a file while it is made. What goes wrong ends the recording and is reported
once; the call goes on."""

import ctypes
import os
import threading

from .. import windows
from ..errors import FileError
from ..files import check_writable, is_taken, read_ordinary, write_all, write_atomic
from . import container
from .blocks import capture, digests, pack, plain, struct_of
from .signatures import CREATED, SIGNATURES


class Recorder:
    """The same functions as the library's, which also write. calls: how many are written. problem: why it ended
    early, in words, else "". report: called once with those words, from any thread."""

    def __init__(self, path, library, report):
        self.path = os.path.abspath(path)
        self.calls = 0
        self.problem = ""
        self._library = library
        self._report = report
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._threads = {}  # number by Python's identity
        # By handle: the number that stands in the file, from 1, and how many vertices it has; of
        # destroyed cloths, too.
        self._cloths = {}
        self._functions = {name: number for number, name in enumerate(SIGNATURES)}
        self._header = container.header_bytes(library.muslin_version().decode())
        check_writable(path)
        self._file = None
        self.is_open = True
        if not is_taken(self.path):
            self._name(self._header)
        elif read_ordinary(self.path, len(container.MARK)) not in (b"", container.MARK):
            raise FileError(path, "this file exists and is not a recording; name another")

    def __getattr__(self, name):
        """The function of the library, recorded; called once for each, then it is an attribute."""
        function = getattr(self._library, name)
        if name in SIGNATURES:
            function = self._recorded(SIGNATURES[name], function)
        setattr(self, name, function)
        return function

    def _recorded(self, signature, function):
        def call(*arguments):
            begun = self._begin(signature, arguments)
            status = function(*arguments)
            if begun is not None:
                self._end(signature, status, *begun)
            return status

        call.__name__ = signature.name
        return call

    def close(self):
        """End the file; later calls are made without being written."""
        with self._lock:
            self.is_open = False
            file, self._file = self._file, None
            if file is not None:
                file.close()

    def _name(self, data):
        """Give a file with these bytes its name; whatever follows is added to it."""
        write_atomic(self.path, data)
        self._file = open(windows.openable(self.path), "ab", buffering=0)

    def _write(self, data):
        """Unbuffered: in the file whatever happens to this process. An older recording is replaced by the first call,
        not before."""
        if self._file is None:
            self._name(self._header + data)
        else:
            write_all(self._file, data)

    def _begin(self, signature, arguments):
        """Write what goes in. Gives what _end() needs; None if the call is not recorded."""
        # A forked process would write into the same file.
        if not self.is_open or os.getpid() != self._process:
            return None
        if len(arguments) != len(signature.arguments):
            return None  # ctypes refuses it
        handle = plain(arguments[0]) if signature.takes_handle else 0
        if handle and handle not in self._cloths:
            return None  # a cloth from before the recording: no one could replay it
        cloth, vertices = self._cloths.get(handle, (0, None))
        try:
            blocks, places = capture(signature, arguments, vertices)
            if signature.takes_handle:
                blocks[0] = bytes(signature.arguments[0].kind(cloth))
        except (TypeError, ValueError, ctypes.ArgumentError):
            return None  # the call itself will refuse it
        except Exception as error:
            return self._fail(error)
        try:
            number = self._add(signature, pack(signature, blocks))
        except Exception as error:
            return self._fail(error)
        return None if number is None else (number, blocks, places)

    def _add(self, signature, data):
        """The number of a new call, from 1; None if the file was closed meanwhile."""
        thread = self._threads.setdefault(threading.get_ident(), len(self._threads))
        record = container.call_bytes(thread, self._functions[signature.name], data)
        with self._lock:
            if not self.is_open:
                return None
            self._write(record)
            self.calls += 1
            return self.calls

    def _end(self, signature, status, number, blocks, places):
        try:
            created = 0
            if signature.name in CREATED and status >= 0:
                created = self._remember(signature, blocks, places)
            found = digests(signature, blocks, places, status)
            with self._lock:
                if self.is_open:
                    self._write(container.outcome_bytes(number, status, created, found))
        except Exception as error:
            self._fail(error)

    def _remember(self, signature, blocks, places):
        """A number for a new cloth; its number of vertices says how long its arrays are."""
        at = CREATED[signature.name]
        mesh, kind = (signature.arguments[place].pointed for place in (0, at))
        handle = kind.from_address(places[at]).value
        with self._lock:
            number = len(self._cloths) + 1
            self._cloths[handle] = number, struct_of(mesh, blocks[0]).vertex_count
        return number

    def _fail(self, error):
        """End the recording and say so, once."""
        words = error.problem if isinstance(error, FileError) else getattr(error, "strerror", None)
        words = words or str(error) or type(error).__name__
        with self._lock:
            first = not self.problem
            self.problem = self.problem or f"recording to {self.path} ended: {words}"
        try:
            self.close()
        except OSError:
            pass  # it is the same disk that is full
        if first:
            self._report(self.problem)
        return None
