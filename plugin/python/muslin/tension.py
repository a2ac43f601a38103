"""What pulls in a cloth's threads, N/m, from the strains of Cloth.fit() and the law that it is made of.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np


def cloth_tensions(cloth, fit, scale=1.0):
    """As tensions(), of a cloth whose parts may be of several fabrics."""
    found = np.empty((2, cloth.vertex_count), dtype=np.float32)
    scale = np.broadcast_to(scale, cloth.vertex_count)
    for vertices, settings in cloth.part_settings():
        own = tensions(
            type(fit)(*(numbers[vertices] for numbers in fit)), settings, scale[vertices]
        )
        if own is None:
            return None
        found[:, vertices] = own
    return tuple(found)


def tensions(fit, settings, scale=1.0):
    """(along warp, along weft) of each vertex, N for each metre across as it is worn; None where no law tells them.

    settings: of the cloth. scale: of its stretch stiffness, for each vertex. The axes S_u, S_v of a triangle pull
    with P_u = dW/dS_u and P_v = dW/dS_v across a metre of the pattern; of these the parts along S_u and S_v, over
    how wide that metre is now. docs/fit.md. Edges and threads have other laws, and so have fabrics of measured stretch.
    """
    law = _law(settings)
    if law is None:
        return None
    a, b = 1.0 + fit.warp.astype(np.float64), 1.0 + fit.weft.astype(np.float64)
    sine, cosine = np.sin(fit.shear.astype(np.float64)), np.cos(fit.shear.astype(np.float64))
    pull = law(a, b, sine, settings)
    across = np.maximum((b * cosine, a * cosine), 1e-6)  # of cloth that is folded into a line
    return tuple(np.asarray(scale * pull / across, dtype=np.float32))


def _law(settings):
    if settings["solver"] == "threads" or settings["tension_only"]:
        return None
    if settings["model"] == "triangle":
        return _triangle if settings["shear_energy"] == "diagonal" else None
    is_plain = not any(settings["stretch_samples"]) and not settings["strain_limit"]
    is_green = settings["strain_measure"] in ("auto", "green")
    return _membrane if settings["model"] == "membrane" and is_plain and is_green else None


def _triangle(a, b, sine, settings):
    """W = 1/2 sum k (l - 1)^2 over warp, weft and both diagonals (S_u +- S_v)/sqrt 2."""
    shear = settings["shear"]
    own = [max(settings[name] - shear, 0.0) for name in ("stretch_warp", "stretch_weft")]
    longer, shorter = (
        np.sqrt(np.maximum((a * a + b * b) / 2 + sign * a * b * sine, 1e-12)) for sign in (1, -1)
    )
    plus, minus = 1.0 - 1.0 / longer, 1.0 - 1.0 / shorter
    return np.array(
        [
            k * (one - 1.0) + shear * (plus * (one + other * sine) + minus * (one - other * sine))
            for k, one, other in ((own[0], a, b), (own[1], b, a))
        ]
    )


def _membrane(a, b, sine, settings):
    """W = A(e_uu) + B(e_vv) + c e_uu e_vv + D(e_uv), in Green's strain."""
    warp, weft, poisson = (settings[n] for n in ("stretch_warp", "stretch_weft", "poisson"))
    plane = 1.0 - poisson * poisson
    both = poisson * np.sqrt(warp * weft) / plane
    e_uu, e_vv, e_uv = 0.5 * (a * a - 1.0), 0.5 * (b * b - 1.0), 0.5 * a * b * sine
    shear = 0.5 * 4.0 * settings["shear"] * e_uv
    return np.array(
        [
            (warp / plane * e_uu + both * e_vv) * a + shear * b * sine,
            (weft / plane * e_vv + both * e_uu) * b + shear * a * sine,
        ]
    )
