"""A Slurm of one node, run by this user in a folder of its own: munge, controller and node daemon.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import getpass
import os
import secrets
import shutil
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "squeue", "sinfo")
# Debian keeps daemons where a user's PATH may not lead.
PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
# Scheduling at once: the tasks of a test are shorter than what Slurm waits for by default.
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
ReturnToService=2
KillWait=2
MinJobAge=2
SlurmctldDebug=info
SlurmdDebug=info
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """Programs that are not here."""
    return [name for name in PROGRAMS if shutil.which(name, path=PATH) is None]


class Cluster:
    """Runs from start() to stop(). folder: an empty one."""

    def __init__(self, folder, processors=2):
        self.folder = folder
        self.processors = processors
        self._daemons = []
        self._environment = {**os.environ, "PATH": PATH, "SLURM_CONF": str(folder / "slurm.conf")}

    def start(self):
        for name in ("state", "spool", "munge"):
            (self.folder / name).mkdir(mode=0o700)
        self.folder.chmod(0o755)
        host = socket.gethostname().split(".")[0]
        values = {"host": host, "ports": free_ports(2), "user": getpass.getuser()}
        text = CONFIGURATION.format(folder=self.folder, processors=self.processors, **values)
        (self.folder / "slurm.conf").write_text(text)
        key = self.folder / "munge" / "key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)
        places = {"key-file": key, "socket": self.folder / "munge.socket"}
        places |= {f"{name}-file": self.folder / "munge" / name for name in ("pid", "log", "seed")}
        self._run("munged", "--foreground", "--force", *(f"--{k}={p}" for k, p in places.items()))
        self._wait(lambda: places["socket"].exists(), "munged")
        self._run("slurmctld", "-D", "-c")
        self._run("slurmd", "-D", "-N", host, "-c")
        self._wait(lambda: "idle" in self.call("sinfo", "-h", "-o", "%t", check=False), "slurmd")

    def _run(self, *command):
        with open(self.folder / f"{command[0]}.out", "wb") as output:
            self._daemons.append(
                subprocess.Popen(
                    [shutil.which(command[0], path=PATH), *map(str, command[1:])],
                    env=self._environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                )
            )

    def _wait(self, condition, what):
        limit = time.monotonic() + 60
        while not condition():
            gone = [one.args[0] for one in self._daemons if one.poll() is not None]
            if gone or time.monotonic() > limit:
                raise RuntimeError(f"{what} does not come up; ended: {gone}\n{self.logs()}")
            time.sleep(0.1)

    def logs(self):
        """The ends of what the daemons said."""
        found = sorted([*self.folder.glob("*.log"), *self.folder.glob("*.out")])
        return "\n".join(
            f"{path.name}: {path.read_text(errors='replace')[-2000:]}" for path in found
        )

    def call(self, *command, check=True):
        """What a client program prints."""
        result = subprocess.run(
            list(map(str, command)),
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        if check and result.returncode != 0:
            raise RuntimeError(f"{command}: {result.stderr}\n{self.logs()}")
        return result.stdout

    def submit(self, script, *options):
        """The number of the job."""
        return self.call("sbatch", "--parsable", *options, script).strip()

    def queue(self, job):
        """{number in the array: state} of what waits or runs; after a while finished ones are forgotten."""
        lines = self.call("squeue", "-h", "-r", "-j", job, "-o", "%K %T", check=False).split("\n")
        return {int(number): state for number, state in (line.split() for line in lines if line)}

    def wait_for(self, job, seconds):
        limit = time.monotonic() + seconds
        while self.queue(job):
            if time.monotonic() > limit:
                raise RuntimeError(
                    f"the job {job} takes too long: {self.queue(job)}\n{self.logs()}"
                )
            time.sleep(0.2)

    def stop(self):
        """The last that was started ends first."""
        for one in reversed(self._daemons):
            one.terminate()
            try:
                one.wait(20)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()
        self._daemons = []


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports
