# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh that is edited while its cloth is simulated: the state goes over to the new mesh, and the cloth that shall
go on with it is made in the background.

    origin = survivors(before, after)
    state = carried(after, origin, *cloth.state())
    quick = Cloth(after, solver="sweep")        # needs no factor: it goes on at once
    quick.set_state(*state)
    making = BackgroundCloth(after, 1 / 24)     # and this has one, later
    while not making.ready():
        quick.step(1 / 24)
    cloth = making.take()
    cloth.set_state(*quick.state())
"""

import threading

import numpy as np

from .cloth import Cloth
from .errors import MuslinError
from .poses import nearest_rotations

CALM = 1e-6  # of the sum over the edges: what pulls a frame to no turn, where edges leave that open


def survivors(before, after):
    """For each vertex of the edited Mesh the one that it was before, -1 for new ones.

    With the same faces and loose edges vertices were only moved. Else those survive that are where they were, to the
    bit: of several in one place the first stays the first, since editing keeps their order.
    """
    if has_same_faces(before, after):
        return np.arange(after.vertex_count)
    old, new = before.vertex_count, after.vertex_count
    places = np.concatenate([before.positions, after.positions]) + np.float32(0)  # -0 is 0
    _, place = np.unique(places.view("V12").ravel(), return_inverse=True)
    place = place.reshape(-1)  # NumPy 2.0 gives it another shape
    keys = np.concatenate([_with_rank(place[:old]), _with_rank(place[old:])])
    order = np.argsort(keys[:old])
    found = np.searchsorted(keys[:old], keys[old:], sorter=order)
    candidates = order[np.minimum(found, old - 1)] if old else np.full(new, -1)
    same = (found < old) & (keys[candidates] == keys[old:])
    return np.where(same, candidates, -1)


def has_same_faces(one, other):
    """Whether two meshes differ in nothing but where their vertices are."""
    names = ("face_sizes", "face_vertices", "edges")
    return one.vertex_count == other.vertex_count and all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in names
    )


def _with_rank(place):
    """One number for a place and for which of the vertices there it is: first, second, ..."""
    order = np.argsort(place, kind="stable")
    ordered = place[order]
    begins = np.ones(len(place), dtype=bool)
    begins[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(begins)
    rank = np.empty(len(place), dtype=np.int64)
    rank[order] = np.arange(len(place)) - starts[np.cumsum(begins) - 1]
    return place.astype(np.int64) << 32 | rank


def carried(mesh, origin, positions, velocities, start=None):
    """Positions and velocities of an edited mesh, float32, from those before and survivors().

    A new vertex is at the mean over its neighbours of x_k + R_k (X - X_k), with X at rest, x now, and R_k the rotation
    around k; its velocity is their mean; and so on from neighbour to neighbour. start: where parts without a survivor
    are (default: as in the mesh), at rest.
    """
    start = mesh.positions if start is None else start
    places, speeds = np.array(start, np.float64), np.zeros((mesh.vertex_count, 3))
    known = origin >= 0
    places[known], speeds[known] = positions[origin[known]], velocities[origin[known]]
    if not known.all() and known.any():
        _carry(mesh, known, places, speeds)
    return places.astype(np.float32), speeds.astype(np.float32)


def _carry(mesh, known, places, speeds):
    """Fill in what is not known, ring by ring from what is."""
    rest = mesh.positions.astype(np.float64)
    ends = np.concatenate([mesh.sides(), mesh.edges])
    near, far = np.concatenate([ends, ends[:, ::-1]]).T
    turns = np.zeros((len(rest), 3, 3))
    turns[known] = np.eye(3)
    rim = np.unique(near[known[near] & ~known[far]])
    turns[rim] = _turns(rim, near, far, known, rest, places)
    while True:
        reach = known[near] & ~known[far]
        if not reach.any():
            return
        a, b = near[reach], far[reach]
        reached, slot, counts = np.unique(b, return_inverse=True, return_counts=True)
        for array, values in (
            (places, places[a] + (turns[a] @ (rest[b] - rest[a])[..., None])[..., 0]),
            (speeds, speeds[a]),
            (turns, turns[a]),
        ):
            sums = np.zeros((len(reached), *values.shape[1:]))
            np.add.at(sums, slot.reshape(-1), values)
            array[reached] = sums / counts.reshape(-1, *[1] * (values.ndim - 1))
        known = known.copy()
        known[reached] = True


def _turns(rim, near, far, known, rest, places):
    """How what is around some vertices has turned since rest."""
    used = known[near] & known[far] & np.isin(near, rim)
    a, b = near[used], far[used]
    sums = np.zeros((len(rim), 3, 3))
    now, then = places[b] - places[a], rest[b] - rest[a]
    np.add.at(sums, np.searchsorted(rim, a), now[:, :, None] * then[:, None, :])
    sizes = np.sqrt((sums**2).sum(axis=(1, 2)))
    sums += np.where(sizes > 0, CALM * sizes, 1.0)[:, None, None] * np.eye(3)
    return nearest_rotations(sums)


class BackgroundCloth:
    """A Cloth that a thread makes and prepares, no one else's until take() gives it out. set_up: called with it in
    the thread before the factor is made, for pins and scales."""

    def __init__(self, mesh, step_seconds, set_up=None, **settings):
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._abandoned = False
        self._cloth = self._error = None
        work = (mesh, step_seconds, set_up, settings)
        # A daemon: the host may end at any time, and waits for no one.
        self._thread = threading.Thread(None, self._make, "Muslin factor", work, daemon=True)
        self._thread.start()

    def _make(self, mesh, step_seconds, set_up, settings):
        cloth = None
        try:
            cloth = Cloth(mesh, **settings)
            if set_up is not None:
                set_up(cloth)
            if not self._abandoned:
                cloth.prepare(step_seconds)
        except Exception as error:  # raised by take()
            self._error = error
        with self._lock:
            unwanted = self._abandoned or self._error is not None
            self._cloth = None if unwanted else cloth
        if unwanted and cloth is not None:
            cloth.close()
        self._done.set()

    @property
    def is_at_work(self):
        """Whether the thread still runs Python code; when it is ready, it does so for a moment longer."""
        return self._thread.is_alive()

    def ready(self, seconds=0.0):
        """Whether the thread is done with it, now or after waiting at most so long; None: forever."""
        return self._done.wait(seconds)

    def take(self):
        """The cloth, prepared; waits for it. Once: it is the caller's from then on. Raises what went wrong."""
        if not self._abandoned:
            self._done.wait()
        with self._lock:
            cloth, self._cloth = self._cloth, None
        if cloth is None:
            raise self._error or MuslinError(None, "the cloth was abandoned or taken before")
        return cloth

    def abandon(self):
        """No one wants it any more; returns at once, and the thread gives the memory back when it can."""
        with self._lock:
            self._abandoned = True
            cloth, self._cloth = self._cloth, None
        if cloth is not None:
            cloth.close()
