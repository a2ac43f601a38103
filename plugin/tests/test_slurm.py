"""A job as an array of a real Slurm of one node: a task is killed and run again, and every byte is that of one machine.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import shutil
import sys
import tempfile
import time
import unittest
from pathlib import Path

from farm_jobs import JobTest, small_job
from muslin.command import child
from test_scenes import slurm_cluster

# One is an example of all, which tools/test --all has.
FABRICS = ("cotton", "silk", "wool", "denim") if os.environ.get("MUSLIN_LONG") else ("silk",)
VARIATIONS = {
    **{name: {"fabric": name} for name in FABRICS},
    "stiff": {"bend": 0.01},
    "fine": {"substeps": 2},
    "slow": {"frames": 800, "substeps": 4},  # some seconds: it is killed in the middle of them
}
KILLED = "flag.wind.slow"
LEAVE_OUT = [
    {"garment": "sheet", "variation": "slow"},
    {"shot": "still", "variation": "slow"},
    {"garment": "flag", "shot": "wind", "variation": "fine"},
]
TASKS = 4 * len(FABRICS) + 8


@unittest.skipIf(slurm_cluster.missing(), "no Slurm is here; tools/setup --farm has it")
class SlurmTest(JobTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cluster = slurm_cluster.Cluster(Path(folder.name))
        self.addCleanup(self.cluster.stop)
        self.cluster.start()

    def starter(self):
        """This command line as one program, as an installed one is."""
        path = self.folder / "muslin"
        path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{child.__file__}" "$@"\n')
        path.chmod(0o755)
        return path

    def kill(self, job, number):
        """As soon as it writes."""
        limit = time.monotonic() + 120
        while not list(self.folder.rglob(".*flag_slow.unfinished*")):
            self.assertLess(time.monotonic(), limit, self.cluster.logs())
            time.sleep(0.02)
        self.cluster.call("scancel", "--signal=KILL", "--full", f"{job}_{number}")

    def test_an_array_gives_the_bytes_of_one_machine(self):
        self.write(small_job(variations=VARIATIONS, leave_out=LEAVE_OUT))
        alone = self.folder / "alone"
        alone.mkdir()
        for name in ("opening.json", "sheet.obj", "flag.obj", "ball.obj"):
            shutil.copy(self.folder / name, alone)
        script = self.folder / "array.sh"
        self.run_batch("--slurm", script, "--muslin", self.starter())
        names = [
            line.split()[1].rstrip(":") for line in self.run_batch("--list").stdout.splitlines()
        ]
        self.assertEqual(len(names), TASKS)
        number = names.index(KILLED)

        array = self.cluster.submit(script)
        self.kill(array, number)
        self.cluster.wait_for(array, 300)
        left = [line for line in self.run_batch("--list").stdout.splitlines() if "to do" in line]
        self.assertEqual([line.split()[1].rstrip(":") for line in left], [KILLED])
        self.cluster.wait_for(self.cluster.submit(script, f"--array={number}"), 120)
        farm = self.outputs(self.folder / "caches")

        self.path = alone / "opening.json"
        self.run_batch("-j", 2)
        one_machine = self.outputs(alone / "caches")
        self.assertEqual(len(one_machine), TASKS)
        mismatch = [name for name in one_machine if farm.get(name) != one_machine[name]]
        self.assertEqual((mismatch, set(farm)), ([], set(one_machine)))


if __name__ == "__main__":
    unittest.main()
