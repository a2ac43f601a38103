# SPDX-License-Identifier: GPL-3.0-or-later
"""A small software renderer: cloth and bodies in soft studio light, in NumPy alone.

One z-buffer pass finds the triangle at each pixel, then all pixels are shaded at once: key light with
a soft shadow map, fill and rim light, creases darkened from the depth picture, a contact shadow on the
ground. Colours are linear until the end.
"""

from dataclasses import dataclass, field

import numpy as np

from test_scenes.mesh import fan
from test_scenes.raster import edge_weights, rasterise

CLOTH = (0.37, 0.075, 0.06)
SECOND_CLOTH = (0.07, 0.15, 0.30)
PALE_CLOTH = (0.42, 0.37, 0.30)
SKIN = (0.56, 0.53, 0.50)
PAPER = np.array([0.83, 0.83, 0.82])
# Towards the lights, as seen by a camera at azimuth 0; they turn with the camera like studio lamps.
KEY = np.array([-0.60, -0.58, 0.85])
FILL = np.array([0.9, -0.5, 0.25])
RIM = np.array([0.4, 0.9, 0.5])
SHADOW_SIZE = 1024


@dataclass
class Finish:
    """How a surface looks besides its colour. gloss: of the lamps' reflections, 0 for cloth that has none; the larger
    `sharpness`, the smaller they are. weave: gives for places (n, 2) of the flat cloth by how much its colour is
    brighter there, one number or three; `flat` has the place of each vertex."""

    gloss: float = 0.0
    sharpness: float = 12.0
    weave: object = None
    flat: np.ndarray = None


@dataclass
class Part:
    """One mesh of the picture; `edges` are ropes, `wire` draws the polygons' borders faintly. `colour` may be one for each
    vertex."""

    positions: np.ndarray
    faces: object
    colour: tuple = CLOTH
    edges: object = None
    wire: bool = False
    finish: Finish = field(default_factory=Finish)


@dataclass
class Camera:
    """Looks at `target` from `distance`; azimuth 0 looks along +Y at the front of a figure."""

    target: np.ndarray
    distance: float
    azimuth: float = 25.0
    elevation: float = 10.0
    field_of_view: float = 26.0

    def axes(self):
        """Rows: right, down, forward."""
        turn, lift = np.radians(self.azimuth), np.radians(self.elevation)
        forward = -np.array(
            [np.sin(turn) * np.cos(lift), -np.cos(turn) * np.cos(lift), np.sin(lift)]
        )
        right = np.array([np.cos(turn), np.sin(turn), 0.0])
        return np.stack([right, np.cross(forward, right), forward])

    def eye(self):
        return self.target - self.distance * self.axes()[2]


def frame_camera(points, width, height, azimuth=25.0, elevation=10.0, margin=1.08):
    """A camera that sees all points (n, 3), with a little air around them."""
    camera = Camera(np.zeros(3), 1.0, azimuth, elevation)
    seen = points @ camera.axes().T
    slope = np.tan(np.radians(camera.field_of_view) / 2) / margin
    sideways = slope * min(1.0, width / height)
    upward = slope * min(1.0, height / width)
    middle = (seen.min(0) + seen.max(0)) / 2
    for _ in range(4):
        offset = seen - middle
        reach = np.maximum(np.abs(offset[:, 0]) / sideways, np.abs(offset[:, 1]) / upward)
        camera.distance = float((reach - offset[:, 2]).max())
        depth = offset[:, 2] + camera.distance
        spread = offset[:, :2] / depth[:, None]
        middle[:2] += (spread.min(0) + spread.max(0)) / 2 * camera.distance
    camera.target = middle @ camera.axes()
    return camera


@dataclass
class _Scene:
    """All parts joined: triangles with smooth normals, a colour for each vertex and which sides are polygon sides.
    parts: of each triangle the number of its part; flat: of each vertex its place in the flat cloth.
    """

    positions: np.ndarray = None
    normals: np.ndarray = None
    triangles: np.ndarray = None
    colours: np.ndarray = None
    wired: np.ndarray = None
    parts: np.ndarray = None
    flat: np.ndarray = None
    finishes: list = None
    ground: float = 0.0
    size: float = 1.0
    lamps: np.ndarray = None
    shadow: tuple = field(default=None, repr=False)


def render(parts, camera, width=800, height=600, ground=None, samples=2):
    """A picture (height, width, 3) uint8 of the parts; `ground` is the height of the floor."""
    scene = _join(parts)
    scene.ground = float(scene.positions[:, 2].min()) if ground is None else ground
    wide, tall = width * samples, height * samples
    axes, eye = camera.axes(), camera.eye()
    focal = max(wide, tall) / 2 / np.tan(np.radians(camera.field_of_view) / 2)
    seen = (scene.positions - eye) @ axes.T
    depth = np.maximum(seen[:, 2], 1e-3)
    screen = seen[:, :2] * (focal / depth)[:, None] + (wide / 2, tall / 2)
    owner, near = rasterise(screen, 1 / depth, scene.triangles, wide, tall)
    scene.lamps = _lamps(camera.azimuth)
    scene.shadow = _shadow_map(scene)
    rays = _rays(wide, tall, focal, axes)
    picture = _shade_ground(scene, eye, rays)
    hit = np.flatnonzero(owner.ravel() >= 0)
    if len(hit):
        colour = _shade_cloth(scene, screen, 1 / depth, owner.ravel()[hit], hit, wide, eye)
        colour *= 1 - 0.65 * _creases(near, focal, scene.size).ravel()[hit, None]
        picture[hit] = colour
    return _develop(picture.reshape(tall, wide, 3), samples)


def _join(parts):
    positions, normals, triangles, colours, wired, numbers, flat = [], [], [], [], [], [], []
    offset = 0
    for number, part in enumerate(parts):
        points, faces = np.asarray(part.positions, float), part.faces
        tube_points, tube_faces = _tubes(points, part.edges)
        split = np.concatenate([fan(faces), tube_faces + len(points)]).astype(np.int64)
        points = np.concatenate([points, tube_points])
        positions.append(points)
        normals.append(_vertex_normals(points, split))
        triangles.append(split + offset)
        colour = np.broadcast_to(part.colour, (len(part.positions), 3))
        colours.append(np.concatenate([colour, np.resize(colour, (len(tube_points), 3))]))
        flags = np.zeros((len(split), 3), bool)
        if part.wire:
            outline = _outline_flags(faces)
            flags[: len(outline)] = outline
        wired.append(flags)
        numbers.append(np.full(len(split), number))
        places = np.zeros((len(points), 2))
        if part.finish.flat is not None:
            places[: len(part.positions)] = part.finish.flat
        flat.append(places)
        offset += len(points)
    lists = positions, normals, triangles, colours, wired, numbers, flat
    scene = _Scene(*map(np.concatenate, lists), [part.finish for part in parts])
    scene.size = float(np.ptp(scene.positions, axis=0).max())
    return scene


def _outline_flags(faces):
    """For each fan triangle, whether the side across from corner 0, 1, 2 is a side of the polygon."""
    flags = []
    for face in faces:
        last = len(face) - 2
        flags += [(True, k == last, k == 1) for k in range(1, last + 1)]
    return np.array(flags, bool).reshape(-1, 3)


def _tubes(points, edges, radius=0.004, sides=6):
    """Gives loose edges a thickness: one open tube an edge."""
    if edges is None or len(edges) == 0:
        return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
    start, end = points[edges[:, 0]], points[edges[:, 1]]
    lengths = np.linalg.norm(end - start, axis=1)
    seen = lengths > radius  # closed stitches are not
    start, end = start[seen], end[seen]
    along = (end - start) / lengths[seen][:, None]
    helper = np.where(np.abs(along[:, 2:]) < 0.8, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    across = np.cross(along, helper)
    across /= np.linalg.norm(across, axis=1)[:, None]
    third = np.cross(along, across)
    angles = 2 * np.pi * np.arange(sides) / sides
    ring = np.cos(angles)[:, None] * across[:, None] + np.sin(angles)[:, None] * third[:, None]
    tube = np.stack([start[:, None] + radius * ring, end[:, None] + radius * ring], 1)
    low = np.arange(sides)
    high = (low + 1) % sides
    pattern = np.concatenate(
        [np.stack([low, high, high + sides], 1), np.stack([low, high + sides, low + sides], 1)]
    )
    faces = pattern[None] + 2 * sides * np.arange(len(start))[:, None, None]
    return tube.reshape(-1, 3), faces.reshape(-1, 3)


def _vertex_normals(points, triangles):
    corners = points[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    summed = np.stack(
        [np.bincount(triangles.ravel(), np.repeat(normal[:, k], 3), len(points)) for k in range(3)],
        1,
    )
    return summed / np.maximum(np.linalg.norm(summed, axis=1), 1e-30)[:, None]


def _rays(width, height, focal, axes):
    x = (np.arange(width) + 0.5 - width / 2) / focal
    y = (np.arange(height) + 0.5 - height / 2) / focal
    rays = np.empty((height, width, 3), np.float32)
    rays[:] = axes[2] + y[:, None, None] * axes[1] + x[None, :, None] * axes[0]
    return rays.reshape(-1, 3)


def _unit(vector):
    return vector / np.linalg.norm(vector)


def _lamps(azimuth):
    """Unit directions to the key, fill and rim light, turned with the camera."""
    turn = np.radians(azimuth)
    cosine, sine = np.cos(turn), np.sin(turn)
    turned = np.array([[cosine, sine, 0], [-sine, cosine, 0], [0, 0, 1]])
    return np.stack([_unit(lamp) @ turned for lamp in (KEY, FILL, RIM)])


def _shadow_map(scene):
    """The scene seen from the key light: (axes, scale, offset, nearness picture)."""
    toward = scene.lamps[0]
    right = _unit(np.cross((0.0, 0.0, 1.0), toward))
    axes = np.stack([right, np.cross(toward, right), toward])
    seen = scene.positions @ axes.T
    low, high = seen[:, :2].min(0), seen[:, :2].max(0)
    scale = (SHADOW_SIZE - 16) / (high - low).max()
    offset = 8 - low * scale
    screen = seen[:, :2] * scale + offset
    _, near = rasterise(screen, seen[:, 2], scene.triangles, SHADOW_SIZE, SHADOW_SIZE)
    return axes, scale, offset, near


def _lit(scene, points, radius, bias):
    """How much of the key light reaches the points, from 0 to 1, softened over `radius` metres."""
    axes, scale, offset, near = scene.shadow
    seen = points @ axes.T.astype(np.float32)
    place = seen[:, :2] * np.float32(scale) + offset.astype(np.float32)
    light = np.zeros(len(points), np.float32)
    spiral = np.arange(16)
    reach = radius * scale * np.sqrt((spiral + 0.5) / 16)
    for angle, length in zip(2.399963 * spiral, reach):
        column = np.clip(place[:, 0] + length * np.cos(angle), 0, SHADOW_SIZE - 1).astype(np.int32)
        row = np.clip(place[:, 1] + length * np.sin(angle), 0, SHADOW_SIZE - 1).astype(np.int32)
        light += near[row, column] < seen[:, 2] + bias
    return light / 16


def _shade_cloth(scene, screen, nearness, owner, hit, width, eye):
    triangles = scene.triangles[owner]
    weights, sides = _pixel_weights(screen, nearness, triangles, hit, width)
    corners = scene.positions.astype(np.float32)[triangles]
    point = (corners * weights[:, :, None]).sum(1)
    normal = (scene.normals.astype(np.float32)[triangles] * weights[:, :, None]).sum(1)
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-9)[:, None]
    view = eye.astype(np.float32) - point
    view /= np.linalg.norm(view, axis=1)[:, None]
    # By the flat triangle: smooth normals turn away too early at an outline, and would darken it.
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    behind = (flat * view).sum(1) < 0
    normal[behind] *= -1
    facing = np.maximum((normal * view).sum(1), 0)
    base = (scene.colours.astype(np.float32)[triangles] * weights[:, :, None]).sum(1)
    base[behind] *= 0.72
    base *= 1 - 0.35 * _wire(scene.wired[owner], sides)[:, None]
    shadow = _lit(scene, point + 0.004 * normal, 0.008 * scene.size, 0.006)
    flat = (scene.flat.astype(np.float32)[triangles] * weights[:, :, None]).sum(1)
    shine = np.zeros((len(base), 1), np.float32)
    for number, finish in enumerate(scene.finishes):
        own = scene.parts[owner] == number
        if finish.weave is not None:
            base[own] *= finish.weave(flat[own]).reshape(own.sum(), -1)
        if finish.gloss:
            shine[own] = _shine(finish, normal[own], view[own], shadow[own], scene.lamps)
    return base * _light(normal, facing, shadow, scene.lamps) + _sheen(facing, normal) + shine


def _shine(finish, normal, view, shadow, lamps):
    """Reflections of the key light and, fainter, of the fill light [Blinn 1977]."""
    total = 0
    for lamp, strength in zip(lamps[:2].astype(np.float32), (0.2 + 0.8 * shadow, 0.35)):
        half = view + lamp
        half /= np.maximum(np.linalg.norm(half, axis=1), 1e-9)[:, None]
        total = total + strength * np.clip((normal * half).sum(1), 0, 1) ** finish.sharpness
    return (finish.gloss * total)[:, None]


def _light(normal, facing, shadow, lamps):
    """Key, fill, rim and sky light on a surface, as RGB factors."""
    key, fill, rim = (normal @ lamps.T.astype(np.float32)).T
    key = np.clip((key + 0.15) / 1.15, 0, 1) * (0.10 + 0.90 * shadow)
    fill = np.clip(fill + 0.3, 0, 1.3)
    rim = np.clip(rim, 0, 1) * (1 - facing) ** 2
    sky = 0.5 + 0.5 * normal[:, 2]
    tints = np.array(
        [[1.62, 1.54, 1.42], [0.24, 0.27, 0.32], [0.9, 0.9, 0.95], [0.25, 0.27, 0.31]], np.float32
    )
    return np.stack([key, fill, rim, sky], 1) @ tints


def _sheen(facing, normal):
    """The pale edge that fibres standing off the cloth give it."""
    return (0.05 * (1 - facing) ** 3 * (0.6 + 0.4 * normal[:, 2]))[:, None]


def _pixel_weights(screen, nearness, triangles, hit, width):
    """Perspective-correct corner weights of each pixel, and its distance in pixels to the three sides."""
    corners = screen[triangles]
    pixel = np.stack([hit % width, hit // width], 1)
    affine = edge_weights(corners, pixel)
    flat = np.concatenate([1 - affine[:, :1, 2] - affine[:, 1:, 2], affine[:, :, 2]], 1)
    slopes = np.stack([-affine[:, 0, :2] - affine[:, 1, :2], affine[:, 0, :2], affine[:, 1, :2]], 1)
    sides = np.abs(flat) / np.maximum(np.linalg.norm(slopes, axis=2), 1e-9)
    weights = np.clip(flat, 0, 1) * nearness[triangles].astype(np.float32)
    return weights / weights.sum(1, keepdims=True), sides


def _wire(flags, sides):
    distance = np.where(flags, sides, np.float32(99)).min(1)
    return np.clip(1.3 - 0.8 * distance, 0, 1)


def _shade_ground(scene, eye, rays):
    """Paper everywhere; where a ray meets the ground, the shadows fall on it."""
    falling = -rays[:, 2] > 1e-4
    travel = np.where(falling, (eye[2] - scene.ground) / np.where(falling, -rays[:, 2], 1), 0)
    spot = eye[:2].astype(np.float32) + rays[:, :2] * travel[:, None].astype(np.float32)
    middle = (scene.positions[:, :2].min(0) + scene.positions[:, :2].max(0)) / 2
    near = np.flatnonzero(falling & (np.abs(spot - middle).max(1) < 1.5 * scene.size))
    lift = np.clip(rays[:, 2] / 0.5, -1, 1)[:, None]
    picture = (PAPER * (1 - 0.10 * np.abs(lift) - 0.03 * lift)).astype(np.float32)
    points = np.concatenate([spot[near], np.full((len(near), 1), scene.ground, np.float32)], 1)
    dark = 0.30 * (1 - _lit(scene, points, 0.03 * scene.size, 0.0))
    dark = 1 - (1 - dark) * (1 - 0.5 * _contact(scene, spot[near]))
    picture[near] *= 1 - dark[:, None] * np.array([1.0, 0.98, 0.94], np.float32)
    return picture


def _contact(scene, spots):
    """The soft dark patch under what is near the ground: its outline from above, blurred."""
    count, pad = 192, 48
    low, high = scene.positions[:, :2].min(0), scene.positions[:, :2].max(0)
    scale = (count - 2 * pad) / max(float((high - low).max()), 1e-9)
    screen = (scene.positions[:, :2] - (low + high) / 2) * scale + count / 2
    _, near = rasterise(screen, -scene.positions[:, 2], scene.triangles, count, count)
    above = np.maximum(-near - scene.ground, 0)
    shade = np.where(np.isfinite(near), np.exp(-np.minimum(above, 50) / (0.2 * scene.size)), 0)
    for radius in (3, 5, 8):
        shade = _blur(shade, radius)
    place = (spots - (low + high) / 2) * scale + count / 2
    column, row = np.clip(place, 0, count - 1.001).T
    x, y = column.astype(int), row.astype(int)
    right, below = column - x, row - y
    upper = shade[y, x] * (1 - right) + shade[y, np.minimum(x + 1, count - 1)] * right
    y = np.minimum(y + 1, count - 1)
    lower = shade[y, x] * (1 - right) + shade[y, np.minimum(x + 1, count - 1)] * right
    return upper * (1 - below) + lower * below


def _blur(picture, radius):
    for _ in range(2):
        padded = np.pad(picture, ((radius + 1, radius), (0, 0)))
        summed = padded.cumsum(0)
        picture = ((summed[2 * radius + 1 :] - summed[: -2 * radius - 1]) / (2 * radius + 1)).T
    return picture


def _creases(near, focal, size):
    """Darkness of folds and corners: how much nearer the surroundings are than the pixel itself."""
    with np.errstate(divide="ignore"):
        depth = np.where(near > 0, 1 / near, np.float32(1e6)).astype(np.float32)
    typical = np.median(depth[near > 0])
    darkness = np.zeros_like(depth)
    for reach, share in ((0.012 * size, 0.5), (0.035 * size, 0.5)):
        step = max(1, round(reach * focal / typical))
        for x, y in ((1, 0), (0, 1), (0.7, 0.7), (0.7, -0.7)):
            dx, dy = round(step * x), round(step * y)
            gap = np.zeros_like(depth)
            for sign in (1, -1):
                other = _shifted(depth, sign * dx, sign * dy)
                gap += np.clip(depth - other, -reach, reach)
            darkness += np.clip(gap / (2 * reach) - 0.04, 0, 1) * (share / 4)
    return np.clip(1.8 * darkness, 0, 1)


def _shifted(picture, dx, dy):
    """The picture moved by (dx, dy) pixels; its border is repeated where nothing moves in."""
    height, width = picture.shape
    rows = np.clip(np.arange(height) - dy, 0, height - 1)
    columns = np.clip(np.arange(width) - dx, 0, width - 1)
    return picture[rows][:, columns]


def _develop(picture, samples):
    """Averages the samples of each pixel, then from linear light to the screen's curve."""
    height, width, _ = picture.shape
    shape = (height // samples, samples, width // samples, samples, 3)
    small = picture.reshape(shape).mean((1, 3))
    small = np.clip(small, 0, None)
    small = small / (1 + 0.12 * small)  # bright folds roll off softly instead of clipping
    levels = 255 * np.clip(small, 0, 1) ** (1 / 2.2)
    # Noise of one level hides the steps that eight bits make in the even background.
    grain = np.random.default_rng(1).random(levels.shape[:2])[:, :, None]
    return np.clip(np.floor(levels + grain), 0, 255).astype(np.uint8)
