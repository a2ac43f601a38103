# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the file of a job. Every refusal names the field that is wrong; nothing of a file is ever executed."""

import os
import re
from collections import namedtuple
from dataclasses import dataclass, replace
from pathlib import Path

from .. import windows
from ..errors import FileError, printable
from ..fabrics import looks_like_path
from ..files import parse_json, read_ordinary
from ..table import MAP_OPTIONS

VERSION = 1
VERSION_FIELD = "muslin_job"
ENDING = ".json"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,47}")
ONLY_VARIATION = "plain"  # of a job that names none
# Settings that are files: looked for beside the job, and hashed as all that is read.
FILE_SETTINGS = (*MAP_OPTIONS, "pin_motion", "upsample", "track")
FABRIC = "fabric"


# Paths: of a mesh that cloth collides with, and of the point cache that may move it.
Body = namedtuple("Body", "mesh motion", defaults=(None,))
# meshes: files, for shots of bodies. objects: names, for shots that are .blend files.
Garment = namedtuple("Garment", "name meshes objects settings")
# Either `blend`, a path, or bodies.
Shot = namedtuple("Shot", "name blend bodies settings")


@dataclass(frozen=True)
class Job:
    """folder: that of the file, where all paths begin. settings: of every task; variations: by name."""

    path: Path
    name: str
    output: str
    settings: dict
    garments: tuple
    shots: tuple
    variations: dict
    left_out: tuple = ()

    @property
    def folder(self):
        return self.path.parent

    @property
    def state_folder(self):
        """Where records, logs and locks of its tasks are."""
        return not_a_link(state_folder_of(self.path))


def state_folder_of(path):
    return path.parent / f"{path.stem}.batch"


def not_a_link(place):
    """What a job writes beside itself or its outputs: in a folder that came from elsewhere a link may lead anywhere."""
    if os.path.islink(windows.openable(place)):
        problem = "is a link where Muslin's own file belongs; Muslin does not write through links"
        raise FileError(place, problem)
    return place


def read_job(path):
    """The Job of a file; a FileError names what is wrong with it."""
    path = Path(path).resolve()
    if path.suffix.lower() != ENDING:  # others of the same stem would share its records
        raise FileError(path, f"the name of a job ends with {ENDING}")
    return Reader(path).job(parse_json(path, read_ordinary(path)))


def is_file(name, value):
    """Whether a setting is the path of a file. A fabric is one or has a name."""
    if name == FABRIC:
        return isinstance(value, str) and looks_like_path(value)
    return name in FILE_SETTINGS


class Reader:
    """Turns what JSON gives into a Job; `where` is the way to a field, such as shots.walk.bodies."""

    def __init__(self, path):
        self.path = path

    def refuse(self, where, problem):
        raise FileError(self.path, f"{printable(where)}: {problem}" if where else problem)

    def job(self, content):
        self.fields("", content, (VERSION_FIELD, "output", "garments", "shots"), OPTIONAL)
        if content[VERSION_FIELD] != VERSION or isinstance(content[VERSION_FIELD], bool):
            self.refuse(VERSION_FIELD, f"this Muslin reads only version {VERSION} of the file")
        plain = re.sub(r"[^A-Za-z0-9_-]", "_", self.path.stem).lstrip("_-")[:48]
        name = content.get("name", plain or "job")
        self.name("name", name)
        garments = self.named("garments", content["garments"], self.garment)
        shots = self.named("shots", content["shots"], self.shot)
        given = content.get("variations", {ONLY_VARIATION: {}})
        variations = dict(self.named("variations", given, self.variation))
        job = Job(
            self.path,
            name,
            self.text("output", content["output"]),
            self.settings("settings", content.get("settings", {})),
            tuple(garments),
            tuple(shots),
            variations,
        )
        return self.with_left_out(job, content.get("leave_out", []))

    def with_left_out(self, job, given):
        """The job without the combinations of leave_out."""
        garments, shots = ({one.name for one in some} for some in (job.garments, job.shots))
        known = {"garment": garments, "shot": shots, "variation": set(job.variations)}
        if not isinstance(given, list):
            self.refuse("leave_out", "must be a list")
        for number, one in enumerate(given):
            where = f"leave_out[{number}]"
            self.fields(where, one, (), tuple(known))
            if not one:
                self.refuse(where, f"names none of {', '.join(known)}")
            for kind, name in one.items():
                if not isinstance(name, str) or name not in known[kind]:
                    self.refuse(f"{where}.{kind}", f"there is no {kind} {printable(repr(name))}")
        return replace(job, left_out=tuple(tuple(one.items()) for one in given))

    def named(self, where, given, read):
        """What `read` makes of each entry of an object with at least one."""
        if not isinstance(given, dict) or not given:
            self.refuse(where, "must be an object with at least one entry")
        found, taken = [], set()
        for name, content in given.items():
            self.name(f"{where}.{name}", name)
            if name.casefold() in taken:  # some disks know no capitals
                self.refuse(f"{where}.{name}", "another one differs only in case")
            taken.add(name.casefold())
            found.append(read(f"{where}.{name}", name, content))
        return found

    def garment(self, where, name, content):
        self.fields(where, content, (), ("mesh", "object", "settings"))
        meshes = self.listed(f"{where}.mesh", content.get("mesh", []), self.file)
        objects = self.listed(f"{where}.object", content.get("object", name), self.text)
        settings = self.settings(f"{where}.settings", content.get("settings", {}))
        return Garment(name, meshes, objects, settings)

    def shot(self, where, name, content):
        self.fields(where, content, (), ("blend", "bodies", "settings"))
        blend = content.get("blend")
        if blend is not None and "bodies" in content:
            self.refuse(where, "has both a blend and bodies: a .blend file has its own bodies")
        if blend is not None:
            blend = self.file(f"{where}.blend", blend)
        bodies = content.get("bodies", [])
        if not isinstance(bodies, list):
            self.refuse(f"{where}.bodies", "must be a list")
        bodies = self.listed(f"{where}.bodies", bodies, self.body)
        settings = self.settings(f"{where}.settings", content.get("settings", {}))
        return Shot(name, blend, bodies, settings)

    def variation(self, where, name, content):
        return name, self.settings(where, content)

    def body(self, where, content):
        """The path of a mesh, or an object with a mesh and its motion."""
        if isinstance(content, str):
            return Body(self.file(where, content))
        self.fields(where, content, ("mesh",), ("motion",))
        motion = content.get("motion")
        mesh = self.file(f"{where}.mesh", content["mesh"])
        return Body(mesh, None if motion is None else self.file(f"{where}.motion", motion))

    def settings(self, where, content):
        """Names with numbers, words, truth values or lists of these; files become paths."""
        if not isinstance(content, dict):
            self.refuse(where, "must be an object of settings")
        found = {}
        for name, value in content.items():
            place = f"{where}.{name}"
            parts = value if isinstance(value, list) else [value]
            if not parts or not all(isinstance(part, (bool, int, float, str)) for part in parts):
                self.refuse(place, "must be a number, a word, true, false, or a list of these")
            parts = [str(self.file(place, p)) if is_file(name, p) else p for p in parts]
            found[name] = parts if isinstance(value, list) else parts[0]
        return found

    def listed(self, where, given, read):
        """One, or a list of them."""
        if not isinstance(given, list):
            return (read(where, given),)
        return tuple(read(f"{where}[{number}]", one) for number, one in enumerate(given))

    def text(self, where, given):
        if not isinstance(given, str) or not given or not given.isprintable():
            self.refuse(where, "must be text")
        return given

    def name(self, where, given):
        if not isinstance(given, str) or not NAME.fullmatch(given):
            self.refuse(where, "a name has only letters, digits, - and _, at most 48")

    def file(self, where, given):
        """An existing file, beside the job unless its path is whole."""
        path = self.path.parent / self.text(where, given)
        if not os.path.isfile(windows.openable(path)):
            self.refuse(where, f"there is no file {path}")
        return path

    def fields(self, where, content, required, optional):
        if not isinstance(content, dict):
            self.refuse(where, "must be an object")
        known = (*required, *optional)
        for name in required:
            if name not in content:
                self.refuse(f"{where}.{name}" if where else name, "is missing")
        for name in content:
            if name not in known:
                place = f"{where}.{name}" if where else name
                self.refuse(place, f"is not a field of a job; the fields are {', '.join(known)}")


OPTIONAL = ("name", "settings", "variations", "leave_out")
