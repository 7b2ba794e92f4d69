"""Know what a checkout holds of a text: its corpus, its scale and its runs."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from deepmt.base.files import sha256, visible
from deepmt.machines.seed_status import read_seed
from deepmt.settings.corpora import Archive, Corpora, load_corpora
from deepmt.settings.seed_folder import seeds_in
from deepmt.settings.spec import Spec, readable_specs
from deepmt.settings.strict_yaml import read
from deepmt.study.papers import OWN_PAPER, Paper, load, rows_of
from deepmt.study.resolve import resolve
from deepmt.study.scale import Scale, load_scale
from wings.text.request import BASELINE, METHODS, TextRequest, method_rows, requested_rows
from wings.text.text_folder import content_hash


@dataclass(frozen=True, kw_only=True)
class Project:
    """Find the files of a text in a checkout."""

    root: Path
    asked: TextRequest

    @property
    def scale(self) -> Path:
        """Return the file of the scale."""
        return self.root / "scales" / f"{self.asked.scale}.yaml"

    @property
    def corpus(self) -> Path:
        """Return the file of the corpus."""
        return self.root / "corpora" / f"{self.asked.scale}.yaml"

    @property
    def archive(self) -> Path:
        """Return the archive of the corpus."""
        return self.root / "corpora" / f"{self.asked.scale}.tar.gz"

    @property
    def results(self) -> Path:
        """Return the folder of the scale's results."""
        return self.root / "results" / self.asked.scale

    @cached_property
    def unified(self) -> Paper:
        """Return the paper whose rows are the methods."""
        return load(self.root / "papers" / f"{OWN_PAPER}.yaml")

    @cached_property
    def corpora(self) -> Corpora:
        """Return all corpora that were known at first."""
        return load_corpora(self.root / "corpora.yaml")

    @cached_property
    def rows(self) -> list[str]:
        """Return the baseline, the rows that had been trained, and those of the methods."""
        methods, known = self.asked.methods, method_rows(self.unified)
        trained = self.trained([BASELINE, *known.values()]) if self.scale.exists() else []
        if methods or not trained:
            trained += requested_rows(methods or METHODS, known)
        return list(dict.fromkeys([BASELINE, *trained]))

    def trained(self, rows: Sequence[str]) -> list[str]:
        """Return the rows whose runs have begun, whatever their number of updates."""
        begun = {spec.sha256_of_updates for spec in self._begun}
        specs = self.specs(rows, load_scale(self.scale, self.corpora), self.corpora)
        return [row for row, spec in specs.items() if spec.sha256_of_updates in begun]

    def behind(self, spec: Spec) -> int:
        """Return the updates that a run, or one that it continues, has behind it."""
        runs = [one.run for one in self._begun if one.sha256_of_updates == spec.sha256_of_updates]
        seeds = [seed for run in runs for seed in seeds_in(self.results, run)]
        return max((read_seed(seed, time.time()).update or 0 for seed in seeds), default=0)

    @property
    def _begun(self) -> list[Spec]:
        return [*readable_specs(visible(self.results, "runs/*/spec.json")).values()]

    def specs(self, rows: Sequence[str], scale: Scale, corpora: Corpora) -> dict[str, Spec]:
        """Return the specs of rows at a scale."""
        systems = {row.id: str(row.system) for row in rows_of(self.unified)}
        found = {row: resolve(self.unified, systems[row], scale, corpora) for row in rows}
        return {row: spec for row, spec in found.items() if isinstance(spec, Spec)}

    def has(self, archive: Path, entry: Mapping[str, Any]) -> bool:
        """Check if the corpus is of this text, packed by this zlib or another."""
        return self._known == read(entry["archives"], dict[str, Archive])[self.archive.name] or (
            self.intact and content_hash(self.archive) == content_hash(archive)
        )

    @property
    def intact(self) -> bool:
        """Check if the archive is there as the corpus describes it."""
        return self.archive.exists() and sha256(self.archive) == self._known.sha256

    @property
    def _known(self) -> Archive:
        return self.corpora.archive(self.archive.name)
