"""Prepare a text: clean it, and decide on models and updates, or on more updates."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from deepmt.base.errors import UserError
from deepmt.base.files import write_text
from deepmt.machines.corpus_sizes import size_of
from deepmt.machines.planned_runs import Machines
from deepmt.settings.corpora import Corpora, Corpus, CorpusSize
from deepmt.settings.seed_folder import seeds_in
from deepmt.settings.spec import Spec
from deepmt.settings.strict_yaml import read
from deepmt.study.scale import load_scale
from wings.text.clean_text import CleanText
from wings.text.hours import LEAST_UPDATES, SharedRuns, choose
from wings.text.known_failures import known_failures
from wings.text.messages import agreed, describe, say, say_time
from wings.text.pace import Pace
from wings.text.project import Project
from wings.text.recommended import recommended
from wings.text.subword_counts import count_subwords, pieces_for
from wings.text.text_folder import clean_text, find, pack
from wings.text.text_settings import (
    ENOUGH_PAIRS,
    SIZES,
    ModelSize,
    corpus_of,
    scale_of,
    with_updates,
    write_yaml,
)


def prepare(project: Project, pace: Pace, folder: Path) -> None:
    """Clean the text and say what it holds; decide on models and updates, or on more updates.

    Raises:
        ValueError: the text is bad or has changed, or the hours are too few.
    """
    asked = project.asked
    files = find(asked.text, asked.languages)
    (folder / "text").mkdir()
    text = clean_text(files, asked.languages, folder / "text")
    archive = folder / project.archive.name
    entry = corpus_of(asked, text.pairs, pack(folder / "text", archive))
    describe(asked, files, text, folder / "text")
    if recipe := recommended(project.root, text.pairs["train"]):
        say("recipe", recipe)
    if text.pairs["train"] < ENOUGH_PAIRS:
        better = "a pretrained model, fine-tuned, is likely to translate better"
        say("advice", f"with fewer than {ENOUGH_PAIRS:,} pairs, {better}")
    if not project.scale.exists():
        if asked.more:
            raise UserError(f"hours=+{asked.hours:g}: {project.scale} is not there to be continued")
        decide(project, pace, text, entry, folder)
        archive.replace(project.archive)
        write_yaml(project.corpus, entry)
        (folder / project.scale.name).replace(project.scale)
        return
    if not project.has(archive, entry):
        raise UserError(
            f"{project.corpus}: the text has changed since: give NAME=... for other results, or"
            f" delete this file and {project.scale}"
        )
    if not project.intact:
        archive.replace(project.archive)
        say("archive", f"{project.archive} was missing or damaged: written again")
    if asked.more:
        go_on(project, pace, text)
    else:
        say("scale", f"{project.scale} decides; HOURS=+2 adds updates, NAME=... decides again")
        repeat(project, pace, text)


def decide(
    project: Project, pace: Pace, text: CleanText, entry: dict[str, Any], folder: Path
) -> None:
    """Choose models and updates that fit the hours; add the text's size, write the scale."""
    asked, pieces = project.asked, pieces_for(text)
    counted = count_subwords(asked, folder, pieces, text)
    entry["corpora"][asked.corpus]["size"] = asdict(counted)
    own = read(entry["corpora"], dict[str, Corpus])
    draft = Draft(
        project=project,
        file=folder / project.scale.name,
        corpora=replace(project.corpora, corpora={**project.corpora.corpora, **own}),
        machines=pace.machines,
        pieces=pieces,
    )
    machines = pace.measured([*draft.specs(SIZES[0]).values()], counted)
    done = [0] * len(project.rows)
    tried = (
        (size, runs_on(machines, [*draft.specs(size).values()], counted, done, text))
        for size in SIZES
        if size.pairs <= text.pairs["train"]
    )
    size, runs, updates = choose(tried, asked.hours)
    specs = draft.specs(size, updates)
    layers = " and ".join(map(str, sorted({spec.encoder.layers for spec in specs.values()})))
    say("models", f"{size.width} wide, {layers} layers, {pieces} subwords")
    say_time(runs, updates)
    warn(project, specs)


@dataclass(frozen=True, kw_only=True)
class Draft:
    """Try models of several sizes in a scale that is not yet in its place."""

    project: Project
    file: Path
    corpora: Corpora
    machines: Machines
    pieces: int

    def specs(self, size: ModelSize, updates: int = LEAST_UPDATES) -> dict[str, Spec]:
        """Write the scale with models of this size; return the spec of each row."""
        devices = {"threads": self.machines.threads, "gpus": int(self.machines.hardware.cuda)}
        asked, rows = self.project.asked, self.project.rows
        write_yaml(self.file, scale_of(asked, self.pieces, size, updates=updates, **devices))
        scale = load_scale(self.file, self.corpora)
        return self.project.specs(rows, scale, self.corpora)


def warn(project: Project, specs: Mapping[str, Spec]) -> None:
    """Warn of methods that never trained, and ask if they shall.

    Raises:
        UserError: they shall not.
    """
    doomed = [*known_failures(specs, project.root / "records")]
    for sentence in doomed:
        say("warning", sentence)
    if doomed and not agreed("Train such methods all the same?"):
        raise UserError("nothing is written: leave them out of METHODS")


def repeat(project: Project, pace: Pace, text: CleanText) -> None:
    """Say what the updates of the scale still take.

    Raises:
        UserError: a method never trained, and shall not.
    """
    scale = load_scale(project.scale, project.corpora)
    specs = {
        row: spec
        for row, spec in project.specs(project.rows, scale, project.corpora).items()
        if not any(seed.record.exists() for seed in seeds_in(project.results, spec.run))
    }
    if not specs:
        say("hours", "0: nothing is left to train")
        return
    wanted = [*specs.values()]
    counted = size_of(wanted[0].data, project.corpora)
    machines = pace.with_threads(scale.threads).measured(wanted, counted)
    done = [project.behind(spec) for spec in wanted]
    say_time(runs_on(machines, wanted, counted, done, text), wanted[0].training.updates)
    warn(project, specs)


def go_on(project: Project, pace: Pace, text: CleanText) -> None:
    """Add the updates to the scale that fit into more hours.

    Raises:
        ValueError: a run has not ended, or the hours are too few.
    """
    rows, hours = project.rows, project.asked.hours
    scale = load_scale(project.scale, project.corpora)
    specs, trained = project.specs(rows, scale, project.corpora), project.trained(rows)
    if not trained:
        raise UserError(
            f"hours=+{hours:g}: no run has the settings of {project.scale}: if it was edited"
            " since, undo that; for other settings give another NAME"
        )
    if unfinished := [
        row
        for row in trained
        if not any(seed.record.exists() for seed in seeds_in(project.results, specs[row].run))
    ]:
        raise UserError(
            f"hours=+{hours:g}: {', '.join(unfinished)} must end first: run the command without"
            " HOURS"
        )
    first = specs[rows[0]]
    counted = size_of(first.data, project.corpora)
    machines = pace.with_threads(scale.threads).measured([*specs.values()], counted)
    before, every = first.training.updates, first.training.checkpoint_every
    done = [before if row in trained else 0 for row in rows]
    runs = runs_on(machines, [*specs.values()], counted, done, text)
    updates = runs.updates(hours) // every * every
    if updates <= before:
        least = runs.least(before + every)
        raise UserError(f"hours=+{hours:g}: too few; give at least hours=+{least}")
    say_time(runs, updates)
    warn(project, {row: spec for row, spec in specs.items() if row not in trained})
    write_text(project.scale, with_updates(project.scale, updates))


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
