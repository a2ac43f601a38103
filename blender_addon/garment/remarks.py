# SPDX-License-Identifier: GPL-3.0-or-later
"""What the library remarks, in words for the artist: its bodies have numbers, his objects have names."""

from ..muslin import DetailCode, Outcome
from ..words import counted

# What is done about a body that is not symmetric.
THEN = {
    Outcome.SOLVED_WHOLE: "all of the garment is simulated while that lasts",
    Outcome.MEAN_MET: "the garment meets the mean of both",
    Outcome.KEPT_SIDE_MET: "only what is on the kept side of the mirror plane is met, by both sides",
}


def asymmetric(name, detail):
    return (
        f"{name} is not its own mirror image, its vertex {detail.vertex} is {detail.value:.3g} m off, "
        f"so {THEN[detail.outcome]}"
    )


def repeating(name, detail):
    return f"{counted(detail.count, 'triangle')} of {name} naming a vertex twice, left out"


def flat(name, detail):
    return f"{counted(detail.count, 'triangle')} of {name} without area"


def turned(name, detail):
    return f"{counted(detail.count, 'part')} of {name} inside out, turned"


def untacked(name, detail):
    return f"{counted(detail.count, 'tack')} released, whose place on {name} is gone"


OF_BODIES = {
    DetailCode.BODY_ASYMMETRIC: asymmetric,
    DetailCode.BODY_REPEATED_VERTEX: repeating,
    DetailCode.BODY_FLAT: flat,
    DetailCode.BODY_TURNED: turned,
    DetailCode.BODY_TACKS: untacked,
}


def words(message, name_of):
    """A message of the library; name_of gives the name of the object that is a body, or ""."""
    return "; ".join(sentence(detail, name_of) for detail in message.sentences)


def sentence(detail, name_of):
    body = getattr(detail, "body", None)
    name = "" if body is None else name_of(body)
    return OF_BODIES[detail.code](name, detail) if name and detail.code in OF_BODIES else detail
