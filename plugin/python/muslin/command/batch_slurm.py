# SPDX-License-Identifier: GPL-3.0-or-later
"""A job as an array of Slurm: one task of the job for each of the array."""

import shlex

from ..errors import MuslinError, printable
from . import batch_flags

SCRIPT = """#!/bin/bash
# Made by `muslin batch --slurm` of {job}; submit it with sbatch. Tasks that are up to date end at once unless
# --again is said below, so the whole array, or any part of it (--array=3,7), may be submitted again.
#SBATCH --job-name={name}
#SBATCH --array=0-{last}{limit}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={threads}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output="{log}"
tasks=(
{tasks}
)
exec {muslin} batch {job} --task "${{tasks[$SLURM_ARRAY_TASK_ID]}}" \\
    --threads "${{SLURM_CPUS_PER_TASK:-{threads}}}" --blender {blender}{flags}
"""


def script(job, tasks, options):
    """The text of the script. The names are in it, so that numbers mean the same when the job's file changes."""
    log = str(job.state_folder / "slurm-%A_%a.log").replace("%", "%%")
    log = log.replace("%%A_%%a", "%A_%a")
    if '"' in log or "\\" in log or not str(job.path).isprintable():
        shown = printable(str(job.path))
        raise MuslinError(None, f"--slurm: {shown} has a name that no script can hold")
    return SCRIPT.format(
        name=job.name,
        last=len(tasks) - 1,
        limit=f"%{options.at_once}" if options.at_once is not None else "",
        threads=options.threads,
        log=log,
        tasks="\n".join(f"    {task.name}" for task in tasks),
        muslin=shlex.quote(options.muslin),
        blender=shlex.quote(options.blender),
        job=shlex.quote(str(job.path)),
        flags="".join(f" {flag}" for flag in batch_flags.of_drape(options)),
    )
