# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the calls of a recording again and compares what comes out.

The calls are made one after the other in the order in which they began, whichever threads made them.
A call that was cancelled is not made, since no one knows how far it had got: from then on its cloth
is not compared, until it is given a state or a snapshot. Nor is one that was refused because of another thread.
"""

import ctypes
from dataclasses import dataclass, field

from .. import library
from .._enums import Status
from .blocks import NOT_COMPARED, Block, BlockError, check_arrays, digests, number_of, struct_of
from .signatures import CREATED, SPEAKERS, members

CANCEL = "muslin_cloth_cancel"
SNAPSHOT = "muslin_cloth_get_snapshot"
GIVES_STATE = ("muslin_cloth_set_state", "muslin_cloth_restore")
NO_CLOTH = 2**64 - 1  # in place of a handle that was none
# Room that a call may ask for beyond what it gives: most findings of a small mesh, or a message.
ROOM_BYTES = 1 << 20
ROOM_RATIO = 64


@dataclass
class Result:
    """What became of one call. differences: in words. note: why it was not made, or not compared."""

    call: object
    compared: int = 0
    differences: list = field(default_factory=list)
    note: str = ""
    made: bool = True


class Replay:
    """Replays calls; close() destroys the cloths that are left. threads: of the cloths; None: as recorded."""

    def __init__(self, threads=None):
        self.threads = threads
        self._created = []  # all handles here
        self._handles = {}  # the recorded one to the one here
        self._vertices = {}  # by recorded handle
        self._apart = set()  # recorded handles of cloths in a state that the recording does not say
        self._spoke = None  # the thread that made the last call without a cloth

    def close(self):
        for handle in self._created:
            library.get().muslin_cloth_destroy(handle)  # refused where the recording did so, too

    def make(self, call):
        """Make one call. BlockError, in words, if a file holds what no call could be."""
        signature, blocks = call.signature, call.blocks()
        # the recorded number of the cloth that it is about
        recorded = number_of(signature.arguments[0], blocks[0]) if signature.takes_handle else 0
        check_arrays(signature, blocks, self._vertices.get(recorded))
        reason = self._reason_against(call, recorded)
        if reason:
            return Result(call, note=reason, made=False)
        self._check_room(call, blocks, recorded)
        arguments, places, keep = self._build(signature, blocks, recorded)
        status = getattr(library.get(), signature.name)(*arguments)
        result = Result(call)
        self._compare(result, recorded, blocks, places, status)
        self._follow(call, recorded, blocks, places, status)
        del keep
        return result

    def _reason_against(self, call, recorded):
        """Why a call cannot be made again, in words; "" if it can."""
        outcome = call.outcome
        if outcome is not None and outcome.status == Status.ERROR_CANCELLED:
            self._apart.add(recorded)
            return "cancelled"
        if outcome is not None and outcome.status == Status.ERROR_BUSY:
            return "refused, since another thread worked on the cloth"
        # What it stopped is replayed by its outcome; here it would stop something else.
        if call.signature.name == CANCEL and (outcome is None or outcome.status >= 0):
            return "cancels another call, whose outcome is known"
        return ""

    def _check_room(self, call, blocks, recorded):
        """Refuse a call that asks for memory out of all proportion to what it is about."""
        whole = [block for block in blocks if isinstance(block, Block)]
        members = [member for block in whole for member in block.members if member is not None]
        rooms = [block.length for block in whole if block.data is None]
        given = sum(block.length for block in whole + members if block.data is not None)
        vertices = self._vertices.get(recorded) or 0
        most = ROOM_BYTES + ROOM_RATIO * (given + 12 * vertices)
        if call.signature.name == SNAPSHOT:
            size = ctypes.c_size_t(0)
            library.get().muslin_cloth_get_snapshot_size(self._here(recorded), ctypes.byref(size))
            most += size.value
        if sum(rooms) > most:
            raise BlockError(f"it asks for {sum(rooms)} bytes of memory")

    def _here(self, recorded):
        return self._handles.get(recorded, NO_CLOTH) if recorded else 0

    def _build(self, signature, blocks, recorded):
        """The arguments in memory of this process, their addresses, and what holds the memory."""
        arguments, places, keep = [], [], []
        for position, (one, block) in enumerate(zip(signature.arguments, blocks)):
            if one.pointed is None:
                value = one.kind.from_buffer_copy(block)
                is_handle = signature.takes_handle and position == 0
                arguments.append(one.kind(self._here(recorded)) if is_handle else value)
                places.append(None)
            elif block is None:
                arguments.append(None)
                places.append(None)
            else:
                memory = self._struct(one, block) if one.struct and not one.array else array(block)
                arguments.append(ctypes.cast(ctypes.pointer(memory), one.kind))
                places.append(ctypes.addressof(memory))
                keep.append(memory)
        return arguments, places, keep

    def _struct(self, argument, block):
        values = struct_of(argument.pointed, block)
        # Every pointer, null ones too: a forged file may hold addresses.
        for (name, _, element, *_), member in zip(members(argument.pointed), block.members):
            memory = None if member is None else array(member)
            setattr(values, name, ctypes.cast(memory, ctypes.POINTER(element)))
        if self.threads is not None and hasattr(argument.pointed, "threads"):
            values.threads = self.threads
        return values

    def _compare(self, result, recorded, blocks, places, status):
        call = result.call
        outcome = call.outcome
        if outcome is None:
            result.note = "did not return when it was recorded"
        elif recorded in self._apart:
            result.note = "after a cancelled step of the same cloth"
        elif call.signature.name in SPEAKERS and not recorded and self._spoke != call.thread:
            result.note = "belongs to a call of another thread"
        if result.note:
            return
        if status != outcome.status:
            result.differences.append(f"status {outcome.status} was recorded, now {status}")
        names = [one.name for one in call.signature.arguments if one.compared]
        found = digests(call.signature, blocks, places, status)
        for name, before, now in zip(names, outcome.digests, found):
            if NOT_COMPARED not in (before, now):
                result.compared += 1
                result.differences += [f"{name} differs"] if before != now else []

    def _follow(self, call, recorded, blocks, places, status):
        """Keep in step with what the call has changed."""
        signature = call.signature
        if not signature.takes_handle:
            self._spoke = call.thread
        if signature.name in GIVES_STATE and status >= 0:
            self._apart.discard(recorded)
        if signature.name not in CREATED:
            return
        # Which cloth is meant by a recorded number from now on: none, if it failed here.
        at = CREATED[signature.name]
        mesh, kind = (signature.arguments[place].pointed for place in (0, at))
        recorded = call.outcome.created if call.outcome else 0
        self._handles.pop(recorded, None)
        if status >= 0:
            handle = kind.from_address(places[at]).value
            self._created.append(handle)
            self._handles[recorded] = handle
        if recorded and blocks[0] is not None:
            self._vertices[recorded] = struct_of(mesh, blocks[0]).vertex_count


def array(block):
    """Memory of a block's length with its values, or zeros where it is only written."""
    return ctypes.create_string_buffer(block.data or b"", max(block.length, 1))


def describe(call):
    """Such as "muslin_cloth_step(cloth 4294967297, 0.0416667) = 0". BlockError as in make()."""
    signature = call.signature
    words = [word(one, block) for one, block in zip(signature.arguments, call.blocks())]
    if signature.takes_handle:
        words[0] = f"cloth {words[0]}"
    outcome = call.outcome
    end = " did not return" if outcome is None else f" = {outcome.status}"
    if outcome is not None and outcome.created:
        end += f", cloth {outcome.created}"
    if call.during:
        end += f", while call {call.during} ran"
    return f"{signature.name}({', '.join(words)}){end}"


def word(argument, block):
    """A number, or what there is of an array."""
    if argument.pointed is None:
        number = number_of(argument, block)
        return f"{number:.9g}" if isinstance(number, float) else str(number)
    if block is None:
        return "null"
    if argument.array is None:
        return argument.name
    return f"{block.length // ctypes.sizeof(argument.pointed)} {argument.name}"
