# SPDX-License-Identifier: GPL-3.0-or-later
"""The tasks of a job: every garment in every shot in every variation, and the files that they write."""

import os
import string
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from ..errors import FileError
from .job import Garment, Job, Shot, is_file, not_a_link

ENDING = ".pc2"


@dataclass(frozen=True)
class Task:
    """outputs: a point cache for each part of the garment. settings: all that hold for it, the last word won."""

    job: Job
    garment: Garment
    shot: Shot
    variation: str
    outputs: tuple = ()

    @property
    def name(self):
        return f"{self.garment.name}.{self.shot.name}.{self.variation}"

    @property
    def is_blend(self):
        return self.shot.blend is not None

    @property
    def parts(self):
        """What is simulated together: paths of meshes, or names of objects."""
        return self.garment.objects if self.is_blend else self.garment.meshes

    @property
    def layers(self):
        """(where in the file, settings) from the most general to the most special."""
        return (
            ("settings", self.job.settings),
            (f"garments.{self.garment.name}.settings", self.garment.settings),
            (f"shots.{self.shot.name}.settings", self.shot.settings),
            (f"variations.{self.variation}", self.job.variations[self.variation]),
        )

    @property
    def settings(self):
        found = {}
        for _, settings in self.layers:
            found.update(settings)
        return found

    def origin(self, name):
        """Where in the file the value of a setting comes from."""
        return next(f"{where}.{name}" for where, own in reversed(self.layers) if name in own)

    def state(self, ending):
        """A file of its own among those of the job."""
        return not_a_link(self.job.state_folder / (self.name + ending))


def tasks_of(job):
    """All tasks, in the order of the file; a FileError where two would write one file."""
    found = []
    for garment, shot, variation in product(job.garments, job.shots, job.variations):
        names = {"garment": garment.name, "shot": shot.name, "variation": variation}
        if not any(all(names[k] == name for k, name in one) for one in job.left_out):
            task = Task(job, garment, shot, variation)
            found.append(replace(task, outputs=outputs_of(task, names)))
    if not found:
        raise FileError(job.path, "leave_out: leaves nothing to do")
    check_outputs(job, found)
    return found


def outputs_of(task, names):
    if not task.parts:
        where = f"garments.{task.garment.name}.mesh"
        problem = f"is missing, and the shot {task.shot.name} is not a .blend file"
        raise FileError(task.job.path, f"{where}: {problem}")
    parts = task.parts if task.is_blend else [part.stem for part in task.parts]
    return tuple(output_of(task.job, names, part) for part in parts)


def output_of(job, names, part):
    """The place of one point cache, by the pattern of the job."""
    part = "".join(letter if letter.isalnum() else "_" for letter in part)
    values = {"job": job.name, **names, "part": part}
    try:
        pieces = list(string.Formatter().parse(job.output))
    except ValueError as error:
        raise FileError(job.path, f"output: {error}") from None
    text = ""
    for literal, name, form, conversion in pieces:
        if name is not None and (name not in values or form or conversion):
            known = ", ".join(f"{{{one}}}" for one in values)
            raise FileError(job.path, f"output: {{{name}}} is unknown; there are {known}")
        text += literal + (values[name] if name is not None else "")
    return checked_place(job, text)


def checked_place(job, text):
    """Within the folder of the job, whatever links say, and not among the records."""
    place = Path(os.path.realpath(job.folder / text))
    home = Path(os.path.realpath(job.folder))
    if os.path.isabs(text) or home not in place.parents:
        raise FileError(job.path, f"output: {text} is outside of the folder of the job")
    if Path(os.path.realpath(job.state_folder)) in (place, *place.parents):
        raise FileError(job.path, f"output: {text} is in the folder of the job's records")
    if place.suffix != ENDING:
        raise FileError(job.path, f"output: {text} must end with {ENDING}")
    return place


def check_outputs(job, tasks):
    """Refuse two tasks with one file, also where capitals do not count, and what is read."""
    taken = {same(path): "an input" for task in tasks for path in files_read(task)}
    for task in tasks:
        for path in task.outputs:
            if same(path) in taken:
                problem = f"{path} would be written by {task.name} and is {taken[same(path)]}"
                raise FileError(job.path, f"output: {problem}")
            taken[same(path)] = f"that of {task.name}, too"


def same(path):
    return os.path.realpath(path).casefold()


def files_read(task):
    """What a task is made from, as far as the file says."""
    found = [task.shot.blend] if task.is_blend else list(task.garment.meshes)
    found += [path for body in task.shot.bodies for path in body if path is not None]
    for name, value in task.settings.items():
        values = value if isinstance(value, list) else [value]
        found += [Path(one) for one in values if is_file(name, one)]
    return found
