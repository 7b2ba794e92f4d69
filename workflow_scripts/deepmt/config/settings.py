"""Resolve config.yaml, a scale and the papers into specs, and check all of them at once."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass as plain_dataclass
from dataclasses import field, replace
from functools import cached_property, reduce
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass

from deepmt.config import papers as literature
from deepmt.config.corpora import Corpora, Corpus, load_corpora
from deepmt.config.method import CHOICES
from deepmt.config.papers import DEPTHS, SHORTHANDS, Paper, Row
from deepmt.config.spec import TYPES, Spec, SpecError, Width, make_spec, some_of
from deepmt.config.strict import (
    NAME,
    STRICT,
    Count,
    CountOrNone,
    Distinct,
    DistinctSome,
    Few,
    FewOrNone,
    Name,
    NameInPaper,
    Seed,
    Some,
    as_tuple,
    did_you_mean,
    message_of,
)
from deepmt.config.strict_yaml import (
    Document,
    Location,
    Place,
    Problems,
    StrictYamlError,
    load,
    merged,
    parse,
    read,
)
from deepmt.config.synthetic import Synthetic
from deepmt.config.tuning import Trial, Tuning, read_choices

OWN_PAPER = "unified"
"""Our own paper, listed before those of the literature."""
SETS_OF_ROWS = ("headline", "all")
"""Values of `rows` besides ids."""
FIXED_BY_PAPERS = "method."
if TYPE_CHECKING:
    Change: TypeAlias = dict[str, Any]
else:
    Change = some_of(TYPES)
"""Some settings of a spec, by dotted key."""


WHOLE = re.compile("-?(0|[1-9][0-9]*)")


def _words(value: Any) -> tuple[Any, ...]:
    """Return the words of a list, which commas may separate."""
    return as_tuple(
        [word.strip() for word in value.split(",")] if isinstance(value, str) else value
    )


def _numbers(value: Any) -> tuple[Any, ...]:
    """Return numbers likewise; Snakemake passes them as text."""
    return tuple(int(word) if WHOLE.fullmatch(str(word)) else word for word in _words(value))


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
    engine: Literal["ours", "ctranslate2"] = "ours"
    """What translates with the models that it computes exactly; ours translates with the others."""
    decode: DistinctSome[str]
    """Splits that are translated and scored."""
    test_at: Distinct[Count] = ()
    """Milestones at which all of them are translated; at others, dev alone is."""
    dev_every: CountOrNone = 0
    """Updates between evaluations of dev perplexity during training; 0 = never."""
    gradients_every: CountOrNone = 0
    """Updates between logs of every layer's gradients and the training loss; 0 = never."""
    layer_weights_every: CountOrNone = 0
    """Updates between logs of the weights that a method learns for layers; 0 = never."""
    tuning: Tuning | None = None
    """Trials of `snakemake tune`."""
    own_text: bool = False
    """Report the requested rows alone, and no other scale: for a text of the user's."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Scale(ScaleFile):
    """Hold a scale with what `snakemake tune` chose for its systems."""

    chosen: dict[str, dict[str, float | int]] = field(repr=False, compare=False)
    """System, such as unified/deep-post -> the settings that were chosen for it."""
    document: Any = field(repr=False, compare=False)
    """Its files, for the lines of messages."""


@dataclass(frozen=True, kw_only=True, config=ConfigDict(**STRICT, populate_by_name=True))
class Config:
    """Hold the settings of config.yaml and of --config on the command line."""

    scale: str
    papers: Annotated[Some[str], BeforeValidator(_words)]
    rows: Annotated[Some[str], BeforeValidator(_words)]
    """`headline`, `all`, and ids of rows, tables and figures."""
    seeds: Annotated[DistinctSome[Seed], BeforeValidator(_numbers)]
    mirror: Annotated[str, AfterValidator(os.path.expanduser)]
    meteor: str = ""
    """Path of meteor-1.5.jar, to measure METEOR too."""
    hardware: str = "auto"
    """Hardware that `plan` assumes, e.g. h200x8: a name of hardware.yaml and a count."""
    budget: Annotated[float, Field(ge=0, le=1e9)] = 0.0
    """GPU hours (core hours at a scale without GPUs) that `plan` may spend; 0 = no limit."""
    headline: dict[str, tuple[str, ...]]
    from_: Annotated[Literal["results", "records"], Field(alias="from")] = "results"
    """`records`: render everything from records/ alone, and train nothing."""

    @property
    def results(self) -> str:
        """Return the folder of rendered results; those of records/ alone get their own."""
        return f"results/{self.scale}" + ("-records" if self.from_ == "records" else "")


@plain_dataclass(frozen=True, kw_only=True)
class Plan:
    """Hold everything that the workflow decides before any job."""

    config: Config
    scale: Scale
    papers: tuple[Paper, ...]
    corpora: Corpora
    specs: Mapping[str, Spec]
    """Row id -> spec, for every row of the papers that has a system at this scale.

    A system that only a figure or a claim needs is listed as <paper>/<system>.
    """
    unavailable: Mapping[str, str]
    """Row id -> the reason why it has no spec at this scale."""
    reverse: Mapping[str, Spec]
    """Corpus with synthetic pairs -> the spec of the run that makes them."""
    trials: Mapping[str, Mapping[Trial, Spec]]
    """System of papers/unified.yaml -> the spec of every trial that it may need."""
    selected: frozenset[str]

    @cached_property
    def runs(self) -> dict[str, Spec]:
        """Return the runs of the selected rows by name; rows with equal specs share a run."""
        return {s.run: s for row, s in self.specs.items() if row in self.selected}

    @cached_property
    def reported(self) -> tuple[Paper, ...]:
        """Return the papers; of those that a user's text trains, the requested rows alone."""
        return tuple(map(self._requested, self.papers)) if self.scale.own_text else self.papers

    def _requested(self, paper: Paper) -> Paper:
        rows = [tuple(row for row in one.rows if row.id in self.selected) for one in paper.tables]
        pairs = zip(paper.tables, rows, strict=True)
        tables = tuple(replace(table, rows=own) for table, own in pairs if own)
        return replace(paper, tables=tables, figures=(), claims=())

    @cached_property
    def every_run(self) -> dict[str, Spec]:
        """Return the runs of all rows of the selected papers, and those that choose or help."""
        trials = chain.from_iterable(specs.values() for specs in self.trials.values())
        return {s.run: s for s in chain(self.specs.values(), self.reverse.values(), trials)}


def load_plan(root: Path, overrides: Mapping[str, Any]) -> Plan:
    """Read and resolve all settings below `root`; `overrides` come from the command line.

    Raises:
        ValueError: every problem of every file, each with file, line and what is allowed.
    """
    config, problems = _checked_config(root / "config.yaml", overrides)
    corpora = load_corpora(root / "corpora.yaml")
    scale = load_scale(root / "scales" / f"{config.scale}.yaml", corpora)
    papers = load_papers(root / "papers", config.papers)
    specs, unavailable = resolve_all(papers, scale, corpora)
    return Plan(
        config=config,
        scale=scale,
        papers=papers,
        corpora=corpora,
        specs=specs,
        unavailable=unavailable,
        reverse=resolve_reverse(specs.values(), papers, scale, corpora, root / "papers"),
        trials=resolve_trials(scale, corpora, root / "papers"),
        selected=select(config, papers, specs, unavailable, problems),
    )


def load_config(path: Path, overrides: Mapping[str, Any]) -> Config:
    """Read config.yaml; values of the command line override its own.

    Raises:
        ValueError: unknown keys, wrong types, unknown papers or scales, missing files.
    """
    return _checked_config(path, overrides)[0]


def _checked_config(path: Path, overrides: Mapping[str, Any]) -> tuple[Config, Problems]:
    """Return the settings, and what collects further problems with their lines."""
    config, problems = read_config(path, overrides)
    papers, scales = names_in(path.parent / "papers"), names_in(path.parent / "scales")
    for paper in config.papers:
        if paper not in (*papers, "all"):
            problems.unknown(("papers",), paper, papers, "paper")
    problems.check_names(("scale",), scales)
    for paper, words in config.headline.items():
        if paper not in papers:
            problems.unknown(("headline", paper), paper, papers, "paper")
            continue
        for number, word in enumerate(words):
            if not word.startswith(f"{paper}."):
                problems.add(("headline", paper, number), f"{word} is not of {paper}")
    if config.meteor and not Path(config.meteor).is_file():
        problems.add(("meteor",), "does not exist; give the path of meteor-1.5.jar")
    problems.raise_if_any()
    if "all" in config.papers:
        config = replace(config, papers=tuple(papers))
    return config, problems


def read_config(path: Path, overrides: Mapping[str, Any]) -> tuple[Config, Problems]:
    """Read config.yaml and the command line.

    Raises:
        ValueError: unknown keys and wrong types.
    """
    if "text" in overrides:
        raise ValueError(
            "--config: text: run `make text DIR=... DIRECTION=en-de` (docs/your-text.md)"
        )
    file = load(path)
    value = file.value | {key: "" if one is None else one for key, one in overrides.items()}
    places = {at: one for at, one in file.places.items() if not {*at[:1]} & overrides.keys()}
    given = {(key,): Place("--config", 0, key) for key in overrides}
    document = Document(value, places | given)
    return read(document, Config), Problems(document)


def read_overrides(words: Iterable[str]) -> dict[str, Any]:
    """Read settings as Snakemake's --config does: key=value, with the value in YAML.

    Raises:
        ValueError: a word has no `=`, or its value is not valid YAML.
    """
    found = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"--config: {word!r} must be key=value, such as scale=toy")
        found[key] = parse(value, Path(f"--config {key}")).value if value else None
    return found


def load_papers(folder: Path, keys: Iterable[str]) -> tuple[Paper, ...]:
    """Read papers in the order of every table and report: our own, then by year and key.

    Raises:
        ValueError: all problems of the first file with a problem.
    """
    found = [literature.load(folder / f"{key}.yaml") for key in dict.fromkeys(keys)]
    return tuple(sorted(found, key=lambda p: (p.key != OWN_PAPER, p.year, p.key)))


def names_in(folder: Path) -> list[str]:
    """Return the names of the YAML files in a folder.

    Raises:
        ValueError: a name that is no plain word, for it would become part of paths and commands.
    """
    names = sorted(path.stem for path in folder.glob("*.yaml"))
    for name in names:
        if not re.fullmatch(NAME, name):
            wrong = f"{folder / name}.yaml: the name of the file must match {NAME}"
            raise StrictYamlError([wrong])
    return names


def load_scale(path: Path, corpora: Corpora) -> Scale:
    """Read scales/<name>.yaml; `from: other` starts from another scale.

    Raises:
        ValueError: unknown keys, corpora, splits or scales, numbers that are too small, or a
            change of a method.
    """
    files = _files_of_scale(path)
    document = reduce(merged, reversed(files.values()))
    document.value.pop("from", None)
    file, problems = read(document, ScaleFile), Problems(document)
    if file.name != path.stem:
        problems.add(("name",), f"must be {path.stem}, the name of the file")
    for name in file.corpora:
        problems.check_names(("corpora", name), corpora.corpora, "corpus")
    used = [corpora.corpora[key] for key in file.corpora.values() if key in corpora.corpora]
    problems.check_names(("decode",), {name for one in used for name in one.split_names}, "split")
    # Those that a scale takes from its base with null, too.
    printed = {
        name.rpartition("/")[2] for one in files.values() for name in one.value.get("corpora", ())
    }
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
    problems.raise_if_any()
    # A scale keeps the rates that its base has, until it has been tuned itself.
    rates = [one.with_suffix(".rates.csv") for one in files]
    nearest = next((one for one in rates if one.exists()), rates[0])
    return Scale(**vars(file), chosen=read_choices(nearest), document=document)


def files_of_scale(path: Path) -> list[Path]:
    """Return a scale's file, the file that its `from` names, and so on up to one without `from`.

    Raises:
        ValueError: a file holds no settings, or a `from` names no scale or is circular.
    """
    return list(_files_of_scale(path))


def _files_of_scale(path: Path) -> dict[Path, Document]:
    """Return these files with what they say."""
    files = {path: load(path)}
    while "from" in (document := files[path]).value:
        problems, name = Problems(document), str(document.value["from"])
        path = path.with_name(f"{name}.yaml")
        if name not in names_in(path.parent):
            problems.unknown(("from",), name, names_in(path.parent), "scale")
        elif path in files:
            ring = [file.stem for file in files][list(files).index(path) :]
            problems.add(("from",), f"circular 'from': {', '.join(ring)}")
        problems.raise_if_any()
        files[path] = load(path)
    return files


def resolve_all(
    papers: Iterable[Paper], scale: Scale, corpora: Corpora
) -> tuple[dict[str, Spec], dict[str, str]]:
    """Return specs by row id, and the reasons why other rows have none; see Plan.specs.

    Raises:
        ValueError: names every system that does not make a valid spec, or once the line of the
            scale at fault.
    """
    specs, unavailable = {}, {}
    broken: dict[str, list[str]] = {}
    for paper in papers:
        by_system: dict[str, Spec | str] = {}
        for name in paper.systems:
            try:
                by_system[name] = resolve(paper, name, scale, corpora)
            except ValueError as error:
                for line in str(error).splitlines():
                    broken.setdefault(line, []).append(_where(paper, name))
        drawn = (literature.rows_of_figure(paper, figure) for figure in paper.figures)
        for row in chain(rows_of(paper), *drawn, literature.rows_of_claims(paper)):
            if row.system is None:
                unavailable[row.id] = "the paper trains nothing for this row"
            elif isinstance(found := by_system.get(row.system), Spec):
                specs[row.id] = found
            elif found is not None:
                unavailable[row.id] = found
    if broken:
        raise ValueError("\n".join(_with_systems(*problem) for problem in broken.items()))
    return specs, unavailable


def _where(paper: Paper, system: str) -> str:
    return f"{paper.path}:{paper.systems[system].line}: systems.{system}"


def _with_systems(line: str, systems: Sequence[str]) -> str:
    """Return a problem, with the first system that has it if the scale is at fault."""
    if line.startswith(systems[0]):
        return line
    others = f" and {len(systems) - 1} more" if len(systems) > 1 else ""
    return f"{line} ({systems[0]}{others})"


def resolve(paper: Paper, system: str, scale: Scale, corpora: Corpora) -> Spec | str:
    """Return the spec of a system at a scale, or the reason why there is none.

    Raises:
        ValueError: the settings do not make a valid spec; names file, line and key.
    """
    settings = literature.settings_of(paper, system)
    printed_corpus = settings.get("data.corpus")
    if printed_corpus is None:
        return "an abstract base"
    corpus = scale.corpora.get(f"{paper.key}/{printed_corpus}") or scale.corpora.get(printed_corpus)
    if corpus is None:
        return f"the {scale.name} scale has no corpus for {printed_corpus}"
    languages = corpora.corpus(corpus)
    problems: dict[str, str] = {}
    origins: dict[str, Location] = {key: ("change", key) for key in scale.change}
    for key, stacks in SHORTHANDS.items():
        if (width := str(settings.pop(key, ""))) in scale.widths:
            settings |= {
                f"{stack}.{size}": value
                for stack in stacks
                for size, value in vars(scale.widths[width]).items()
            }
        elif width:
            problems[key] = f"no width is named {width!r}{did_you_mean(width, scale.widths)}"
            origins[key] = ("widths",)
    for key in DEPTHS:
        depth = settings.get(key)
        if isinstance(depth, str):
            settings[key] = scale.depths.get(depth)
            if depth not in scale.depths:
                problems[key] = f"no depth is named {depth!r}{did_you_mean(depth, scale.depths)}"
                origins[key] = ("depths",)
    kept = {key: settings[key] for key in paper.fixed if key in settings}
    settings |= scale.change
    for number, recipe in enumerate(scale.recipes):
        if recipe.applies_to(settings):
            settings |= recipe.change
            origins |= {key: ("recipes", number, "change", key) for key in recipe.change}
    settings |= kept
    # A multiple of a system's rate is one of the rate that was chosen for it.
    tuned = paper.systems[system].base if literature.LR_TIMES in settings else system
    chosen = scale.chosen.get(f"{paper.key}/{tuned}", {})
    settings |= chosen
    origins = {key: location for key, location in origins.items() if key not in kept | chosen}
    apply_lr_times(settings)
    settings |= {
        "data.corpus": corpus,
        "data.source": languages.source,
        "data.target": languages.target,
    }
    try:
        if problems:
            raise SpecError(problems)
        return make_spec(settings)
    except SpecError as error:
        lines = []
        for key, text in error.problems.items():
            named = _first_named(key or text, origins)
            place = scale.document.where(origins[named]) if named else _where(paper, system)
            lines.append(f"{place}: {text}" if named or not key else f"{place}: {key} {text}")
        raise ValueError("\n".join(lines)) from None


def _first_named(problem: str, keys: Iterable[str]) -> str:
    """Return the first of these settings that a problem names, or an empty string."""
    words = re.findall(r"\w+", problem)
    named = [key for key in keys if set(key.split(".")) <= set(words)]
    return min(named, key=lambda key: words.index(key.rpartition(".")[2]), default="")


def apply_lr_times(settings: dict[str, Any]) -> None:
    """Multiply training.lr by `lr_times`, at any scale."""
    times, rate = settings.pop(literature.LR_TIMES, 1.0), settings.get("training.lr")
    if isinstance(rate, int | float):
        # Round: 3 * 1.5e-3 is 4.5e-3 in every record, not 0.0045000000000000005.
        settings["training.lr"] = float(f"{rate * times:.12g}")


def resolve_reverse(
    specs: Iterable[Spec],
    papers: Iterable[Paper],
    scale: Scale,
    corpora: Corpora,
    folder: Path,
) -> dict[str, Spec]:
    """Return the specs of the runs that make synthetic pairs for these specs, by corpus.

    Raises:
        ValueError: names every corpus that is made for another scale, or whose reverse system does
            not exist, has no corpus here, translates other languages, or would cut the text.
    """
    found, wrong = {}, []
    loaded = {paper.key: paper for paper in papers}
    for key in sorted({spec.data.corpus for spec in specs}):
        if (synthetic := corpora.corpus(key).synthetic) is None:
            continue
        name, _, system = synthetic.reverse.partition(".")
        try:
            if synthetic.scale != scale.name:
                raise ValueError(f"made for scale {synthetic.scale}, but used at {scale.name}")
            if name not in names_in(folder):
                raise ValueError(f"unknown paper '{name}'{did_you_mean(name, names_in(folder))}")
            paper = loaded.get(name) or literature.load(folder / f"{name}.yaml")
            reverse = resolve(paper, system, scale, corpora)
            found[key] = _checked_reverse(reverse, synthetic, corpora.corpus(key), corpora)
        except ValueError as error:
            wrong.append(f"corpora.yaml: corpora.{key}.synthetic: {error}")
    if wrong:
        raise ValueError("\n".join(wrong))
    return found


def resolve_trials(scale: Scale, corpora: Corpora, folder: Path) -> dict[str, dict[Trial, Spec]]:
    """Return the specs of all trials that the systems of a scale may need.

    Raises:
        ValueError: names a system that does not exist or has no corpus at this scale.
    """
    if scale.tuning is None:
        return {}
    paper = literature.load(folder / f"{OWN_PAPER}.yaml")
    found = {}
    for system in scale.tuning.systems:
        where = scale.document.where(("tuning", "systems", system))
        if system not in paper.systems:
            raise ValueError(f"{where}: unknown system{did_you_mean(system, paper.systems)}")
        spec = resolve(paper, system, scale, corpora)
        if isinstance(spec, str):
            raise ValueError(f"{where}: {spec}")
        try:
            found[system] = {trial: trial.spec(spec) for trial in scale.tuning.possible(system)}
        except ValidationError as error:
            raise ValueError(f"{where}: {message_of(error)}") from None
    return found


def _checked_reverse(
    spec: Spec | str, synthetic: Synthetic, corpus: Corpus, corpora: Corpora
) -> Spec:
    if isinstance(spec, str):
        raise ValueError(f"reverse {synthetic.reverse} cannot be run: {spec}")
    if spec.data.languages != (corpus.target, corpus.source):
        raise ValueError(
            f"reverse {synthetic.reverse} translates {' to '.join(spec.data.languages)}; it must"
            f" translate {corpus.target} to {corpus.source}"
        )
    if corpora.corpus(spec.data.corpus).synthetic:
        raise ValueError(f"reverse trains on {spec.data.corpus}, which has synthetic pairs itself")
    if not 0 < synthetic.max_tokens <= spec.training.max_length:
        raise ValueError(
            f"max_tokens={synthetic.max_tokens} must be in 1..{spec.training.max_length}:"
            f" {synthetic.reverse} cuts longer lines"
        )
    return spec


def rows_of(paper: Paper) -> list[Row]:
    """Return all rows of all tables."""
    return [row for table in paper.tables for row in table.rows]


def select(
    config: Config,
    papers: Sequence[Paper],
    specs: Mapping[str, Spec],
    unavailable: Mapping[str, str],
    problems: Problems,
) -> frozenset[str]:
    """Return the ids of the rows to run; skip headline rows without a corpus at this scale.

    Statistics, and figures that show no training, may be requested too, but run nothing.

    Raises:
        ValueError: an id that no paper has, a requested id without any row that can be run, or a
            headline without rows.
    """
    parts = rows_by_id(papers)
    counted = {row.id for paper in papers for row in rows_of(paper) if row.status == "statistic"}
    asked: dict[str, Location] = {
        word: ("rows",) for word in config.rows if word not in SETS_OF_ROWS
    }
    if "headline" in config.rows:
        headline: dict[str, Location] = {
            word: ("headline", paper.key, number)
            for paper in papers
            for number, word in enumerate(config.headline.get(paper.key, ()))
        }
        if not headline and config.from_ == "results":
            named = ", ".join(paper.key for paper in papers)
            problems.add(("headline",), f"lists no row of {named}: add some, or give rows=all")
        asked = headline | asked
    selected = list(specs) if "all" in config.rows else []
    for word, location in asked.items():
        if word not in parts:
            problems.unknown(location, word, parts, "row, table or figure")
            continue
        runnable = [row for row in parts[word] if row in specs]
        lacking = [row for row in parts[word] if row not in specs and row not in counted]
        if location == ("rows",) and lacking and not runnable:
            reasons = "; ".join(dict.fromkeys(unavailable[row] for row in lacking))
            problems.add(location, f"{word} cannot be run: {reasons}")
        selected += runnable
    problems.raise_if_any()
    return frozenset(selected)


def rows_by_id(papers: Iterable[Paper]) -> dict[str, list[str]]:
    """Map each id that may be requested, of a table, figure or row, to the ids of its rows."""
    found: dict[str, list[str]] = {}
    for paper in papers:
        rows = {table.id: list(table.rows) for table in paper.tables}
        rows |= {figure.id: literature.rows_of_figure(paper, figure) for figure in paper.figures}
        found |= {part: [row.id for row in its] for part, its in rows.items()}
        found |= {row.id: [row.id] for its in rows.values() for row in its}
    return found
