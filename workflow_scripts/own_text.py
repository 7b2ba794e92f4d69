"""Prepare a user's own text: clean and split it, and choose models that fit the hours."""

import os
import random
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import yaml

from deepmt.cli import run
from deepmt.config import own_text
from deepmt.config.hardware import AUTO, load_hardware, parse
from deepmt.config.own_text import ENOUGH, SIZES, TEXT_STEPS, ModelSize, TextRequest
from deepmt.config.papers import OWN_PAPER, Paper, rows_of
from deepmt.config.papers import load as load_paper
from deepmt.config.resolve import resolve
from deepmt.config.scale import Scale, load_scale
from deepmt.data import text_folder
from deepmt.data.clean_text import CleanText
from deepmt.data.cleaning import Cleaner
from deepmt.data.lines import read_lines, write_lines
from deepmt.data.subword import learn, load_segmenter
from deepmt.data.text_sides import doubts
from deepmt.estimate.corpus_sizes import mean_batch, size_of
from deepmt.estimate.hours import (
    LEAST_UPDATES,
    MOST_PASSES,
    SharedRuns,
    choose,
    shared,
)
from deepmt.estimate.planned_runs import Machines
from deepmt.files import read_json, sha256, write_text
from deepmt.measure.update_time import UPDATES, seconds_of_updates
from deepmt.printable import printable
from deepmt.scratch import scratch_folder
from deepmt.spec.corpora import Corpora, Corpus, CorpusSize, load_corpora
from deepmt.spec.spec import Data, Spec, readable_specs
from deepmt.spec.strict_yaml import read

PIECES = {20_000: 2000, 100_000: 4000, 1_000_000: 8000}
"""Subwords of a side by the training pairs below which they are taken; 16,000 beyond."""
MOST_PIECES = 16_000
SAMPLE = 5000
"""Training pairs that are cut into subwords to learn their lengths."""
SHOWN = 3
"""Training pairs that are printed."""


def main(
    *,
    text: Annotated[str, "a folder with train.en and train.de, for example, or one .tsv file"],
    direction: Annotated[str, "two languages, source first, e.g. en-de"],
    methods: Annotated[
        str, "deep systems to train, with commas between; default: those of before, or four"
    ] = "",
    hours: Annotated[str, "time that all runs together may take; +2 = that much more"] = "2",
    name: Annotated[str, "name of the results; default: that of the folder"] = "",
    hardware: Annotated[str, "a name of hardware.yaml and a count; auto = this machine"] = AUTO,
    run: Annotated[bool, "train and render at once"] = True,
    root: Path = Path(),
) -> None:
    """Prepare your text: write its corpus and a scale, say what was decided and why, and run it.

    If the scale is there, its sizes and updates stay; more hours add updates to them.
    """
    asked = own_text.request(text, direction, name)
    found = re.fullmatch(r"(\+?)(\d+(\.\d*)?|\.\d+)", hours)
    if not found:
        raise ValueError(f"hours={hours}: must be a number, such as 2, or +2 to continue")
    processor, count = parse(hardware, load_hardware(root / "hardware.yaml"), 0)
    project = Project(root=root, asked=asked, timed=hardware == AUTO)
    rows = project.rows(methods)
    machines = shared(processor, count, len(rows))
    with scratch_folder(root / "corpora", "text-") as folder:
        project.prepare(folder, rows, machines, float(found[2]), more=bool(found[1]))
    cores = "all" if processor.cuda else str(count)
    command = ["snakemake", "--cores", cores, "--config", f"scale={asked.scale}"]
    command += [f"papers={OWN_PAPER}", f"rows={','.join(rows)}"]
    print(shlex.join(command), flush=True)
    if run:
        os.execv(sys.executable, [sys.executable, "-m", *command])


@dataclass(frozen=True, kw_only=True)
class Project:
    """Prepare a text in a checkout."""

    root: Path
    asked: TextRequest
    timed: bool
    """Time updates here, and do not rely on hardware.yaml."""

    @cached_property
    def unified(self) -> Paper:
        """Return the paper whose rows are the methods."""
        return load_paper(self.root / "papers" / f"{OWN_PAPER}.yaml")

    @cached_property
    def corpora(self) -> Corpora:
        """Return all corpora that are known so far."""
        return load_corpora(self.root / "corpora.yaml")

    @property
    def scale(self) -> Path:
        """Return the file of the scale."""
        return self.root / "scales" / f"{self.asked.scale}.yaml"

    @property
    def runs(self) -> Path:
        """Return the folder of the runs."""
        return self.root / "results" / self.asked.scale / "runs"

    def rows(self, methods: str) -> list[str]:
        """Return the baseline, the rows that have been trained, and those of the methods."""
        known = own_text.deep_rows(self.unified)
        trained = self.trained([own_text.BASELINE, *known.values()]) if self.scale.exists() else []
        if methods or not trained:
            trained += own_text.requested_rows(methods or ",".join(own_text.METHODS), known)
        return list(dict.fromkeys([own_text.BASELINE, *trained]))

    def trained(self, rows: Sequence[str]) -> list[str]:
        """Return the rows whose runs have begun, whatever their number of updates."""
        begun = {
            spec.sha256_of_updates
            for spec in readable_specs(self.runs.glob("*/spec.json")).values()
        }
        specs = self.specs(rows, load_scale(self.scale, self.corpora), self.corpora)
        return [row for row, spec in specs.items() if spec.sha256_of_updates in begun]

    def specs(self, rows: Sequence[str], scale: Scale, corpora: Corpora) -> dict[str, Spec]:
        """Return the specs of rows at a scale."""
        systems = {row.id: str(row.system) for row in rows_of(self.unified)}
        found = {row: resolve(self.unified, systems[row], scale, corpora) for row in rows}
        return {row: spec for row, spec in found.items() if isinstance(spec, Spec)}

    def prepare(
        self, folder: Path, rows: Sequence[str], machines: Machines, hours: float, *, more: bool
    ) -> None:
        """Clean the text and say what it holds; decide on models and updates, or on more updates.

        Raises:
            ValueError: the text is bad or has changed, or the hours are too few.
        """
        asked = self.asked
        files = text_folder.find(asked.text, asked.languages)
        (folder / "text").mkdir()
        text = text_folder.clean_text(files, asked.languages, folder / "text")
        archive = folder / f"{asked.scale}.tar.gz"
        entry = own_text.corpus_of(asked, text.pairs, text_folder.pack(folder / "text", archive))
        describe(asked, files, text, folder / "text")
        there = self.root / "corpora" / f"{asked.scale}.yaml"
        if not self.scale.exists():
            if more:
                raise ValueError(f"hours=+{hours:g}: {self.scale} is not there to be continued")
            self.decide(folder, entry, text, rows, machines, hours)
            archive.replace(there.with_name(archive.name))
            write_yaml(there, entry)
            (folder / self.scale.name).replace(self.scale)
        elif not self.has(archive, entry):
            raise ValueError(
                f"{there}: the text has changed since: give NAME=... for other results, or delete"
                f" this file and {self.scale}"
            )
        else:
            self.restore(archive)
            if more:
                self.go_on(text, rows, machines, hours)
            else:
                say("scale", f"{self.scale} decides; HOURS=+2 adds updates, NAME=... decides again")

    def restore(self, archive: Path) -> None:
        """Replace the archive of a corpus if it is missing or does not have the corpus's sum."""
        kept = self.root / "corpora" / archive.name
        if not self.intact(kept):
            archive.replace(kept)
            say("archive", f"{kept} was missing or damaged: written again")

    def has(self, archive: Path, entry: Mapping[str, Any]) -> bool:
        """Check if the corpus is of this text, packed by this zlib or another."""
        kept = self.root / "corpora" / archive.name
        return self.archives == entry["archives"] or (
            self.intact(kept)
            and text_folder.content_hash(kept) == text_folder.content_hash(archive)
        )

    def intact(self, kept: Path) -> bool:
        """Check if the archive is there as the corpus describes it."""
        return kept.exists() and sha256(kept) == self.archives[kept.name]["sha256"]

    @property
    def archives(self) -> dict[str, Any]:
        """Return the archives of the corpus that was written before."""
        path = self.root / "corpora" / f"{self.asked.scale}.yaml"
        return dict(yaml.safe_load(path.read_bytes())["archives"])

    def decide(
        self,
        folder: Path,
        entry: Mapping[str, Any],
        text: CleanText,
        rows: Sequence[str],
        machines: Machines,
        hours: float,
    ) -> None:
        """Choose models and updates that fit the hours; add the text's size, write the scale."""
        pieces, path = pieces_for(text), folder / self.scale.name
        counted = count_subwords(self.asked, folder, pieces, text)
        entry["corpora"][self.asked.corpus]["size"] = asdict(counted)
        own = read(entry["corpora"], dict[str, Corpus])
        corpora = replace(self.corpora, corpora={**self.corpora.corpora, **own})

        def specs_of(size: ModelSize, updates: int = LEAST_UPDATES) -> list[Spec]:
            devices = {"threads": machines.threads, "gpus": int(machines.hardware.cuda)}
            scale = own_text.scale_of(self.asked, pieces, size, updates=updates, **devices)
            write_yaml(path, scale)
            return list(self.specs(rows, load_scale(path, corpora), corpora).values())

        measured = self.measured(specs_of(SIZES[0]), counted, machines)
        done = [0] * len(rows)

        def runs_of(size: ModelSize) -> SharedRuns:
            return runs_on(measured, specs_of(size), counted, done, text)

        size, runs, updates = choose(runs_of, hours, text.pairs["train"])
        specs_of(size, updates)
        say(
            "models", f"{size.width} wide, {size.shallow} and {size.deep} layers, {pieces} subwords"
        )
        self.say_time(runs, updates)

    def go_on(self, text: CleanText, rows: Sequence[str], machines: Machines, hours: float) -> None:
        """Add the updates to the scale that fit into more hours.

        Raises:
            ValueError: a run has not ended, or the hours are too few.
        """
        scale = load_scale(self.scale, self.corpora)
        specs, trained = self.specs(rows, scale, self.corpora), self.trained(rows)
        if not trained:
            raise ValueError(
                f"hours=+{hours:g}: no run has the settings of {self.scale}: if it was edited"
                " since, undo that; for other settings give another NAME"
            )
        if open := [
            row for row in trained if not [*self.runs.glob(f"{specs[row].run}/*/record.json")]
        ]:
            raise ValueError(
                f"hours=+{hours:g}: {', '.join(open)} must end first: run the command without HOURS"
            )
        first = specs[rows[0]]
        counted = size_of(first.data, self.corpora)
        machines = replace(machines, threads=scale.threads)
        measured = self.measured([*specs.values()], counted, machines)
        before, every = first.training.updates, first.training.checkpoint_every
        done = [before if row in trained else 0 for row in rows]
        runs = runs_on(measured, [*specs.values()], counted, done, text)
        updates = runs.updates(hours) // every * every
        if updates <= before:
            least = runs.least(before + every)
            raise ValueError(f"hours=+{hours:g}: too few; give at least hours=+{least}")
        write_text(self.scale, with_updates(self.scale, updates))
        self.say_time(runs, updates)

    def measured(
        self, specs: Sequence[Spec], counted: CorpusSize, machines: Machines
    ) -> list[Machines]:
        """Return the machines for each run, with the rate at which its updates run here."""
        hardware, count, threads = machines.hardware, machines.count, machines.threads
        if not self.timed:
            say("machine", f"{count} x {hardware.title}, {threads} threads a run, not timed")
            return [machines for _ in specs]
        seconds = [core / threads for core in self.core_seconds(specs, counted, machines)]
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

    def core_seconds(
        self, specs: Sequence[Spec], counted: CorpusSize, machines: Machines
    ) -> list[float]:
        """Return the core seconds of an update of each system: as recorded, or as timed now."""
        known = [self.recorded(spec) for spec in specs]
        new = [spec for spec, found in zip(specs, known, strict=True) if found is None]
        if not new:
            return [found for found in known if found is not None]
        say("time", f"of {UPDATES} updates by their processor time: other programs do not count")
        batch = mean_batch(specs[0], counted)
        shapes = (batch.sentences, batch.source), (batch.sentences, batch.target)
        at_once = min(len(new), machines.at_once)
        timed = iter(
            seconds_of_updates(new, counted.types, shapes, threads=machines.threads, runs=at_once)
        )
        return [next(timed) if found is None else found for found in known]

    def recorded(self, spec: Spec) -> float | None:
        """Return the mean core seconds of an update by the records of a run; None without any."""
        records = map(read_json, sorted(self.runs.glob(f"{spec.run}/seed*/record.json")))
        found = [
            record["throughput"]["core_seconds"] / record["updates"]
            for record in records
            if record.get("updates") and record.get("throughput", {}).get("core_seconds")
        ]
        return fmean(found) if found else None

    def say_time(self, runs: SharedRuns, updates: int) -> None:
        """Print updates, passes and hours, and if they are too few to tell methods apart."""
        say("updates", f"{updates:,}, {runs.passes(updates):.1f} passes through the text")
        say("hours", f"{runs.hours(updates):.2f} for {len(runs.costs)} runs")
        if runs.passes(updates) > MOST_PASSES:
            say("warning", f"after {MOST_PASSES} passes models rather overfit")
        if updates < ENOUGH:
            say(
                "warning",
                f"too few updates to tell methods apart: {ENOUGH:,} would take"
                f" {runs.hours(ENOUGH):.2f} hours",
            )


def runs_on(
    machines: Sequence[Machines],
    specs: Sequence[Spec],
    counted: CorpusSize,
    done: Sequence[int],
    text: CleanText,
) -> SharedRuns:
    """Return the runs of specs, each on its machines, with the updates behind them."""
    costs = [each.cost(spec, counted) for each, spec in zip(machines, specs, strict=True)]
    return SharedRuns(costs=costs, done=done, at_once=machines[0].at_once, lines=text.pairs)


def describe(
    asked: TextRequest, files: Mapping[str, Sequence[Path]], text: CleanText, folder: Path
) -> None:
    """Print what was understood of a text: languages, pairs, some of them, what was dropped."""
    names = ", ".join(path.name for paths in files.values() for path in paths)
    say("text", f"{asked.text}, {asked.source} to {asked.target}: {names}")
    say("pairs", ", ".join(f"{split} {count:,}" for split, count in text.pairs.items()))
    sides = (read_lines(folder / f"train.{language}") for language in asked.languages)
    step = text.pairs["train"] // SHOWN
    for pair in islice(zip(*sides, strict=True), step // 2, None, step):
        for language, line in zip(asked.languages, pair, strict=True):
            say("", f"{language}: {line}")
    say("dropped", f"{text.dropped}; of {text.cleaning['read']:,} pairs read")
    if others := text_folder.not_used(asked.text, files):
        say("not used", ", ".join(others))
    for split in files.keys() - {"train"}:
        if lost := text.given[split] - text.pairs[split]:
            say("warning", f"{split}: {lost:,} of {text.given[split]:,} pairs are dropped")
    for sentence in doubts(text, asked.languages):
        say("warning", sentence)


def say(key: str, value: str) -> None:
    """Print a line of what was understood and decided."""
    print(printable(f"{key:10}{value}"), flush=True)


def pieces_for(text: CleanText) -> int:
    """Return the subwords of a side: by the pairs, and with room for every character."""
    by_pairs = (count for most, count in PIECES.items() if text.pairs["train"] < most)
    return max(next(by_pairs, MOST_PIECES), -(-text.alphabet * 5 // 4000) * 1000)


def count_subwords(asked: TextRequest, folder: Path, pieces: int, text: CleanText) -> CorpusSize:
    """Return the pairs that training keeps and their mean lengths, counted on a sample.

    Raises:
        ValueError: too few pairs are short enough.
    """
    steps = {**TEXT_STEPS, "corpus": asked.corpus, "source": asked.source, "target": asked.target}
    data, pairs = Data(**steps, merges=pieces), text.pairs["train"]
    drawn = set(random.Random(1).sample(range(pairs), min(SAMPLE, pairs)))
    sampled = {language: folder / f"sample.{language}" for language in asked.languages}
    for language, path in sampled.items():
        lines = enumerate(read_lines(folder / f"text/train.{language}"))
        write_lines(path, (line for n, line in lines if n in drawn))
    learn(data, sampled, folder)
    cut = (
        map(load_segmenter(data, folder, language).segment, read_lines(path))
        for language, path in sampled.items()
    )
    cleaner = Cleaner(data)
    short = [pair for pair in zip(*cut, strict=True) if cleaner.keep(*pair)]
    kept = pairs * len(short) // len(drawn)
    limits = f"over {data.max_tokens} subwords, or one side over {data.max_ratio:g} times the other"
    if pairs - kept:
        say("dropped", f"about {pairs - kept:,} of {pairs:,} training pairs in training: {limits}")
    if kept < text_folder.LEAST_PAIRS:
        raise ValueError(
            f"{asked.text}: about {kept:,} training pairs are short enough, and"
            f" {text_folder.LEAST_PAIRS:,} are needed: break long lines"
        )
    lengths = [[line.count(" ") + 2 for line in side] for side in zip(*short, strict=True)]
    return CorpusSize(
        pairs=kept,
        types=(pieces, pieces),
        joint_types=2 * pieces,
        lengths=(fmean(lengths[0]), fmean(lengths[1])),
        basis=f"counted on {len(drawn)} pairs",
    )


def with_updates(scale: Path, updates: int) -> str:
    """Return the text of a scale with another number of updates; comments stay.

    Raises:
        ValueError: the number is not on a line of its own, as it was written.
    """
    text = scale.read_text(encoding="utf-8")
    new = re.sub(r"(?m)^(\s+training\.updates:\s*)\d+", rf"\g<1>{updates}", text)
    expected = yaml.safe_load(text)
    expected["change"]["training.updates"] = updates
    if yaml.safe_load(new) != expected:
        raise ValueError(f"{scale}: training.updates cannot be found: set it to {updates} there")
    return new


def write_yaml(path: Path, value: Any) -> None:
    """Write settings in their order."""
    head = "# Written by own_text.py; see docs/your-text.md.\n"
    write_text(path, head + yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100))


if __name__ == "__main__":
    run(main)
