"""A real Slurm on this machine alone: munged, slurmctld and one slurmd, whose GPU is none."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

PACKAGES = ("munge", "slurmctld", "slurmd", "slurm-client", "slurm-wlm-basic-plugins")
CONFIGURATION = (Path("/etc/slurm/slurm.conf"), Path("/etc/slurm/gres.conf"))
"""Where alone a job's own commands look for it."""
MARK = "# Written by deepmt's tests, which remove it again.\n"
PATIENCE = 300.0
CPUS = 4
"""CPUs that the node claims to have, so that a short job never waits for a training."""

SLURM_CONF = """\
ClusterName=deepmt
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthInfo=socket={folder}/munge.socket,cred_expire=15
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
GresTypes=gpu
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=600
SlurmdTimeout=10
KillWait=10
SchedulerParameters=bf_interval=2,sched_interval=5,batch_sched_delay=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=100000 Gres=gpu:1
PartitionName=work Nodes=ALL Default=YES PriorityTier=1 GraceTime=30
PartitionName=urgent Nodes=ALL PriorityTier=9 PreemptMode=OFF
"""


class CannotInstall(Exception):
    """Why there can be no Slurm here."""


@dataclass
class Cluster:
    """The daemons, their folder, and what a user or an administrator does with them."""

    folder: Path
    daemons: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self) -> None:
        """Write the configuration and start everything.

        Raises:
            CannotInstall: not root, no packages, or somebody else's cluster.
        """
        install()
        configure(self.folder)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        flags = [f"--{part}-file={self.folder}/munged.{part}" for part in ("pid", "seed", "log")]
        socket_flag = f"--socket={self.folder}/munge.socket"
        # By force, since only root can look into the folder, and nobody else needs to.
        flags += ["--force", "--foreground", f"--key-file={key}", socket_flag]
        self.daemon("munged", *flags)
        self.comes(lambda: (self.folder / "munge.socket").exists(), "munged")
        self.daemon("slurmctld", "-D")
        self.comes(lambda: not tried("scontrol", "ping").returncode, "slurmctld")
        self.start_node()

    def start_node(self) -> None:
        """Start slurmd and wait until it takes jobs."""
        self.daemon("slurmd", "-D", "-N", socket.gethostname())
        self.comes(lambda: self.node_state() in ("idle", "mixed", "allocated"), "slurmd")

    def comes(self, until: Callable[[], object], name: str) -> None:
        """Wait until a daemon does its work.

        Raises:
            RuntimeError: it has ended instead.
        """

        def works() -> object:
            if self.daemons[name].poll() is not None:
                said = (self.folder / f"{name}.out").read_text().strip().splitlines()
                raise RuntimeError(f"{name} has ended: {said[-1:]}")
            return until()

        wait(works, name)

    def daemon(self, name: str, *flags: str) -> None:
        """Start one in the foreground; what it says goes to a file."""
        with (self.folder / f"{name}.out").open("ab") as said:
            self.daemons[name] = subprocess.Popen([name, *flags], stdout=said, stderr=said)

    def stop(self) -> None:
        """Cancel all jobs, end the daemons, and leave the machine as it was."""
        if not self.daemons:
            return
        if not tried("scontrol", "ping").returncode:
            self.clear()
        for process in reversed(self.daemons.values()):
            process.terminate()
            process.wait(timeout=PATIENCE)
        for path in CONFIGURATION:
            path.unlink()

    def kill_node(self) -> None:
        """SIGKILL to slurmd and to every step's daemon; what they started lives on."""
        self.daemons["slurmd"].kill()
        self.daemons["slurmd"].wait()
        for stepd in processes("slurmstepd"):
            os.kill(stepd, 9)

    def node_state(self) -> str:
        """E.g. idle, mixed, drained, down."""
        return run("sinfo", "--noheader", "--format=%t").split("\n")[0].rstrip("*$~#@+^-!%")

    def drain(self, reason: str) -> None:
        """Let the node take no more jobs."""
        node = f"NodeName={socket.gethostname()}"
        run("scontrol", "update", node, "State=DRAIN", f"Reason={reason}")

    def resume(self) -> None:
        """Let it take jobs again."""
        run("scontrol", "update", f"NodeName={socket.gethostname()}", "State=RESUME")

    def jobs(self, rule: str, state: str) -> list[int]:
        """Numbers of the jobs in such a state whose comment names the rule."""
        lines = run("squeue", "--noheader", f"--states={state}", "--format=%i|%k").splitlines()
        parts = [line.split("|") for line in lines]
        return [int(number) for number, said in parts if f"rule_{rule}" in said]

    def comments(self) -> str:
        """Return the comments of all jobs, finished ones too."""
        return run("squeue", "--noheader", "--states=all", "--format=%k")

    def clear(self) -> None:
        """Cancel all jobs, and let the node take new ones."""
        run("scancel", "--user=root")
        wait(lambda: not run("squeue", "--noheader"), "scancel")
        if self.node_state().startswith("drain"):
            self.resume()


def install() -> None:
    """Debian's packages, unless they are there.

    Raises:
        CannotInstall: why not.
    """
    if os.geteuid() != 0:
        raise CannotInstall("Slurm's daemons need root")
    if all(map(shutil.which, ("munged", "slurmctld", "slurmd", "sbatch"))):
        return
    if shutil.which("apt-get") is None:
        raise CannotInstall(f"no apt-get to install {', '.join(PACKAGES)}")
    # Without systemd the packages start nothing; with it, what they start has no configuration.
    done = tried("apt-get", "install", "--yes", "--no-install-recommends", *PACKAGES)
    if done.returncode:
        raise CannotInstall(f"apt-get install: {done.stderr.strip().splitlines()[-1]}")


def configure(folder: Path) -> None:
    """Write slurm.conf and gres.conf.

    Raises:
        CannotInstall: there is a configuration that is not ours, or a daemon.
    """
    for path in CONFIGURATION:
        if path.exists() and not is_ours(path):
            raise CannotInstall(f"{path} is somebody else's")
    if processes("slurmctld") or processes("slurmd"):
        raise CannotInstall("another slurmctld or slurmd runs here")
    for part in ("state", "spool"):
        (folder / part).mkdir()
    settings = SLURM_CONF.format(folder=folder, host=socket.gethostname(), cpus=CPUS)
    for path, text in zip(CONFIGURATION, (settings, "Name=gpu File=/dev/null\n"), strict=True):
        path.write_text(MARK + text)


def is_ours(path: Path) -> bool:
    """Return whether these tests wrote a configuration."""
    return path.read_text().startswith(MARK)


def processes(name: str) -> list[int]:
    """Numbers of the processes with such a name."""
    return [int(number) for number in tried("pgrep", "-x", name).stdout.split()]


def run(*command: str) -> str:
    """Return what a command prints."""
    done = tried(*command)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
    return done.stdout


def tried(*command: str) -> subprocess.CompletedProcess[str]:
    """A command that may fail."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def wait(until: Callable[[], object], what: str, patience: float = PATIENCE) -> None:
    """Look every half second.

    Raises:
        TimeoutError: it never came.
    """
    end = time.monotonic() + patience
    while not until():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: nothing within {patience:.0f} seconds")
        time.sleep(0.5)
