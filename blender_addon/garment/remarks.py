# SPDX-License-Identifier: GPL-3.0-or-later
"""What the library remarks, in words for the artist: its bodies have numbers, his objects have names."""

from ..muslin import DetailCode, Outcome
from ..words import counted

# What is done about a body that is not symmetric.
THEN = {
    Outcome.SOLVED_WHOLE: "the whole garment is simulated while that lasts",
    Outcome.MEAN_MET: "the garment collides with the average of both",
    Outcome.KEPT_SIDE_MET: "both sides collide with what is on the positive side of the mirror plane only",
}


def replaced(name, detail):
    return (
        f"{name} was rebuilt with another mesh: {detail.value:.0f} vertices before, {detail.count} now; "
        "it stands still until it is moved"
    )


def asymmetric(name, detail):
    return (
        f"{name} is not symmetric, its vertex {detail.vertex} is off by {detail.value:.3g} m, "
        f"so {THEN[detail.outcome]}"
    )


def repeating(name, detail):
    return f"{counted(detail.count, 'triangle')} of {name} with a repeated vertex, ignored"


def flat(name, detail):
    return f"{counted(detail.count, 'triangle')} of {name} without area"


def turned(name, detail):
    return f"{counted(detail.count, 'part')} of {name} inside out, flipped"


def untacked(name, detail):
    return f"{counted(detail.count, 'tack')} released, whose place on {name} no longer exists"


OF_BODIES = {
    DetailCode.BODY_REPLACED: replaced,
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
