# SPDX-License-Identifier: GPL-3.0-or-later
"""What else whoever runs a batch may say, and which of it goes with each task to a farm."""

from ..errors import MuslinError

FARMS = ("flamenco", "openjd", "slurm")
# What would do nothing beside an option. A Flamenco knows its own Blender, and how many tasks at a time.
NOT_BESIDE = {
    "task": ("list", "only", "at_once", "muslin", *FARMS),
    "list": ("again", "fail", "at_once", "blender", "muslin", *FARMS),
    "flamenco": ("at_once", "blender"),
    "openjd": ("at_once",),
}


def check(options):
    """Refuse options that would do nothing."""
    for name, others in NOT_BESIDE.items():
        for other in others if is_given(options, name) else ():
            if is_given(options, other):
                raise MuslinError(None, f"{spelled(other)} does nothing with {spelled(name)}")
    if is_given(options, "muslin") and not for_farm(options):
        farms = ", ".join(map(spelled, FARMS))
        raise MuslinError(None, f"--muslin does nothing without one of {farms}")


def check_bakes(options, tasks):
    """On these farms Blender itself is the process of a task, and does not judge it."""
    farm = next((name for name in ("flamenco", "openjd") if is_given(options, name)), None)
    bake = next((task for task in tasks if task.is_blend), None)
    if options.fail and farm and bake:
        raise MuslinError(
            None,
            f"--fail does nothing with {spelled(farm)} for shots of .blend files, as in {bake.name}",
        )


def for_farm(options):
    return any(is_given(options, name) for name in FARMS)


def is_given(options, name):
    return getattr(options, name) not in (None, False)


def spelled(name):
    return "--" + name.replace("_", "-")


def of_drape(options):
    """Arguments of `batch --task`, besides its own."""
    return [*of_bake(options), *(["--fail"] if options.fail else [])]


def of_bake(options):
    """Arguments of a Blender that bakes a task."""
    return ["--again"] if options.again else []
