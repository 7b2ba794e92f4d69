"""Read scales/<name>.yaml: how much of the cost of the papers' systems is spent."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pydantic.dataclasses import dataclass

from deepmt.settings.corpora import Corpora
from deepmt.settings.method import CHOICES
from deepmt.settings.spec import TYPES, Width, some_of
from deepmt.settings.strict import (
    STRICT,
    Count,
    CountOrNone,
    Distinct,
    DistinctSome,
    Few,
    FewOrNone,
    Name,
    NameInPaper,
)
from deepmt.settings.strict_yaml import (
    Problems,
    Section,
    load,
    merged,
    names_in,
    read,
    where,
    with_bases,
)
from deepmt.study.papers import DEPTHS
from deepmt.study.rates import read_rates
from deepmt.study.tuning import TrialResult, Tuning

FIXED_BY_PAPERS = "method."
NAMED = {"corpora": "corpus", "widths": "width", "depths": "depth"}
"""Parts of a scale by names of the papers, and what each name is of."""
if TYPE_CHECKING:
    Change: TypeAlias = dict[str, Any]
else:
    Change = some_of(TYPES)
"""Some settings of a spec, by dotted key."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Recipe:
    """Hold settings for systems that need their own: deep ones and RNMT+, as in the papers."""

    change: Change
    from_layers: FewOrNone = 0
    """Least number of layers in the deeper stack."""
    family: Literal["", *CHOICES["family"]] = ""  # type: ignore[valid-type]
    corpus: str = ""
    """A corpus as papers/*.yaml name it, e.g. common-depths."""

    def applies_to(self, settings: Mapping[str, Any]) -> bool:
        """Check if it applies to a system with these settings."""
        depths = [d for key in DEPTHS if isinstance(d := settings.get(key), int)]
        deep = max(depths, default=0) >= self.from_layers
        of_family = self.family in ("", settings.get("method.family"))
        return deep and of_family and self.corpus in ("", settings.get("data.corpus"))


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ScaleFile:
    """Define how much of a system's cost is spent, but never its method, as a file says it."""

    name: str
    title: str
    note: str
    """Text above every table at this scale."""
    corpora: dict[NameInPaper, str]
    """Corpus of the papers -> key of corpora.yaml; systems on other corpora are not run.

    `zhang2019/wmt14-en-de` applies to that paper only: papers build the same corpus differently.
    """
    widths: dict[Name, Width]
    depths: dict[Name, Few]
    """Named depths, e.g. deep: 12."""
    change: Change
    """Settings of every system at this scale."""
    recipes: tuple["Recipe", ...] = ()
    """Settings of some systems; they override `change` and earlier recipes."""
    threads: Few
    """Threads of one training or decoding job."""
    gpus: FewOrNone = 0
    """GPUs of one training; 0 = train on the CPU. A profile may override it."""
    workers: Few = 1
    """Processes that share a translation and its threads; worthwhile from a minute of work on."""
    decode: DistinctSome[str]
    """Splits that are translated and scored."""
    test_at: Distinct[Count] = ()
    """Milestones at which they are translated; at others, only dev's perplexity is measured."""
    dev_every: CountOrNone = 0
    """Updates between evaluations of dev perplexity during training; 0 = never."""
    gradients_every: CountOrNone = 0
    """Updates between logs of every layer's gradients and the training loss; 0 = never."""
    layer_weights_every: CountOrNone = 0
    """Updates between logs of the weights that a method learns for layers; 0 = never."""
    tuning: Tuning | None = None
    """Trials of `snakemake tune`."""
    as_printed: bool = False
    """Its systems are those that the papers print, so that scores are compared with theirs."""
    opening: str = ""
    """Module whose `opening` begins the page, which then shows the requested rows alone."""
    own_text: bool = False
    """The same with the module of a user's own text, as versions before 0.6 wrote it."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Scale(ScaleFile):
    """Hold a scale with what `snakemake tune` chose for its systems."""

    rates: Any = field(repr=False, compare=False)
    """Trials of its systems, or of those of the nearest base that has some."""
    document: Any = field(repr=False, compare=False)
    """What its files say, for the lines of messages."""
    added: Any = field(repr=False, compare=False)
    """By part, what its own file says under names that its bases lack; nothing without a base."""

    @property
    def begins_with(self) -> str:
        """Return the module whose `opening` begins the page; none for a scale of the papers."""
        return self.opening or "wings.text.text_answer" * self.own_text

    @property
    def intervals(self) -> dict[str, int]:
        """Return the intervals of the trainer's log by their names there."""
        return {
            "dev_every": self.dev_every,
            "gradients_every": self.gradients_every,
            "layer_weights_every": self.layer_weights_every,
        }

    @property
    def trials(self) -> Sequence[TrialResult]:
        """Return the trials of this scale; none before `snakemake tune`, if only its base has."""
        return self.rates.lines if self.rates.path.name == f"{self.name}.rates.csv" else ()

    @property
    def chosen(self) -> dict[str, Section]:
        """Return the settings that were chosen for each system, such as unified/deep-post."""
        return self.rates.chosen

    def corpora_of(self, paper: str) -> dict[str, str]:
        """Return the corpus that stands for each of a paper: its own entry, or else that of all."""
        own = f"{paper}/"
        mine = {one.removeprefix(own): k for one, k in self.corpora.items() if one.startswith(own)}
        return self.corpora | mine


def load_scale(path: Path, corpora: Corpora) -> Scale:
    """Read scales/<name>.yaml; `from: other` starts from another scale.

    Raises:
        ValueError: unknown keys, corpora, splits or scales, numbers that are too small, or a
            change of a method.
    """
    files = files_of_scale(path)
    document = reduce(merged, reversed(files.values())).without(["from"])
    file, problems = read(document, ScaleFile), Problems(document)
    if file.name != path.stem:
        own = where(files[path], ("name",))
        problems.messages.append(f"{own}: must be {path.stem}, the name of the file")
    for name in file.corpora:
        problems.check_names(("corpora", name), corpora.corpora, "corpus")
    used = [corpora.corpora[key] for key in file.corpora.values() if key in corpora.corpora]
    problems.check_names(("decode",), {name for one in used for name in one.translated}, "split")
    # Those that a scale takes from its base with null, too.
    printed = {name.rpartition("/")[2] for one in files.values() for name in one.get("corpora", ())}
    for number in range(len(file.recipes)):
        problems.check_names(("recipes", number, "corpus"), printed)
    changes = {("change",): file.change} | {
        ("recipes", number, "change"): recipe.change for number, recipe in enumerate(file.recipes)
    }
    for location, change in changes.items():
        for key in change:
            if key.startswith(FIXED_BY_PAPERS):
                wrong = "a scale must not change a method or initialisation"
                problems.add((*location, key), wrong)
    scored = {m for change in changes.values() for m in change.get("training.milestones", ())}
    for number, update in enumerate(file.test_at):
        if update not in scored:
            known = ", ".join(map(str, sorted(scored))) or "none"
            problems.add(("test_at", number), f"must be among training.milestones ({known})")
    problems.raise_if_any()
    # A scale keeps the rates that its base has, until it has been tuned itself.
    rates = [one.with_suffix(".rates.csv") for one in files]
    place = next((n for n, one in enumerate(rates) if os.path.lexists(one)), 0)
    changed = any("tuning" in one for one in [*files.values()][:place])
    ranked = read_rates(rates[place], None if changed else file.tuning)
    found = vars(file) | {"corpora": _usable(file.corpora, files, corpora)}
    ours, *bases = files.values()
    added = {
        part: ours[part].without({name for base in bases for name in base.get(part, ())})
        for part in NAMED
        if bases and part in ours
    }
    return Scale(**found, rates=ranked, document=document, added=added)


def _usable(
    found: Mapping[str, str], files: Mapping[Path, Section], corpora: Corpora
) -> dict[str, str]:
    """Return corpora without those of a base that models of that base write."""
    own, *bases = files
    written = {key: one.synthetic.scale for key, one in corpora.corpora.items() if one.synthetic}
    left = {path.stem for path in bases}
    own_names = files[own].get("corpora", ())
    return {
        name: key
        for name, key in found.items()
        if name in own_names or written.get(key) not in left
    }


def files_of_scale(path: Path) -> dict[Path, Section]:
    """Read a scale's file, the file that its `from` names, and so on up to one without `from`.

    Raises:
        ValueError: a file holds no settings, or a `from` names no scale or is circular.
    """
    folder = path.parent

    @cache
    def file_of(name: str) -> Section:
        return load(folder / f"{name}.yaml")

    names = with_bases(path.stem, file_of, names_in(folder), "scale")
    return {folder / f"{name}.yaml": file_of(name) for name in names}
