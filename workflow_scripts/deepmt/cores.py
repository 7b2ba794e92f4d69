"""Count the cores that this process may use."""

import os
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")


def usable_cores(groups: Path = CGROUPS) -> int:
    """Return the cores of the process's affinity, or fewer if its control group has less time."""
    cores = len(os.sched_getaffinity(0))
    own = Path("/proc/self/cgroup").read_text().rpartition("::")[2].strip().lstrip("/")
    for folder in (groups / own, *(groups / own).parents):
        if folder.is_relative_to(groups) and (folder / "cpu.max").exists():
            quota, period = (folder / "cpu.max").read_text().split()
            if quota != "max":
                cores = min(cores, max(1, int(quota) // int(period)))
    return cores
