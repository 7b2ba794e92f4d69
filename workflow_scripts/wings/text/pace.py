"""Tell how fast updates run on the machines that all runs of a text share."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from deepmt.machines.corpus_sizes import mean_batch
from deepmt.machines.planned_runs import Machines
from deepmt.measured.records import Record
from deepmt.settings.corpora import CorpusSize
from deepmt.settings.seed_folder import seeds_in
from deepmt.settings.spec import Spec
from deepmt.untrained.update_time import UPDATES, seconds_of_updates
from wings.text.messages import say


@dataclass(frozen=True, kw_only=True)
class Pace:
    """Measure the pace of updates here, or take that of hardware.yaml."""

    machines: Machines
    timed: bool
    """Time updates here, and do not rely on hardware.yaml."""
    results: Path
    """Folder of the scale's results, whose records say how long updates took."""

    def with_threads(self, threads: int) -> "Pace":
        """Return the pace of runs on so many threads each."""
        return replace(self, machines=replace(self.machines, threads=threads))

    def measured(self, specs: Sequence[Spec], counted: CorpusSize) -> list[Machines]:
        """Return the machines for each run, with the rate at which its updates run here."""
        machines = self.machines
        hardware, count, threads = machines.hardware, machines.count, machines.threads
        if not self.timed:
            say("machine", f"{count} x {hardware.title}, {threads} threads a run, not timed")
            return [machines for _ in specs]
        seconds = [core / threads for core in self._core_seconds(specs, counted)]
        say(
            "machine",
            f"{count} cores, {hardware.title}; {machines.at_once} runs at once on {threads} of them"
            f" each: {min(seconds):.2g} to {max(seconds):.2g} s an update",
        )
        costs = [machines.cost(spec, counted) for spec in specs]
        faster = [cost.update_seconds / s for cost, s in zip(costs, seconds, strict=True)]
        rates = (
            replace(hardware, float32=hardware.float32 * k, bfloat16=hardware.bfloat16 * k)
            for k in faster
        )
        return [replace(machines, hardware=measured) for measured in rates]

    def _core_seconds(self, specs: Sequence[Spec], counted: CorpusSize) -> list[float]:
        """Return the core seconds of an update of each system: as recorded, or as timed now."""
        known = [self._recorded(spec) for spec in specs]
        new = [spec for spec, found in zip(specs, known, strict=True) if found is None]
        if not new:
            return [found for found in known if found is not None]
        say("time", f"of {UPDATES} updates by their processor time: other programs do not count")
        batch, threads = mean_batch(specs[0], counted), self.machines.threads
        shapes = (batch.sentences, batch.source), (batch.sentences, batch.target)
        at_once = min(len(new), self.machines.at_once)
        timed = iter(seconds_of_updates(new, counted.types, shapes, threads=threads, runs=at_once))
        return [next(timed) if found is None else found for found in known]

    def _recorded(self, spec: Spec) -> float | None:
        """Return the mean core seconds of an update by the records of a run; None without any."""
        paths = (seed.record for seed in seeds_in(self.results, spec.run))
        records = map(Record.read, filter(Path.exists, paths))
        found = [
            seconds / record.updates
            for record in records
            if record.updates and (seconds := record.throughput.get("core_seconds"))
        ]
        return fmean(found) if found else None
