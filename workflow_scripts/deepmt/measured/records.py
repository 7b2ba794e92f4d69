"""Read the records of finished seeds, and ask them what was measured."""

import json
import math
import re
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from deepmt.base.code_sums import search_code, training_code
from deepmt.base.errors import UserError
from deepmt.measured.record_file import RecordFile
from deepmt.measured.seed_files import Refusal, read_seeds
from deepmt.settings.method import defaults_of, modules_of
from deepmt.settings.seed_folder import seeds_in
from deepmt.settings.spec import Spec, from_sections
from deepmt.settings.strict import CHECKED, NAME, message_of
from deepmt.study.measures import DECODING_SPEED, PPL


class Place(NamedTuple):
    """Name what was measured."""

    update: int
    split: str
    """Empty for what belongs to a whole run."""
    measure: str


class Measurement(NamedTuple):
    """Hold a number, and the signature of a score."""

    value: float
    signature: str = ""


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class Record(RecordFile):
    """Answer what is asked about one finished seed of a run."""

    @property
    def machines(self) -> str:
        """Return the names of the machines that trained the seed, the last one first."""
        used = (self.hardware, *self.hardware.get("earlier", ()))
        names = dict.fromkeys(str(one.get("name", "unknown hardware")) for one in used)
        return ", before that ".join(names)

    @cached_property
    def measured(self) -> dict[Place, Measurement]:
        """Return everything that was measured on the seed."""
        end, recipe = self.updates, self.spec["training"]
        of_run = {
            "params_m": self.parameters / 1e6,
            "learning_rate": recipe["lr"] * 1e3,
            "updates": self.updates,
            "train_tokens_per_s": self.throughput.get("target_tokens_per_s"),
        }
        found: dict[tuple[int, str, str], float | None] = {
            (end, "", name): number for name, number in of_run.items()
        }
        speeds = self.decoding.get("sentences_per_s", {})
        found |= {(end, split, DECODING_SPEED): speed for split, speed in speeds.items()}
        if self.dev_perplexities:
            found[end, "dev", PPL] = min(self.dev_perplexities.values())
        found |= {(end, split, PPL): ppl for split, ppl in self.perplexities.items()}
        for one in self.milestones:
            found |= {(one.update, split, PPL): ppl for split, ppl in one.perplexities.items()}
            for split, scores in one.scores.items():
                found |= {(one.update, split, name): score for name, score in scores.items()}
        known = {
            Place(*place): Measurement(value) for place, value in found.items() if value is not None
        }
        return known | {
            Place(end, split, name): Measurement(score.value, score.signature)
            for split, scores in self.scores.items()
            for name, score in scores.items()
        }

    def value(self, measure: str, split: str = "", update: int | None = None) -> float:
        """Return a measure of a split at an update, or at the end; NaN if there is none."""
        place = Place(self.updates if update is None else update, split, measure)
        return self.measured[place].value if place in self.measured else math.nan

    def curve(self, measure: str, split: str) -> dict[int, float]:
        """Return a measure of a split by update, where it is known."""
        updates = [*(one.update for one in self.milestones), self.updates]
        found = {update: self.value(measure, split, update) for update in updates}
        return {update: value for update, value in found.items() if not math.isnan(value)}

    @cached_property
    def code_today(self) -> dict[str, str]:
        """Return today's values of training_code and search_code in `software`."""
        method = from_sections(self.spec).method
        known = modules_of(method), defaults_of(method)
        return {"training_code": training_code(*known), "search_code": search_code(*known)}

    @property
    def kept(self) -> bool:
        """Check if the seed was trained here by an earlier version of the code.

        Snakemake trains a run again when its code has changed, unless the user prevents it.
        """
        then = self.software.get("training_code")
        return not self.archived and then not in (None, self.code_today["training_code"])


def read_records(
    results: Path, archive: Path, specs: Iterable[Spec], scale: str
) -> tuple[list[Record], list[Refusal]]:
    """Read `results`/runs/*/seed*/record.json and `archive`/*.jsonl, one record per line."""
    runs = {spec.sha256: spec.run for spec in specs}
    paths = (seed.record for seed in seeds_in(results))
    return read_seeds(Record, filter(Path.exists, paths), archive, runs, scale)


def read_record(value: dict[str, Any]) -> Record:
    """Read a record alone, before it belongs to any plan.

    Raises:
        ValueError: it is none; names each key at fault.
    """
    try:
        record = TypeAdapter(Record).validate_json(json.dumps(value))
    except ValidationError as error:
        raise UserError(message_of(error)) from None
    if not re.fullmatch(NAME, record.scale):
        raise UserError(f"scale: {record.scale!r} is not the name of a scale")
    return record
