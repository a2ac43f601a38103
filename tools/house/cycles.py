# SPDX-License-Identifier: GPL-3.0-or-later
"""Circles in who uses whom."""


def cycles(uses):
    """Lists of names that use each other in a circle; `uses` has a set of names for each name."""
    done, found = set(), []
    for start in sorted(uses):
        if start not in done:
            _follow(start, uses, done, found)
    return found


def _follow(start, uses, done, found):
    """In depth, by hand: a chain may be longer than Python's own stack likes."""
    way, place = [start], {start: 0}
    ahead = [iter(sorted(uses[start]))]
    while way:
        following = next(ahead[-1], None)
        if following is None:
            done.add(way[-1])
            del place[way.pop()]
            ahead.pop()
        elif following in place:
            found.append(way[place[following] :])
        elif following in uses and following not in done:
            place[following] = len(way)
            way.append(following)
            ahead.append(iter(sorted(uses[following])))
