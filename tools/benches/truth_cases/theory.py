# SPDX-License-Identifier: GPL-3.0-or-later
"""What textbooks say of strips, sheets and friction, solved here and shared with no other code.

Lengths are in units of the strip's, G is its weight over its bending stiffness, rho g L^3 / B. The boundary value
problems are integrated from the free end, where curvature vanishes, in a length in which G is 1: the length at which
the clamp is met is then the cube root of G, and nothing has to be shot at.
"""

from functools import lru_cache
from math import asinh, atan2, cos, degrees, exp, log, pi, radians, sin, sqrt, tan

STEP = 2.0**-8  # of the integration; errors are its fourth power
# Logarithms of the angle of a hanging strip's end to the vertical.
TIPS = (-14.0, log(pi / 2) - 1e-7)


def runge_kutta(slope, state, step):
    """One classical step of d(state)/dt = slope(t, state); state[0] is t."""

    def moved(direction, length):
        return tuple(value + length * rate for value, rate in zip(state, direction))

    first = slope(state)
    second = slope(moved(first, step / 2))
    third = slope(moved(second, step / 2))
    fourth = slope(moved(third, step))
    mean = [(a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(first, second, third, fourth)]
    return moved(mean, step)


def until(slope, state, event, step=STEP, limit=60.0):
    """The state where event(state) first becomes negative, by ever shorter steps."""
    while state[0] < limit:
        following = runge_kutta(slope, state, step)
        if event(following) < 0:
            last = root(lambda part: event(runge_kutta(slope, state, part)), 0.0, step, 50)
            return runge_kutta(slope, state, last)
        state = following
    raise ArithmeticError(f"no end of the strip within a length of {limit:g}")


def root(function, low, high, turns=60):
    """Where a function changes its sign between low and high."""
    sign = function(low) > 0
    for _ in range(turns):
        middle = (low + high) / 2
        low, high = (middle, high) if (function(middle) > 0) == sign else (low, middle)
    return (low + high) / 2


# A strip that is clamped level and hangs: angle a below the horizontal, a'' = -G (1 - s) cos a


@lru_cache(maxsize=None)
def hanging(tip):
    """(G, drop, reach) of a clamped strip whose free end points `tip` radians below the horizontal."""
    end = until(
        lambda s: (1.0, s[2], -s[0] * cos(s[1]), sin(s[1]), cos(s[1])),
        (0.0, tip, 0.0, 0.0, 0.0),
        lambda s: s[1],
    )
    return end[0] ** 3, end[3] / end[0], end[4] / end[0]


@lru_cache(maxsize=None)
def cantilever(weight):
    """(drop, reach) of a clamped strip with G = weight."""
    tip = root(lambda a: hanging(pi / 2 - exp(a))[0] - weight, *TIPS, 44)
    return hanging(pi / 2 - exp(tip))[1:]


def peirce_degrees():
    """How far the end of a strip of twice the bending length hangs, seen from the clamp: G is 8."""
    return degrees(atan2(*cantilever(8.0)))


def apparent_weight(drop_over_reach):
    """G of the strip that hangs like this one."""

    def missed(a):
        _, drop, reach = hanging(pi / 2 - exp(a))
        return drop - drop_over_reach * reach

    return hanging(pi / 2 - exp(root(missed, *TIPS, 44)))[0]


# A strip that stands on its clamp, and one that lies on edge


@lru_cache(maxsize=None)
def standing_weight():
    """G at which a strip clamped upright bends over: a'' = -G (1 - s) a, for a small angle a."""
    end = until(lambda s: (1.0, s[2], -s[0] * s[1]), (0.0, 1.0, 0.0), lambda s: s[1])
    return end[0] ** 3


@lru_cache(maxsize=None)
def lateral_weight():
    """G at which a narrow strip, clamped level on edge, turns aside.

    Without Poisson's effect it twists with 2 B. The twist p obeys 2 B^2 p'' + M^2 p = 0 with the moment
    M = rho g (L - s)^2 / 2 of the weight beyond s; p = 0 at the clamp, p' = 0 at the end.
    """
    end = until(lambda s: (1.0, s[2], -(s[0] ** 4) * s[1]), (0.0, 1.0, 0.0), lambda s: s[1])
    return 2 * sqrt(2) * end[0] ** 3


# A weightless strip pressed onto a floor below its clamp


@lru_cache(maxsize=None)
def pressed(swing):
    """(shortening, friction) of a strip clamped above its foot, which may turn.

    Seen along the force at the foot, the strip's angle is a pendulum's that is let go at `swing`. The clamp is where
    the way back to the foot points along the strip.
    """

    def slope(s):
        return (1.0, s[2], -sin(s[1]), sin(s[1]), cos(s[1]))

    def aside(s):
        return s[3] * cos(s[1]) - s[4] * sin(s[1])

    start = (0.0, swing, 0.0, 0.0, 0.0)
    while start[0] < pi:  # the first zero is at the foot itself
        start = runge_kutta(slope, start, STEP)
    end = until(slope, start, (lambda s: -aside(s)) if aside(start) < 0 else aside)
    turn = -end[1]
    height = (end[4] * cos(turn) - end[3] * sin(turn)) / end[0]
    return 1 - height, abs(tan(turn))


@lru_cache(maxsize=None)
def stick_slip(shortening):
    """Friction that keeps the foot below the clamp when the strip is that much too long."""
    swing = root(lambda a: pressed(a)[0] - shortening, 0.01, 2.6, 44)
    return pressed(swing)[1]


# Sheets


def capstan(friction, turn=pi):
    """Tension over tension of a band that slides around a cylinder."""
    return exp(friction * turn)


@lru_cache(maxsize=None)
def swing_rates(count=3):
    """Rates of the small swings of a hanging sheet, over sqrt(g / L): half the zeros of the Bessel function J0.

    The swing y(z) at the height z above the lower border obeys (z y')' + w^2 y = 0.
    """
    found, place, step = [], 0.1, 0.05
    while len(found) < count:
        if hanging_swing(place, 1.0) * hanging_swing(place + step, 1.0) < 0:
            found.append(root(lambda w: hanging_swing(w, 1.0), place, place + step))
        place += step
    return tuple(found)


def hanging_swing(rate, height):
    """The swing's shape at a height above the lower border, 1 there; `height` may be an array."""
    total, term = 1.0, 1.0
    for k in range(1, 40):
        term = term * (-(rate**2) * height) / k**2
        total = total + term
    return total


def catenary_sag(span, length, weight, stiffness):
    """Sag of an elastic band hung by both ends; weight in N/m^2 along it, stiffness in N/m."""

    def missed(pull):
        curve = 2 * pull / weight * asinh(weight * length / (2 * pull))
        return pull * length / stiffness + curve - span

    pull = root(missed, 1e-6 * weight * length, 1e3 * weight * length, 100)
    slack = pull / weight * (sqrt(1 + (weight * length / (2 * pull)) ** 2) - 1)
    return slack + weight * length**2 / (8 * stiffness)


def hanging_stretch(weight, length, stiffness):
    """How much longer a hanging sheet gets by its own weight, m."""
    return weight * length**2 / (2 * stiffness)


def incline_acceleration(degrees, friction, gravity):
    """Down a slope, m/s^2; 0 where it sticks."""
    angle = radians(degrees)
    return max(0.0, gravity * (sin(angle) - friction * cos(angle)))


def stopping_distance(speed, friction, gravity):
    return speed**2 / (2 * friction * gravity)
