"""Calling the library: statuses become exceptions, structs become Python values.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctypes
from dataclasses import make_dataclass

from . import _abi, _enums, library
from .details import Message, detail_of
from .errors import MuslinError


REFUSED = (_enums.Status.ERROR_HANDLE, _enums.Status.ERROR_BUSY)


def message(handle=0):
    """The library's last message for a handle; of 0: for this thread's last call without one."""
    text = ctypes.create_string_buffer(_abi.MESSAGE_SIZE)
    library.borrow()
    try:
        if library.get().muslin_get_message(handle, text, len(text)) != _enums.Status.OK:
            return Message("")  # another thread has closed the cloth, or works on it
        reported = Message(text.value.decode("utf-8", "replace"))
        reported.details = tuple(_details(handle))
        return reported
    finally:
        library.give_back()


def _details(handle):
    """What the sentences of that message are about."""
    count = ctypes.c_int32(0)
    library.get().muslin_get_detail_count(handle, ctypes.byref(count))
    for index in range(count.value):
        struct = new_struct(_abi.Detail)
        if library.get().muslin_get_detail(handle, index, ctypes.byref(struct)) == _enums.Status.OK:
            yield detail_of(struct)


def status_of(number):
    """The Status of a number; a number that this package does not know stays a plain int."""
    try:
        return _enums.Status(number)
    except ValueError:
        return number


def call(name, *arguments, handle=0):
    """Call a function that returns a status: errors raise MuslinError, the rest is returned."""
    library.borrow()  # another thread may let go of the library, or close the cloth that keeps it
    try:
        return _checked(getattr(library.get(), name)(*arguments), handle)
    finally:
        library.give_back()


def _checked(number, handle):
    """The status of a call, or what it means as an exception."""
    status = status_of(number)
    if status < 0:
        # What was refused without a look at the cloth left no message there.
        text = "" if status in REFUSED else message(handle)
        raise MuslinError(
            status,
            text or library.get().muslin_status_text(status).decode(),
            getattr(text, "details", ()),
        )
    return status


def new_struct(kind):
    """An empty struct with its `size` filled in, by which the library knows its version."""
    return kind(size=ctypes.sizeof(kind))


def kind_of(value):
    """What a caller gave in place of something else, for messages."""
    return "None" if value is None else f"a {type(value).__name__}"


def plain_value(value):
    """A struct's field as Python has it: arrays become tuples."""
    return tuple(value) if isinstance(value, ctypes.Array) else value


def dataclass_of(struct, name, doc):
    """A frozen dataclass with the fields of a struct, without `size`."""
    fields = [field for field, *_ in struct._fields_ if field != "size"]
    return make_dataclass(name, fields, frozen=True, namespace={"__doc__": doc})


def to_dataclass(kind, struct):
    """A struct's values in the dataclass made for it by dataclass_of()."""
    fields = kind.__dataclass_fields__
    return kind(**{field: plain_value(getattr(struct, field)) for field in fields})
