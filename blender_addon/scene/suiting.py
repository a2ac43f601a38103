# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses how a suit is simulated: by one half where its mesh allows that, and with its front closed."""

from itertools import product

from ..muslin import MuslinError
from . import check_mirror, closing, symmetry, together
from .problems import Problem

PLANES = ("x", "found")  # clothes are modelled left and right of the first
WAYS = ("auto", "halve")  # partners first: what is cut in halves shows one side twice
BUTTON = "button"  # the artist's choice, which stays
CLOSURE = "zip"  # of an open front, as long as the artist has chosen no other


def choose(obj, scene, depsgraph):
    """Sets the garment's mirroring; a sentence on what was chosen, and why not more."""
    chosen = obj.muslin.mirror
    others = [other.name for other in together.partners(obj, scene) if other != obj]
    if others:
        chosen.enabled = False
        why = f"it is simulated together with {together.named(others)}"
        return f"the whole garment is simulated{_sew(obj, scene)}, since {why}"
    before, refusals = (chosen.method, chosen.plane), []
    chosen.enabled = True
    for way, plane in product(WAYS, PLANES):
        chosen.method, chosen.plane = way, plane
        half, refusal = _half(obj, scene, depsgraph)
        if half:
            closed = _close(obj, scene, depsgraph)
            return f"one half is simulated, {half}{closed}"
        refusals.append(refusal)
    chosen.enabled = False
    chosen.method, chosen.plane = before
    return f"the whole garment is simulated{_sew(obj, scene)}, since {refusals[0]}"


def _half(obj, scene, depsgraph):
    """("1,178 of 2,352 vertices", ""), or ("", why one half cannot stand for both)."""
    try:
        report = symmetry.look(obj, scene, depsgraph)
    except Problem as problem:
        return "", str(problem)
    if report.refusal or report.doubt:
        return "", report.refusal or report.doubt
    return f"{report.half:,} of {report.vertices:,} vertices", ""


def _sew(obj, scene):
    """Closes the open front of a whole garment; what to add to the sentence."""
    chosen = obj.muslin.mirror
    if chosen.closure == "free":
        chosen.closure = CLOSURE
    if not closing.findings(obj, scene):
        return f", its front closed: {closing.CLOSURES[chosen.closure]}"
    if chosen.closure != BUTTON:
        chosen.closure = "free"
    return ""


def _close(obj, scene, depsgraph):
    """Closes an open front; what to add to the sentence."""
    chosen = obj.muslin.mirror
    if chosen.closure == "free":
        chosen.closure = CLOSURE
    try:
        with check_mirror.bare_cloth(obj, scene, depsgraph) as cloth:
            is_open, why = cloth.mirror().front_count > 0, ""
    except MuslinError as error:
        is_open, why = False, f", open in front: {error}"
    if is_open:
        return f", its front closed: {closing.CLOSURES[chosen.closure]}"
    if chosen.closure != BUTTON:
        chosen.closure = "free"
    return why
