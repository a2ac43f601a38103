# SPDX-License-Identifier: GPL-3.0-or-later
"""What the library says: sentences for people, and with each what it is about in codes and numbers.

Programs choose by the codes and make their own words of the numbers; the sentences are for reading only.
"""

from ._enums import Defect, DetailCode, Element, Outcome

VERTICES = (Element.VERTEX, Element.BODY_VERTEX)


def known(enum, number):
    """The member of an enum, or the number itself where this package is older than the library."""
    try:
        return enum(number)
    except ValueError:
        return number


class Detail(str):
    """One sentence of the library, and what it is about; muslin.h says what each code has.

    code: a DetailCode. outcome: an Outcome, what was done about it. cause: the part of the sentence that
    says what is the matter. element, elements: what is listed (an Element), and the first of them by
    number. count: of all that are meant. body: its number, or None. defect: a Defect, or None.
    value, limit: numbers, SI units. name: of an argument, as muslin.h spells it, or "".
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
    found = Detail(struct.sentence.decode("utf-8", "replace"))
    found.cause = struct.cause.decode("utf-8", "replace")
    found.code = known(DetailCode, struct.code)
    found.outcome = known(Outcome, struct.outcome)
    found.element = known(Element, struct.element)
    found.elements = tuple(number for number in struct.elements if number >= 0)
    found.count = struct.count
    found.body = None if struct.body < 0 else struct.body
    found.defect = None if struct.defect < 0 else known(Defect, struct.defect)
    found.value, found.limit = struct.value, struct.limit
    found.name = struct.name.decode("utf-8", "replace")
    return found
