"""Hold everything that was measured at one scale in one table, and say why a value is missing.

known = gather(load_plan(root, {"scale": "toy", "rows": "all"}), root, root / "results/toy")
[one.value("bleu", "test") for one in known.records_of("unified.t1.deep-pre")]
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.base.files import visible
from deepmt.measured.corpus_terms import CorpusTerms, terms_of
from deepmt.measured.dev_progress import LogDev, log_dev
from deepmt.measured.encoded_corpora import EncodedSplit, read_statistics
from deepmt.measured.failures import with_collapse
from deepmt.measured.log_probabilities import LogProbabilities, file_of
from deepmt.measured.record_archive import scale_of
from deepmt.measured.records import Record, read_records
from deepmt.measured.seed_files import Refusal
from deepmt.measured.teacher_forced import read_log_probabilities, tokens_by_dataset
from deepmt.measured.training_curves import TrainingCurves, read_training_curves
from deepmt.measured.untrained_values import TIMED_PAIR, UntrainedValue, read_untrained
from deepmt.settings.csv_lines import read_lines
from deepmt.settings.spec import Spec
from deepmt.settings.strict import unknown
from deepmt.settings.strict_yaml import names_in
from deepmt.study.measures import ELSEWHERE, Quantity
from deepmt.study.papers import rows_of, settings_of
from deepmt.study.plan import Plan
from deepmt.study.tuning import TrialResult

APART = "Not comparable with the paper's numbers."


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Hold the runs with their settings and seeds, and the values that need no training.

    A seed's record lists all its measurements by update, split and measure.
    """

    scale: str
    scale_title: str = ""
    scale_note: str = ""
    as_printed: bool = False
    """Systems are those that the papers print."""
    test_sets: tuple[str, ...] = ("test",)
    """Splits that the scale translates, without dev."""
    depths: Mapping[str, int] = field(default_factory=dict)
    """Layers of each depth that papers/*.yaml name, such as `deep`, at this scale."""
    trials: Sequence[TrialResult] = ()
    """What `snakemake tune` tried at this scale."""
    runs: Mapping[str, Spec]
    rows: Mapping[str, str]
    """Row -> run. The row <paper>/<system> is a system that is in no table."""
    unavailable: Mapping[str, str]
    """Every other row -> the reason why it has no run at this scale."""
    selected: frozenset[str]
    """Requested rows."""
    records: tuple[Record, ...] = ()
    """By run and seed."""
    refusals: tuple[Refusal, ...] = ()
    """Refused records."""
    curves: tuple[TrainingCurves, ...] = ()
    """By run and seed."""
    refused_curves: tuple[Refusal, ...] = ()
    untrained: Mapping[tuple[str, str], UntrainedValue] = field(default_factory=dict)
    """Values that need no training, by row, and column or measure."""
    partial_corpora: tuple[str, ...] = ()
    """Corpora that contain less than the papers' own."""
    corpora: Mapping[str, CorpusTerms] = field(default_factory=dict)
    """By key."""
    tokens: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Target tokens with the end symbols, by dataset and split."""
    sentences: Mapping[tuple[str, int], Mapping[str, LogProbabilities]] = field(
        default_factory=dict
    )
    """Log probabilities of every reference by run and seed, then by split, where they are kept."""

    @cached_property
    def specs(self) -> dict[str, Spec]:
        """Return the specs by row."""
        return {row: self.runs[run] for row, run in self.rows.items()}

    @cached_property
    def by_run(self) -> dict[str, list[Record]]:
        """Return the records by run, one per seed."""
        found: dict[str, list[Record]] = {}
        for record in self.records:
            found.setdefault(record.run, []).append(record)
        return found

    @cached_property
    def budgets(self) -> dict[str, int]:
        """Return the target tokens that each run is to read."""
        recipes = {run: spec.training for run, spec in self.runs.items()}
        return {run: one.updates * one.batch_tokens for run, one in recipes.items()}

    @cached_property
    def dev(self) -> Mapping[str, Mapping[int, LogDev]]:
        """Return the log perplexities on dev by run and seed, of the seeds that logged them."""
        found: dict[str, dict[int, LogDev]] = defaultdict(dict)
        for curves in self.curves:
            if (own := log_dev(curves)) is not None:
                found[curves.run][curves.seed] = own
        return found

    def records_of(self, row: str) -> list[Record]:
        """Return the records of a row's run, one per seed."""
        return self.by_run.get(self.rows.get(row, ""), [])

    def why_not(self, row: str, measure: str) -> tuple[str, ...]:
        """Return why no record of a row can have a measure; nothing if one may."""
        if measure == "statistic":
            return ("its corpus has not been built at this scale",)
        if row not in self.rows:
            return (self.unavailable[row],)
        if measure in ELSEWHERE:
            return (ELSEWHERE[measure],)
        if self.records_of(row):
            return ()
        requested = "no record yet" if row in self.selected else "not requested"
        return self.refusals_of(row) or (requested,)

    def test_tokens(self, dataset: str) -> Mapping[str, int]:
        """Return the target tokens of each test set of the scale, with the end symbols.

        Where they are not known, "test" stands alone.
        """
        known = self.tokens.get(dataset, {})
        return {split: known[split] for split in self.test_sets if split in known} or {"test": 1}

    def refusals_of(self, row: str) -> tuple[str, ...]:
        """Return the reasons why records of a row's run were refused."""
        run = self.rows.get(row)
        found = [refusal.message for refusal in self.refusals if run and refusal.run == run]
        return tuple(f"record refused: {message}" for message in found)

    def untrained_value(self, row: str, asked: Quantity) -> UntrainedValue | None:
        """Return the value of a row that needs no training, or None."""
        return self.untrained.get((row, asked.key)) or self.untrained.get((row, asked.measure))

    def label(self, notes: Iterable[str], *, paper: bool = True) -> str:
        """Return the scale, distinct notes, and a warning if a paper's numbers stand apart."""
        apart = [] if self.as_printed or not paper else [APART]
        return " ".join([f"{self.scale_title}.", *dict.fromkeys(notes), *apart])

    def comparable(self, row: str) -> bool:
        """Check if the row was run at the paper's scale on the full corpus."""
        spec = self.specs.get(row)
        whole = spec is not None and spec.data.corpus not in self.partial_corpora
        return whole and self.as_printed


def gather(plan: Plan, root: Path, results: Path) -> Measured:
    """Read all records and training curves, also those of rows that were not requested.

    `results` is results/<scale>. Invalid records and curves are refused one by one.
    """
    archive = root / "records"
    specs, scale = plan.every_run.values(), plan.scale
    records, refusals = read_records(results, archive, specs, scale.name)
    records, sentences, unread = with_sentences(records, archive)
    curves, refused = read_training_curves(records, archive / "curves", specs, scale.name)
    untrained = read_untrained(results, archive, plan.papers, _other_text(plan))
    scales = names_in(root / "scales")
    for path in visible(archive, "*.jsonl"):
        if (name := scale_of(path)) not in scales:
            refusals.append(Refusal("", f"{path}: {unknown('scale', name, scales)}"))
    untrained |= read_statistics(plan, read_lines(EncodedSplit, results / "corpora.csv"))
    return Measured(
        scale=scale.name,
        scale_title=scale.title,
        scale_note=scale.note,
        as_printed=scale.as_printed,
        test_sets=tuple(split for split in scale.decode if split != "dev"),
        depths=scale.depths,
        trials=scale.trials,
        runs={spec.run: spec for spec in plan.specs.values()},
        rows={row: spec.run for row, spec in plan.specs.items()},
        unavailable=plan.unavailable,
        selected=plan.selected,
        records=with_collapse(records, curves),
        refusals=(*refusals, *unread),
        curves=tuple(curves),
        refused_curves=tuple(refused),
        untrained=untrained,
        partial_corpora=tuple(k for k, corpus in plan.corpora.corpora.items() if corpus.partial),
        corpora=terms_of(plan.corpora),
        tokens=tokens_by_dataset(records, archive),
        sentences=sentences,
    )


def with_sentences(
    records: Iterable[Record], archive: Path
) -> tuple[list[Record], dict[tuple[str, int], dict[str, LogProbabilities]], list[Refusal]]:
    """Return records and log probabilities; refuse records whose stored texts are not there."""
    kept, sentences, refusals = [], {}, []
    first: dict[tuple[str, str], tuple[bytes, str]] = {}
    for record in records:
        try:
            found = read_log_probabilities(record, archive)
            for split, one in found.items():
                own = one.tokens.tobytes(), record.location
                tokens, of = first.setdefault((record.data.dataset, split), own)
                if own[0] != tokens:
                    raise UserError(f"{file_of(split)} has other tokens than that of {of}")
        except ValueError as error:
            refusals.append(Refusal(record.run, f"{record.location}: {error}"))
            continue
        kept.append(record)
        if found:
            sentences[record.run, record.seed] = found
    return kept, sentences, refusals


def _other_text(plan: Plan) -> set[str]:
    """Return the rows of other language pairs than the one whose lengths are timed."""
    return {
        row.id
        for paper in plan.papers
        for row in rows_of(paper)
        if row.system and not settings_of(paper, row.system)["data.corpus"].endswith(TIMED_PAIR)
    }
