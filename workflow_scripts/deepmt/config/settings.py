"""Resolve config.yaml, a scale and the papers into specs, and check all of them at once."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass as plain_dataclass
from dataclasses import field, replace
from functools import cached_property, reduce
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from deepmt.config import own_text
from deepmt.config import papers as literature
from deepmt.config import spec as schema
from deepmt.config.corpora import Corpora, Corpus, load_corpora
from deepmt.config.method import CHOICES
from deepmt.config.own_text import PREFIX, TextRequest
from deepmt.config.papers import DEPTHS, SHORTHANDS, Paper, Row
from deepmt.config.spec import Spec, Width
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
    Positive,
    Seed,
    Some,
    did_you_mean,
)
from deepmt.config.strict_yaml import (
    Node,
    Problems,
    StrictYamlError,
    check_names,
    load,
    parse,
    read,
)
from deepmt.config.synthetic import Synthetic
from deepmt.config.tuning import Trial, Tuning, read_choices
from deepmt.printable import CONTROL

OWN_PAPER = "unified"
"""Our own paper, listed before those of the literature."""
LISTS = ("papers", "rows", "seeds", "methods")
OF_TEXT = ("direction", "methods", "hours", "name")
"""Settings that belong to `text`."""
MAX_LEVELS = 2
"""Levels of the most nested setting of config.yaml, headline."""
SETS_OF_ROWS = ("headline", "all")
"""Values of `rows` besides ids."""
FIXED_BY_PAPERS = ("method.",)


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Recipe:
    """Hold settings for systems that need their own: deep ones and RNMT+, as in the papers."""

    change: dict[str, Any]
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
class Scale:
    """Define how much of a system's cost is spent, but never its method."""

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
    change: dict[str, Any]
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
    """Milestones at which all of them are translated; at others, dev alone is."""
    dev_every: CountOrNone = 0
    """Updates between evaluations of dev perplexity during training; 0 = never."""
    gradients_every: CountOrNone = 0
    """Updates between logs of every layer's gradients and the training loss; 0 = never."""
    layer_weights_every: CountOrNone = 0
    """Updates between logs of the weights that a method learns for layers; 0 = never."""
    tuning: Tuning | None = None
    """Trials of `snakemake tune`."""
    chosen: dict[str, dict[str, float | int]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )
    """System, such as unified/deep-post -> the settings that `snakemake tune` chose for it."""
    lines: dict[str, str] = field(init=False, repr=False, compare=False, default_factory=dict)
    """File and line of `widths`, `depths` and each change, for messages."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Config:
    """Hold the settings of config.yaml and of --config on the command line."""

    scale: str
    papers: Some[str]
    rows: Some[str]
    """`headline`, `all`, and ids of rows, tables and figures."""
    seeds: DistinctSome[Seed]
    mirror: str
    meteor: str = ""
    """Path of meteor-1.5.jar, to measure METEOR too."""
    hardware: str = "auto"
    """Hardware that `plan` assumes, e.g. h200x8: a name of hardware.yaml and a count."""
    budget: Annotated[float, Field(ge=0, le=1e9)] = 0.0
    """GPU hours (core hours at a scale without GPUs) that `plan` may spend; 0 = no limit."""
    headline: dict[str, tuple[str, ...]]
    text: str = ""
    """A folder of your own text; direction, methods, hours and name belong to it."""
    direction: str = ""
    methods: tuple[str, ...] = ()
    hours: Positive = 2.0
    """Time that all runs on the text may take together."""
    name: str = ""
    """Name of its results; empty for that of the folder."""
    from_: Literal["results", "records"] = "results"
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
    def every_run(self) -> dict[str, Spec]:
        """Return the runs of all rows of the selected papers, and those that choose or help."""
        trials = chain.from_iterable(specs.values() for specs in self.trials.values())
        return {s.run: s for s in chain(self.specs.values(), self.reverse.values(), trials)}


def load_plan(root: Path, overrides: Mapping[str, Any]) -> Plan:
    """Read and resolve all settings below `root`; `overrides` come from the command line.

    Raises:
        ValueError: every problem of every file, each with file, line and what is allowed.
    """
    config = load_config(root / "config.yaml", overrides)
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
        selected=select(config, papers, specs, unavailable),
    )


def load_config(path: Path, overrides: Mapping[str, Any]) -> Config:
    """Read config.yaml; values of the command line override its own.

    Raises:
        ValueError: unknown keys, wrong types, unknown papers or scales, missing files.
    """
    node, config, problems = read_config(path, overrides)
    papers, scales = names_in(path.parent / "papers"), names_in(path.parent / "scales")
    check_names(node, "papers", [*papers, "all"], problems, "paper")
    if not ("text" in node and node["text"].value):
        check_names(node, "scale", scales, problems)
        for key in OF_TEXT:
            if overrides.get(key) is not None:
                problems.add(node[key], "belongs to a text of yours: give text=DIR, too")
    problems.raise_if_any()
    if asked := text_request(path.parent, config):
        if "scale" in overrides and config.scale != asked.scale:
            problems.add(node["scale"], f"text={config.text} makes its own scale: omit scale=")
        elif asked.scale not in scales:
            problems.add(node["text"], "is not prepared: run `snakemake -n` with these settings")
        config = replace(config, scale=asked.scale)
    for paper, child in node["headline"].value.items():
        if paper not in papers:
            problems.unknown(child, paper, papers, "paper")
    if config.meteor and not Path(config.meteor).is_file():
        problems.add(node["meteor"], "does not exist; give the path of meteor-1.5.jar")
    problems.raise_if_any()
    if config.scale.startswith(PREFIX):
        papers = [config.scale]
        config = replace(config, headline={config.scale: (f"{config.scale}.table1",)})
    chosen = [paper for paper in papers if paper == config.scale or not paper.startswith(PREFIX)]
    return replace(
        config,
        mirror=os.path.expanduser(config.mirror),
        papers=tuple(chosen) if config.papers == ("all",) else config.papers,
    )


def text_request(root: Path, config: Config) -> TextRequest | None:
    """Return what is requested for a text of the user's, if there is one.

    Raises:
        ValueError: a setting of it is missing or wrong.
    """
    if not config.text:
        return None
    unified = root / "papers" / f"{OWN_PAPER}.yaml"
    text = os.path.expanduser(config.text)
    return own_text.request(
        text, config.direction, config.methods, config.hours, config.name, unified
    )


def read_config(path: Path, overrides: Mapping[str, Any]) -> tuple[Node, Config, Problems]:
    """Read config.yaml and the command line; unknown keys and wrong types are problems."""
    node, problems = load(path), Problems()
    for key, value in overrides.items():
        node.value[key] = as_node(value, key)
    if "from_" in node:
        problems.unknown(node.value.pop("from_"), "from_", ["from"])
    if "from" in node:
        node.value["from_"] = node.value.pop("from")
    for key in LISTS:
        if key in node:
            node.value[key] = as_list(node[key])
    config = read(node, Config, problems)
    return node, config, problems


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
        found[key] = parse(value, Path(f"--config {key}")).plain() if value else None
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
            raise StrictYamlError(f"{folder / name}.yaml: the name of the file must match {NAME}")
    return names


def as_node(value: Any, key: str, depth: int = 0) -> Node:
    """Return a value of the command line as a node, like those read from a file.

    Raises:
        ValueError: the value has more levels than any setting, or a control character.
    """
    if depth > MAX_LEVELS:
        raise StrictYamlError(f"--config: {key}: more than {MAX_LEVELS} levels of nesting")
    if isinstance(value, str) and (control := CONTROL.search(value)):
        raise StrictYamlError(f"--config: {key}: remove the control character {control[0]!r}")
    found: Any = "" if value is None else value
    if isinstance(value, Mapping):
        found = {str(k): as_node(v, f"{key}.{k}", depth + 1) for k, v in value.items()}
    elif isinstance(value, list):
        found = [as_node(v, key, depth + 1) for v in value]
    return Node(found, Path("--config"), 0, key)


def as_list(node: Node) -> Node:
    """Return a list; the node may hold a single word or number, or several by commas."""
    if isinstance(node.value, dict):
        return node
    words = node.value if isinstance(node.value, list) else [node]
    if isinstance(node.value, str):
        words = [replace(node, value=word.strip()) for word in node.value.split(",")]
    return replace(node, value=[_as_number(word) for word in words])


def _as_number(node: Node) -> Node:
    """Return a whole number that is given as text as a number; Snakemake passes lists as text."""
    word = node.value
    whole = isinstance(word, str) and re.fullmatch("-?[0-9]{1,30}", word)
    return replace(node, value=int(word)) if whole else node


def load_scale(path: Path, corpora: Corpora) -> Scale:
    """Read scales/<name>.yaml; `from: other` starts from another scale.

    Raises:
        ValueError: unknown keys, corpora, splits or scales, numbers that are too small, or a
            change of a method.
    """
    node = reduce(merge, map(load, reversed(files_of_scale(path))))
    problems = Problems()
    scale = read(node, Scale, problems)
    problems.raise_if_any()
    if scale.name != path.stem:
        problems.add(node["name"], f"must be {path.stem}, the name of the file")
    for name in node["corpora"]:
        check_names(node["corpora"], name, corpora.corpora, problems, "corpus")
    used = [corpora.corpora[key] for key in scale.corpora.values() if key in corpora.corpora]
    splits = {name for corpus in used for name in corpus.split_names}
    check_names(node, "decode", splits, problems, "split")
    recipes = node.items_of("recipes")
    for change in [node["change"], *(recipe["change"] for recipe in recipes)]:
        for key in change:
            scale.lines[change[key].key] = change[key].where
            if key.startswith(FIXED_BY_PAPERS):
                problems.add(change[key], "a scale must not change a method or initialisation")
            elif wrong := schema.check(key, change[key].plain()):
                problems.add(change[key], wrong)
    problems.raise_if_any()
    scale.lines.update({key: node[key].where for key in ("widths", "depths")})
    scale.chosen.update(read_choices(path.with_suffix(".rates.csv")))
    return scale


def files_of_scale(path: Path) -> list[Path]:
    """Return a scale's file, the file that its `from` names, and so on up to one without `from`.

    Raises:
        ValueError: a file holds no settings, or a `from` names no scale or is circular.
    """
    files, problems = [path], Problems()
    while True:
        node = load(files[-1])
        read(node, dict[str, Any], problems)
        problems.raise_if_any()
        if "from" not in node:
            return files
        name = str(node["from"].plain())
        base = path.with_name(f"{name}.yaml")
        if name not in names_in(path.parent):
            problems.unknown(node["from"], name, names_in(path.parent), "scale")
        elif base in files:
            ring = [file.stem for file in files[files.index(base) :]]
            problems.add(node["from"], f"circular 'from': {', '.join(ring)}")
        problems.raise_if_any()
        files.append(base)


def merge(base: Node, node: Node) -> Node:
    """Merge a scale's file into its base, mappings key by key.

    A key that a mapping sets to null is removed.
    """
    own = {key: child for key, child in node.value.items() if key != "from"}
    for key, child in own.items():
        if isinstance(child.value, dict) and key in base and isinstance(base[key].value, dict):
            both = {**base[key].value, **child.value}
            kept = {name: one for name, one in both.items() if one.value is not None}
            own[key] = replace(child, value=kept)
    return replace(node, value={**base.value, **own})


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
    where = _where(paper, system)
    printed_corpus = settings.get("data.corpus")
    if printed_corpus is None:
        return "an abstract base"
    corpus = scale.corpora.get(f"{paper.key}/{printed_corpus}") or scale.corpora.get(printed_corpus)
    if corpus is None:
        return f"the {scale.name} scale has no corpus for {printed_corpus}"
    languages = corpora.corpus(corpus)
    problems: dict[str, str] = {}
    origins = {key: f"change.{key}" for key in scale.change}
    for key, stacks in SHORTHANDS.items():
        if (width := str(settings.pop(key, ""))) in scale.widths:
            settings |= {
                f"{stack}.{size}": value
                for stack in stacks
                for size, value in vars(scale.widths[width]).items()
            }
        elif width:
            problems[key] = f"no width is named {width!r}{did_you_mean(width, scale.widths)}"
            origins[key] = "widths"
    for key in DEPTHS:
        depth = settings.get(key)
        if isinstance(depth, str):
            settings[key] = scale.depths.get(depth)
            if depth not in scale.depths:
                problems[key] = f"no depth is named {depth!r}{did_you_mean(depth, scale.depths)}"
                origins[key] = "depths"
    kept = {key: settings[key] for key in paper.fixed if key in settings}
    settings |= scale.change
    for number, recipe in enumerate(scale.recipes):
        if recipe.applies_to(settings):
            settings |= recipe.change
            origins |= {key: f"recipes[{number}].change.{key}" for key in recipe.change}
    settings |= kept
    # A multiple of a system's rate is one of the rate that was chosen for it.
    tuned = paper.systems[system].base if literature.LR_TIMES in settings else system
    chosen = scale.chosen.get(f"{paper.key}/{tuned}", {})
    settings |= chosen
    origins |= dict.fromkeys(chosen, "rates")
    apply_lr_times(settings)
    settings |= {
        "data.corpus": corpus,
        "data.source": languages.source,
        "data.target": languages.target,
    }
    spec = None
    if not problems:
        spec, problems = schema.read(settings)
    if spec is None:
        lines = {key: scale.lines[one] for key, one in origins.items() if one in scale.lines}
        raise ValueError(
            "\n".join(
                f"{_line_of(key or text, lines) or f'{where}: {key}'.strip()} {text}"
                for key, text in problems.items()
            )
        )
    return spec


def _line_of(problem: str, lines: Mapping[str, str]) -> str:
    """Return the line of the first setting that a problem names, if the scale has made it."""
    words = re.findall(r"\w+", problem)
    named = [key for key in lines if set(key.split(".")) <= set(words)]
    first = min(named, key=lambda key: words.index(key.rpartition(".")[2]), default="")
    return f"{lines[first]}:" if first else ""


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
        where = f"scales/{scale.name}.yaml: tuning.systems.{system}"
        if system not in paper.systems:
            raise ValueError(f"{where}: unknown system{did_you_mean(system, paper.systems)}")
        spec = resolve(paper, system, scale, corpora)
        if isinstance(spec, str):
            raise ValueError(f"{where}: {spec}")
        found[system] = {trial: trial.spec(spec) for trial in scale.tuning.possible(system)}
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
) -> frozenset[str]:
    """Return the ids of the rows to run; skip headline rows without a corpus at this scale.

    Statistics, and figures that show no training, may be requested too, but run nothing.

    Raises:
        ValueError: an id that no paper has, or a requested id without any row that can be run.
    """
    parts = rows_by_id(papers)
    counted = {row.id for paper in papers for row in rows_of(paper) if row.status == "statistic"}
    headline = [word for paper in papers for word in config.headline.get(paper.key, ())]
    named = [word for word in config.rows if word not in SETS_OF_ROWS]
    selected = list(specs) if "all" in config.rows else []
    wrong = []
    for word in [*(headline if "headline" in config.rows else ()), *named]:
        if word not in parts:
            wrong.append(f"rows: unknown row, table or figure '{word}'{did_you_mean(word, parts)}")
            continue
        runnable = [row for row in parts[word] if row in specs]
        lacking = [row for row in parts[word] if row not in specs and row not in counted]
        if word in named and lacking and not runnable:
            reasons = "; ".join(dict.fromkeys(unavailable[row] for row in lacking))
            wrong.append(f"rows: {word} cannot be run: {reasons}")
        selected += runnable
    if wrong:
        raise ValueError("\n".join(wrong))
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
