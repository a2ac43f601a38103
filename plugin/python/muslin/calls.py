# SPDX-License-Identifier: GPL-3.0-or-later
"""Calling the library: statuses become exceptions, structs Python values, and messages sentences with codes and
numbers, by which programs choose and make their own words."""

import ctypes
from dataclasses import make_dataclass

from . import _abi, library
from ._enums import Defect, DetailCode, Element, Outcome, Status
from .errors import MuslinError

VERTICES = (Element.VERTEX, Element.BODY_VERTEX)
# The status of a call that was refused without a look at the cloth.
REFUSED = (Status.ERROR_HANDLE, Status.ERROR_BUSY)


def known(enum, number):
    """The member of an enum, or the number itself where this package is older than the library."""
    try:
        return enum(number)
    except ValueError:
        return number


class Detail(str):
    """One sentence of the library, with codes and numbers; muslin.h says what each code has.

    code: a DetailCode. outcome: an Outcome. cause: the part of the sentence that says what is wrong. element, elements:
    what is listed (an Element), and the first of them. count: of all of them. body: its number, or None. defect: a
    Defect, or None. value, limit: SI units. name: of an argument, as muslin.h spells it, or "".
    """

    code = DetailCode.UNKNOWN
    outcome = Outcome.NONE
    element = Element.NONE
    elements = ()
    count = 0
    body = defect = None
    value = limit = 0.0
    name = cause = ""

    @property
    def vertex(self):
        """The first vertex that is listed, of the mesh or of the body, or None."""
        return self.elements[0] if self.element in VERTICES and self.elements else None


class Message(str):
    """All that the library said of one call. details: a Detail for every sentence that has one."""

    details = ()

    @property
    def sentences(self):
        """One by one; a message without details is one."""
        return self.details or (self,)


def detail_of(struct):
    """A C struct as a Detail."""
    sentence, cause, name = (
        text.decode("utf-8", "replace") for text in (struct.sentence, struct.cause, struct.name)
    )
    found = Detail(sentence)
    found.cause, found.name = cause, name
    found.code = known(DetailCode, struct.code)
    found.outcome = known(Outcome, struct.outcome)
    found.element = known(Element, struct.element)
    found.elements = tuple(number for number in struct.elements if number >= 0)
    found.count, found.value, found.limit = struct.count, struct.value, struct.limit
    found.body = None if struct.body < 0 else struct.body
    found.defect = None if struct.defect < 0 else known(Defect, struct.defect)
    return found


def message(handle=0):
    """The library's last message for a handle; of 0: for this thread's last call without one."""
    text = ctypes.create_string_buffer(_abi.MESSAGE_SIZE)
    library.borrow()
    try:
        if library.get().muslin_get_message(handle, text, len(text)) != Status.OK:
            return Message("")  # another thread has closed the cloth, or works on it
        reported, count = Message(text.value.decode("utf-8", "replace")), ctypes.c_int32(0)
        library.get().muslin_get_detail_count(handle, ctypes.byref(count))
        for index in range(count.value):
            struct = new_struct(_abi.Detail)
            if library.get().muslin_get_detail(handle, index, ctypes.byref(struct)) == Status.OK:
                reported.details += (detail_of(struct),)
        return reported
    finally:
        library.give_back()


def call(name, *arguments, handle=0):
    """Call a function that returns a status: errors raise MuslinError, the rest is returned."""
    library.borrow()  # another thread may let go of the library, or close the cloth that keeps it
    try:
        status = known(Status, getattr(library.get(), name)(*arguments))
        if status < 0:
            # what was refused without a look at the cloth left no message there
            text = Message() if status in REFUSED else message(handle)
            words = text or library.get().muslin_status_text(status).decode()
            raise MuslinError(status, words, text.details)
        return status
    finally:
        library.give_back()


def new_struct(kind, **fields):
    """A struct with its `size` filled in, by which the library knows its version; what is not named is 0."""
    return kind(size=ctypes.sizeof(kind), **fields)


def kind_of(value):
    """What a caller gave in place of something else, for messages."""
    return "None" if value is None else f"a {type(value).__name__}"


def plain_value(value):
    """A struct's field as Python has it: arrays become tuples."""
    return tuple(value) if isinstance(value, ctypes.Array) else value


def dataclass_of(struct, doc, without=("size",)):
    """A frozen dataclass with the fields of a struct."""
    fields = [field for field, *_ in struct._fields_ if field not in without]
    return make_dataclass(struct.__name__, fields, frozen=True, namespace={"__doc__": doc})


def to_dataclass(kind, struct):
    """A struct's values in the dataclass made for it by dataclass_of()."""
    fields = kind.__dataclass_fields__
    return kind(**{field: plain_value(getattr(struct, field)) for field in fields})
