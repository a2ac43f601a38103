# SPDX-License-Identifier: GPL-3.0-or-later
"""A cloth under simulation, of one material or of parts with a fabric each. The library does the work; this class
owns the handle and the arrays."""

import ctypes
from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from . import _abi, _enums, arrays, library
from .body import Body, BodySurface
from .calls import Message, call, dataclass_of, kind_of, message, new_struct, plain_value
from .calls import to_dataclass
from .errors import MuslinError
from .mesh import Mesh
from .settings import (
    FORCE_FIELDS,
    MATERIAL_FIELDS,
    change_struct,
    choice_of,
    counted_number,
    definition_from,
    number,
    settings_of,
    unknown,
    whole_number,
    word,
)
from .sewing import links
from .table import MAPS

Report = dataclass_of(_abi.Report, "Size of the factored matrix and what it took.")
MirrorReport = dataclass_of(
    _abi.MirrorReport, "How a cloth is mirrored, and how symmetric it is; m."
)
LevelReport = dataclass_of(
    _abi.LevelReport, "Which mesh a cloth with a budget simulates, and how the last step went; s."
)
SettleReport = dataclass_of(_abi.SettleReport, "How far a cloth has settled; m/s.")
Stats = dataclass_of(_abi.Stats, "What the last step did, and how the cloth is now.")
LinkReport = dataclass_of(_abi.LinkReport, "How far seams, tacks and elastics have come; m.")
InspectionReport = dataclass_of(_abi.Inspection, "A garment's placement; m. As in muslin.h.")


# One place of what is found. body: its number, or None. vertices: the vertex, or the edge's two. corners: of the triangle.
# point, depth: m.
Place = namedtuple("Place", "kind body vertices corners point depth")
# Where a cloth is tight: arrays of one float32 for each vertex, as Cloth.fit() explains.
Fit = namedtuple("Fit", "warp weft shear pressure gap")


@dataclass(frozen=True)
class Inspection(InspectionReport):
    """A garment's placement: `placement` is its severity, `found` what is wrong, `places` the first Places of each
    kind."""

    places: tuple = ()


def place_of(item):
    """A C place without its unused parts, which are -1."""
    vertices, corners = (tuple(v for v in some if v >= 0) for some in (item.vertices, item.corners))
    kind, body = _enums.PlaceKind(item.kind), None if item.body < 0 else item.body
    return Place(kind, body, vertices, corners, tuple(item.point), item.depth)


class Parts:
    """The materials and models of a cloth's parts, as structs. numbers: the part of each vertex. materials: a
    dictionary of settings for each part, and maybe the model; what it does not name is as in the definition.
    """

    def __init__(self, definition, vertex_count, numbers, materials):
        if numbers is None or materials is None:
            lacking = "parts" if numbers is None else "materials"
            arrays.refuse(f"{lacking}: also needed where a cloth has parts with materials")
        self.numbers = arrays.indices("parts", numbers)
        if len(self.numbers) != vertex_count:
            arrays.refuse(f"parts: {len(self.numbers)} given for {vertex_count} vertices")
        self.materials, self.models = [], []
        for part, settings in enumerate(materials):
            if not isinstance(settings, Mapping):
                arrays.refuse(f"materials: that of part {part} is not a dictionary of settings")
            settings = dict(settings)
            model = settings.pop("model", None)
            self.models.append(definition.model if model is None else choice_of("model", model))
            self.materials.append(changed(definition.material.contents, settings))

    def arguments(self):
        """What muslin_cloth_create_parts() takes of them."""
        count = len(self.materials)
        materials, models = (_abi.Material * count)(*self.materials), (ctypes.c_int32 * count)
        return arrays.pointer(self.numbers), count, materials, models(*self.models)

    def set(self, call, part, changes):
        """Change some of the material of a part; None: of all. Where one is refused, all stay as they were."""
        if part is not None and not 0 <= part < len(self.materials):
            arrays.refuse(f"part: {part!r}, but the cloth has parts 0 to {len(self.materials) - 1}")
        chosen = range(len(self.materials)) if part is None else [part]
        wanted = {own: changed(self.materials[own], changes) for own in chosen}
        done = []
        try:
            for own, material in wanted.items():
                call("muslin_cloth_set_part_material", own, material)
                done.append(own)
        except MuslinError:
            for own in done:
                call("muslin_cloth_set_part_material", own, self.materials[own])
            raise
        for own, material in wanted.items():
            self.materials[own] = material


def changed(material, settings):
    """A copy of a material struct with some settings changed."""
    copy = _abi.Material.from_buffer_copy(material)
    change_struct(copy, MATERIAL_FIELDS, settings)
    return copy


class Cloth:
    """A mesh that is simulated. SI units; arrays are float32, n x 3, in the mesh's vertex order.

    Settings are keywords named as in `settings`: Cloth(mesh, model="edge", density=0.2).
    A cloth of several garments has a material for each: `parts` has the number of each vertex's part, from 0 on, and
    `materials` for each part a dictionary of settings of the material, and of the model if it has its own; what it
    does not name is as the keywords say. Parts share no face and no edge.
    Warnings of the library are collected in `warnings`: sentences for people, each a `details.Message`
    with what it is about in codes and numbers; `details` has those of all of them.
    One thread at a time may use a cloth: a call during one of another thread raises, with the status ERROR_BUSY. Only
    cancel(), progress() and close() may be called from any other; close() stops a step and waits for the end of the call.
    """

    def __init__(self, mesh, parts=None, materials=None, **settings):
        self._handle = 0
        self.warnings = []
        if not isinstance(mesh, Mesh):
            arrays.refuse(f"mesh: wanted a muslin.Mesh, got {kind_of(mesh)}")
        self.vertex_count = mesh.vertex_count
        self._definition = definition_from(settings)
        self._parts, self._maps = None, {}
        # Sets of links since all were replaced, released ones included: a snapshot may bring them back.
        self._sets, self._weightless = 0, True
        if parts is not None or materials is not None:
            self._parts = Parts(self._definition, self.vertex_count, parts, materials)
        struct, keep = mesh.to_struct()
        library.borrow()
        try:
            status = self._create(struct)
        finally:
            if not self._handle:
                library.give_back()
        del keep
        self._note(status)

    def _create(self, mesh):
        handle = _abi.Handle(0)
        name = "muslin_cloth_create_parts" if self._parts else "muslin_cloth_create"
        parts = self._parts.arguments() if self._parts else ()
        status = call(name, mesh, self._definition, *parts, ctypes.byref(handle))
        self._handle = handle.value
        return status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def close(self):
        """Give the memory back. Any later call is an error; closing twice is none."""
        handle, self._handle = getattr(self, "_handle", 0), 0
        if handle:
            library.get().muslin_cloth_destroy(handle)
            library.give_back()

    def _call(self, name, *arguments):
        """The Message of a warning, or an empty one."""
        handle = self._handle  # another thread may close the cloth meanwhile
        return self._note(call(name, handle, *arguments, handle=handle))

    def _note(self, status):
        reported = message(self._handle) if status > 0 else Message()
        if reported and reported not in self.warnings:  # a warning of every step is reported once
            self.warnings.append(reported)
        return reported

    def _report(self, name, kind, *arguments):
        """A report of the library, which its function fills in, as a dataclass."""
        struct = new_struct(getattr(_abi, kind.__name__))
        self._call(name, *arguments, struct)
        return to_dataclass(kind, struct)

    @property
    def details(self):
        """What the warnings are about, sentence by sentence, in order."""
        return [detail for reported in self.warnings for detail in reported.details]

    # Running

    def prepare(self, step_seconds):
        """Order, analyse and factor now for steps of this length, s."""
        self._call("muslin_cloth_prepare", number("step_seconds", step_seconds))

    def step(self, seconds):
        """Advance by `seconds`, in as many substeps as the setting says."""
        self._call("muslin_cloth_step", number("seconds", seconds))

    def hold_level(self, level):
        """Simulate this level of a cloth with a budget (0: the mesh itself); -1: what fits the budget."""
        self._call("muslin_cloth_hold_level", whole_number("level", level))

    def refine(self, step_seconds):
        """One step, s, of a cloth with a budget that is left alone and comes to rest, level by level: to be repeated
        until the LevelReport says `settled`."""
        self._call("muslin_cloth_refine", number("step_seconds", step_seconds))
        return self.levels()

    def settle(self):
        """One damped step to the shape at rest, bodies and pins where they are: to be repeated until the SettleReport
        says `settled`."""
        self._call("muslin_cloth_settle")
        return self._report("muslin_cloth_get_settling", SettleReport)

    def cancel(self):
        """Stop the running step, or the next if none runs; from any thread."""
        self._call("muslin_cloth_cancel")

    def progress(self):
        """How far the running call is, 0 to 1; from any thread."""
        fraction = ctypes.c_double(0.0)
        self._call("muslin_cloth_get_progress", ctypes.byref(fraction))
        return fraction.value

    # Pins

    def set_pins(self, vertices, weights=None, targets=None):
        """Replace the pins. weights: 1 holds exactly, below 1 pulls softly, 0 not at all; None: all 1. targets: count
        x 3, m; None: where the vertices are now."""
        vertices = arrays.indices("vertices", vertices)
        count, pointer = len(vertices), arrays.pointer(vertices)
        if weights is not None:
            weights = arrays.floats("weights", weights, (count,))
        if targets is not None:
            targets = arrays.floats("targets", targets, (count, 3))
        floats = map(arrays.pointer, (weights, targets))
        self._call("muslin_cloth_set_pins", count, pointer, *floats)

    def move_pins(self, targets):
        """Where the pins shall be at the end of the next step, m, in the order of set_pins()."""
        targets = arrays.floats("targets", targets, (-1, 3))
        self._call("muslin_cloth_move_pins", len(targets), arrays.pointer(targets))

    # Links: each set has a number, by which it is released and reported on

    def set_links(self, sets, weightless=True):
        """Replace all links; gives the number of each set. sets: arrays made by `links`. weightless: gravity waits
        until all have closed, at most twice as long as their way takes."""
        return self._give("muslin_cloth_set_links", 0, sets, weightless)

    def add_links(self, sets):
        """More links beside those that are there, which stay as they are; gives the number of each set."""
        return self._give("muslin_cloth_add_links", self._sets, sets, self._weightless)

    def sew(self, stitches, **how):
        """Sew pairs of vertices, or stitches of `seams`; gives the set's number. speed, stiffness: as in links.seam()."""
        return self._add(links.seam(stitches, **how))

    def tack(self, first, second, **how):
        """Hold vertices to others of this cloth, as links.tack() explains; gives the set's number."""
        return self._add(links.tack(first, second, **how))

    def elastic(self, edges, share, **how):
        """Elastic along edges, as links.elastic() explains; gives the set's number."""
        return self._add(links.elastic(edges, share, **how))

    def release(self, set_number):
        """Let the links of a set go."""
        self._call("muslin_cloth_release_links", whole_number("set_number", set_number))

    def hold(self, set_number):
        """Hold a released set of links again, at its first lengths; tacks whose body is gone stay released."""
        self._call("muslin_cloth_hold_links", whole_number("set_number", set_number))

    def link_report(self, set_number=None):
        """How far a set of links has come, or all of them, as a LinkReport."""
        which = -1 if set_number is None else whole_number("set_number", set_number)
        return self._report("muslin_cloth_get_links", LinkReport, which)

    def _add(self, added):
        return self.add_links([added])[0]

    def _give(self, call, first, sets, weightless):
        given = [array.copy() for array in sets]
        numbers = list(range(first, first + len(given)))
        for set_number, array in zip(numbers, given):
            array["set"] = set_number
        struct, keep = links.to_struct(given, weightless)
        self._call(call, struct)
        del keep
        self._sets = first + len(given)
        self._weightless = weightless
        return numbers

    # Contact

    def add_body(self, mesh, thickness=None, friction=None):
        """Something to collide with: a Mesh, or (positions, faces); gives a Body. thickness: the distance that the
        cloth keeps, m (default 0.004). friction: Coulomb's coefficient (default 0.3)."""
        return Body(self, mesh, thickness, friction)

    def set_self_contact(self, enabled, thickness=None, friction=None):
        """Whether layers, garments and ropes of this cloth meet each other; units as in add_body()."""
        surface = BodySurface(thickness, friction)
        numbers = surface.thickness, surface.friction
        self._call("muslin_cloth_set_self_contact", whole_number("enabled", enabled), *numbers)

    # Changing while running

    @property
    def settings(self):
        """All settings as they are now."""
        return settings_of(self._definition)

    @property
    def part_count(self):
        """How many parts it has, each of a material of its own."""
        return len(self.materials)

    @property
    def materials(self):
        """The material of each part as it is now, as dictionaries."""
        parts = self._parts.materials if self._parts else [self._definition.material.contents]
        return [
            {name: plain_value(getattr(one, name)) for name in MATERIAL_FIELDS} for one in parts
        ]

    def set_material(self, part=None, **changes):
        """Change some of the material, of one part or of all; what is not named stays."""
        part = None if part is None else whole_number("part", part)
        if self._parts:
            self._parts.set(self._call, part, changes)
            return
        if part not in (None, 0):
            arrays.refuse(f"part: {part!r}, but the cloth has one part, number 0")
        material = changed(self._definition.material.contents, changes)
        self._call("muslin_cloth_set_material", material)
        self._definition.material = ctypes.pointer(material)

    def set_forces(self, **changes):
        """Change gravity, wind or drag; what is not named stays."""
        forces = _abi.Forces.from_buffer_copy(self._definition.forces.contents)
        change_struct(forces, FORCE_FIELDS, changes)
        self._call("muslin_cloth_set_forces", forces)
        self._definition.forces = ctypes.pointer(forces)

    def set_fields(self, wind=None, traction=None):
        """Force fields at each vertex: wind besides that of all, m/s, and a force per area, N/m². None: none."""
        fields, shape = [], (self.vertex_count, 3)
        for name, values in (("wind", wind), ("traction", traction)):
            fields.append(None if values is None else arrays.floats(name, values, shape))
        self._call("muslin_cloth_set_fields", *map(arrays.pointer, fields))

    def set_iterations(self, substeps, iterations):
        """Change how finely and how thoroughly each step is computed; the quality becomes custom. Substeps 0 or "auto": as
        many as the motion asks for."""
        substeps = counted_number("substeps", substeps)
        iterations = whole_number("iterations", iterations)
        self._call("muslin_cloth_set_iterations", substeps, iterations)
        self._definition.substeps = substeps
        self._definition.iterations = iterations
        self._definition.quality = _enums.Quality.CUSTOM

    def set_quality(self, quality):
        """Change the quality of the two-level scheme: "draft", "fit" or "final"."""
        quality = choice_of("quality", quality)
        self._call("muslin_cloth_set_quality", quality)
        self._definition.quality = quality

    def set_map(self, name, values):
        """A per-vertex map: factors on what docs/reference/settings.md says of its name; None: all 1."""
        if name not in MAPS:
            unknown(name, list(MAPS))
        if values is not None:
            values = arrays.floats(name, values, (self.vertex_count,))
        kind = _enums.Map[name.upper()]
        self._call("muslin_cloth_set_map", kind, arrays.pointer(values))
        if values is None:
            self._maps.pop(name, None)
        else:
            self._maps[name] = values.copy()

    def set_maps(self, **maps):
        """These maps and no others, each as set_map() takes it. Where one is refused, all are as before."""
        before = dict(self._maps)
        try:
            self._exchange_maps(maps)
        except BaseException:
            self._exchange_maps(before)
            raise

    def _exchange_maps(self, maps):
        for name in self._maps.keys() - maps.keys():
            self.set_map(name, None)
        for name, values in maps.items():
            if values is not self._maps.get(name):
                self.set_map(name, values)

    # State

    def _empty(self):
        return np.empty((self.vertex_count, 3), dtype=np.float32)

    def positions(self, out=None):
        """Positions, m. `out`, a contiguous float32 array of n x 3 or 3 n, is filled if given."""
        out = self._empty() if out is None else out
        arrays.check_output("out", out, self.vertex_count)
        self._call("muslin_cloth_get_state", arrays.pointer(out), None)
        return out

    def state(self):
        """Positions, m, and velocities, m/s."""
        positions, velocities = self._empty(), self._empty()
        self._call("muslin_cloth_get_state", *map(arrays.pointer, (positions, velocities)))
        return positions, velocities

    def set_state(self, positions, velocities=None):
        """Replace the state, m and m/s; without velocities the cloth rests."""
        shape = (self.vertex_count, 3)
        positions = arrays.floats("positions", positions, shape)
        if velocities is not None:
            velocities = arrays.floats("velocities", velocities, shape)
        self._call("muslin_cloth_set_state", *map(arrays.pointer, (positions, velocities)))

    def snapshot(self):
        """The whole dynamic state as bytes, without pins, material and forces."""
        size = ctypes.c_size_t(0)
        self._call("muslin_cloth_get_snapshot_size", ctypes.byref(size))
        snapshot = ctypes.create_string_buffer(size.value)
        self._call("muslin_cloth_get_snapshot", snapshot, size.value)
        return snapshot.raw

    def restore(self, snapshot):
        """Go back to a snapshot of this cloth, or of another one of the same mesh and settings."""
        try:
            snapshot = bytes(memoryview(snapshot))
        except (TypeError, ValueError, BufferError):
            arrays.refuse(f"snapshot: wanted the bytes of snapshot(), got {kind_of(snapshot)}")
        self._call("muslin_cloth_restore", snapshot, len(snapshot))

    # Reports

    def report(self):
        """Size of the matrix and of its factor, memory and seconds, as a Report."""
        return self._report("muslin_cloth_get_report", Report)

    def stats(self):
        """Seconds of the last step, strain and energies, as Stats."""
        return self._report("muslin_cloth_get_stats", Stats)

    def inspect(self):
        """Its placement on its bodies and in itself now, as an Inspection with its places."""
        report = new_struct(_abi.Inspection)
        places = (_abi.Place * (_abi.PLACES_EACH * len(_enums.PlaceKind)))()
        found = ctypes.c_int32(0)
        arguments = report, places, len(places), ctypes.byref(found)
        self._call("muslin_cloth_get_inspection", *arguments)
        values = vars(to_dataclass(InspectionReport, report))
        values.update(placement=_enums.Placement(report.placement))
        values.update(found=_enums.Fault(report.found))
        return Inspection(**values, places=tuple(map(place_of, places[: found.value])))

    def fit(self):
        """Where the cloth is tight, as a Fit: for each vertex the strain of warp and weft (length over that in the
        pattern minus 1), shear (by how much the angle between them is off, rad), pressure on bodies (Pa) and the gap
        to the nearest (m, negative inside, infinite without bodies)."""
        fit = Fit(*np.empty((5, self.vertex_count), dtype=np.float32))
        self._call("muslin_cloth_get_fit", *map(arrays.pointer, fit))
        return fit

    def tensions(self):
        """(along warp, along weft) at each vertex, N per metre of cloth across as it is now, of the stretch law
        alone; below 0 where it is compressed."""
        pulls = np.empty((2, self.vertex_count), dtype=np.float32)
        self._call("muslin_cloth_get_tension", *map(arrays.pointer, pulls))
        return pulls[0], pulls[1]

    def mirror(self):
        """How the cloth is mirrored, as a MirrorReport; `mode` is "off", "exact" or "halve"."""
        report = self._report("muslin_cloth_get_mirror", MirrorReport)
        return replace(report, mode=word(_enums.Mirror(report.mode)))

    def levels(self):
        """Which mesh is simulated where there is a budget, as a LevelReport."""
        return self._report("muslin_cloth_get_levels", LevelReport)

    def put_outside(self, points, reach=0.05):
        """Points (n x 3, m) near the cloth, with those in bodies, at most `reach` (m) deep, moved out; a new array."""
        points = arrays.floats("points", points, (-1, 3)).copy()
        reach = number("reach", reach)
        self._call("muslin_cloth_put_outside", reach, len(points), arrays.pointer(points))
        return points

    def eigenvalues(self):
        """Least and largest eigenvalue of the mass-scaled system matrix of the prepared cloth."""
        smallest, largest = ctypes.c_double(0.0), ctypes.c_double(0.0)
        self._call("muslin_debug_eigenvalues", ctypes.byref(smallest), ctypes.byref(largest))
        return smallest.value, largest.value

    def solve(self, right_hand_side, iterations=1):
        """One bare solve with the prepared factor: the solution (n x 3 float64) and its seconds."""
        shape = (self.vertex_count, 3)
        solution = arrays.floats("right_hand_side", right_hand_side, shape, np.float64).copy()
        seconds, iterations = ctypes.c_double(0.0), whole_number("iterations", iterations)
        pointer = arrays.pointer(solution)
        self._call("muslin_debug_solve", pointer, iterations, ctypes.byref(seconds))
        return solution, seconds.value
