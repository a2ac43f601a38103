# SPDX-License-Identifier: GPL-3.0-or-later
"""`muslin batch`: garments, shots and variations of a job, task by task, on this machine or for a farm."""

import fnmatch
import os
import re
import shutil
import sys
import time
from functools import partial

from .. import exits
from ..errors import FileError, printable, refuse
from ..farm import work
from ..farm.job import read_job
from ..farm.record import is_true, read_record
from ..farm.tasks import files_read, same, tasks_of
from ..files import make_folder, write_atomic
from . import batch_farms, batch_summary, batch_tasks, values
from .batch_pool import FAILED, Pool, python_command
from .drape_options import processor_count
from .progress import say
from .setting_options import add_setting
from .simulation import noted_signals

DESCRIPTION = """Runs the tasks of a job: every garment in every shot in every variation, several in parallel.
Finished tasks whose files are unchanged are kept, so that an interrupted batch resumes where it stopped.
Records, logs and a summary are in JOB.batch next to the file. docs/guide/farm.md describes jobs."""
TASK_HELP = (
    "run this task only, in this process, by name or number from 0: what a render farm calls"
)
THREADS_HELP = "threads per task; does not affect results (default 1)"
BLENDER_HELP = "the Blender, with the add-on, that bakes shots in .blend files (default: blender)"
FAIL_HELP = "exit code 1 also if cloth ends up inside or through something"
NUMBER = re.compile("[0-9]{1,9}")
FARMS = ("flamenco", "openjd", "slurm")
# What would do nothing beside an option. A Flamenco knows its own Blender, and how many tasks at a time.
NOT_BESIDE = {
    "task": ("list", "only", "at_once", "muslin", *FARMS),
    "list": ("again", "fail", "at_once", "blender", "muslin", *FARMS),
    "flamenco": ("at_once", "blender"),
    "openjd": ("at_once",),
}


def add_command(commands):
    parser = commands.add_parser("batch", help="run a job of many drapes", description=DESCRIPTION)
    parser.add_argument("job", metavar="JOB.json", help="garments, shots and variations")
    processors = f"the number of processors, here {processor_count()}; no limit in Slurm"
    parallel = {"metavar": "N", "help": f"tasks in parallel (default: {processors})"}
    parser.add_argument("-j", "--at-once", type=values.count, **parallel)
    add_setting(parser, "threads", default=1, help=THREADS_HELP)
    only = "only tasks whose names match, such as shirt.*.silk"
    parser.add_argument("--only", metavar="PATTERN", help=only)
    parser.add_argument("--again", action="store_true", help="also rerun tasks that are up to date")
    listed = "list the tasks and whether they are finished, and exit"
    parser.add_argument("--list", action="store_true", help=listed)
    parser.add_argument("--task", metavar="TASK", help=TASK_HELP)
    parser.add_argument("--blender", metavar="FILE", help=BLENDER_HELP)
    parser.add_argument("--fail", action="store_true", help=FAIL_HELP)
    farms = parser.add_argument_group("farms: only write a job for one")
    farms.add_argument("--flamenco", metavar="FILE.js", help="a Flamenco 3 job type")
    farms.add_argument("--openjd", metavar="FOLDER", help="an Open Job Description bundle")
    farms.add_argument("--slurm", metavar="FILE.sh", help="a Slurm array job, for sbatch")
    own = "the muslin command on the farm (default: as started here)"
    farms.add_argument("--muslin", metavar="FILE", help=own)
    parser.set_defaults(run=batch)


def own_name():
    """How this command was started, for a machine with another PATH and another current folder."""
    started = os.environ.get("MUSLIN_COMMAND") or sys.argv[0]
    # python -m muslin: the program that is installed beside Python does the same
    if started.endswith(".py"):
        started = os.path.join(os.path.dirname(sys.executable), "muslin")
    found = shutil.which(started)
    return "muslin" if found is None else os.path.abspath(found)


def batch(options):
    """Run the command; gives the exit code."""
    check_flags(options)
    options.blender = options.blender or "blender"
    job = read_job(options.job)
    tasks = tasks_of(job)
    drape_options = batch_tasks.DrapeOptions()
    for task in tasks:
        if not task.is_blend:  # what a .blend file's garments can be set to its Blender knows
            drape_options.check(task)
    if options.task is not None:
        return one_task(options, chosen(tasks, options.task))
    if options.only is not None:
        tasks = [task for task in tasks if fnmatch.fnmatchcase(task.name, options.only)]
        if not tasks:
            refuse(f"--only: no task matches {printable(options.only)}")
    if options.list:
        for number, task in enumerate(tasks):
            state = "finished" if is_true(task, read_record(task)) else "to do"
            print(f"{number:4} {task.name}: {state}")
        return exits.OK
    if for_farm(options):
        return for_farms(options, job, tasks)
    return all_tasks(options, job, tasks)


def check_flags(options):
    """Refuse options that would do nothing."""
    for name, others in NOT_BESIDE.items():
        for other in others if is_given(options, name) else ():
            if is_given(options, other):
                refuse(f"{values.spelled(other)} does nothing with {values.spelled(name)}")
    if is_given(options, "muslin") and not for_farm(options):
        farms = ", ".join(map(values.spelled, FARMS))
        refuse(f"--muslin does nothing without one of {farms}")


def for_farm(options):
    return any(is_given(options, name) for name in FARMS)


def is_given(options, name):
    return getattr(options, name) not in (None, False)


def chosen(tasks, wanted):
    """A task by its name or its number."""
    names = [task.name for task in tasks]
    if wanted in names:
        return tasks[names.index(wanted)]
    if NUMBER.fullmatch(wanted) and int(wanted) < len(tasks):
        return tasks[int(wanted)]
    refuse(f"--task: there is no task {printable(wanted)}; --list shows them")


def one_task(options, task):
    """In this process; a .blend file's needs its Blender."""
    if task.is_blend:
        code = batch_tasks.run(command_of(options, task))
    else:
        simulate = partial(batch_tasks.simulate, threads=options.threads)
        state, code = work.run_task(task, simulate, options.again, exits.INTERRUPTED)
        if state == work.BUSY:
            say(f"{task.name} is already running in another process")
            return exits.BUSY
        if state == work.KEPT:
            say(f"{task.name} is up to date")
    if code == exits.OK and options.fail and not batch_summary.is_good(read_record(task)):
        say(f"{task.name}{batch_summary.faults(read_record(task))}")
        return exits.FAILED
    return code


def command_of(options, task):
    """The process that does a task."""
    again = batch_farms.of_bake(options)  # the batch itself judges
    if task.is_blend:
        return batch_tasks.command(options.blender, task, options.threads, again)
    return python_command(
        "batch", task.job.path, "--task", task.name, "--threads", options.threads, *again
    )


def for_farms(options, job, tasks):
    # there Blender itself is the process of a task, and does not judge it
    farm = next((name for name in ("flamenco", "openjd") if is_given(options, name)), None)
    bake = next((task.name for task in tasks if task.is_blend), None)
    if options.fail and farm and bake:
        farm = values.spelled(farm)
        refuse(f"--fail does nothing with {farm} for shots of .blend files, as in {bake}")
    options.muslin = options.muslin or own_name()
    texts = []  # pairs of a path and what goes there
    if options.flamenco is not None:
        texts.append((options.flamenco, batch_farms.flamenco_script(job, tasks, options)))
    if options.openjd is not None:
        texts += batch_farms.openjd_bundle(options.openjd, job, tasks, options)
    if options.slurm is not None:
        texts.append((options.slurm, batch_farms.slurm_script(job, tasks, options)))
    check_free([path for path, _ in texts], job, tasks)
    if options.openjd is not None:
        make_folder(options.openjd)
    if options.slurm is not None:
        make_folder(job.state_folder)  # Slurm makes no folder for its logs
    for path, text in texts:
        write_atomic(path, os.fsencode(text))
    return exits.OK


def check_free(paths, job, tasks):
    """Refuse to write over the job and what it reads, or one over the other."""
    taken = {same(job.path), *(same(path) for task in tasks for path in files_read(task))}
    for path in paths:
        if same(path) in taken:
            raise FileError(path, "is a file of the job: choose another name for the farm's file")
        taken.add(same(path))


def all_tasks(options, job, tasks):
    reported, at_once = 0, options.at_once or processor_count()

    def report(result):
        nonlocal reported
        reported += 1
        number = f"{reported:{len(str(len(tasks)))}}"
        print(f"[{number}/{len(tasks)}] {printable(batch_summary.line(result))}", flush=True)

    begin = time.monotonic()
    pool = Pool(tasks, at_once, partial(command_of, options), report, options.again)
    with noted_signals() as stop:
        results = pool.run(stop)
    found = batch_summary.numbers(job, results, time.monotonic() - begin, at_once)
    if results:
        batch_summary.write(job, {task.name for task in tasks_of(job)}, found)
    for text in batch_summary.last_lines(found, len(tasks) - len(results)):
        print(text, flush=True)
    if stop.asked:
        say("interrupted; run the same command to resume")
        return exits.INTERRUPTED
    bad = any(result.state == FAILED for result in results)
    bad |= options.fail and not all(batch_summary.is_good(result.record) for result in results)
    return exits.FAILED if bad else exits.OK
