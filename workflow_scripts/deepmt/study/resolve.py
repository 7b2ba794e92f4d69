"""Resolve the systems of papers into specs at a scale."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain

from pydantic import ValidationError

from deepmt.base.errors import UserError
from deepmt.settings.corpora import Corpora, Corpus
from deepmt.settings.spec import Spec, SpecError, make_spec
from deepmt.settings.strict import look_up, message_of, unknown
from deepmt.settings.strict_yaml import where
from deepmt.settings.synthetic import Synthetic
from deepmt.study import papers as literature
from deepmt.study.papers import OWN_PAPER, Paper, rows_of
from deepmt.study.precedence import always, fold, layers_of, scale_layers
from deepmt.study.scale import Scale
from deepmt.study.tuning import Trial


def resolve_all(
    papers: Iterable[Paper], scale: Scale, corpora: Corpora
) -> tuple[dict[str, Spec], dict[str, str]]:
    """Return specs by row id, and the reasons why other rows have none; see Plan.specs.

    Raises:
        ValueError: settings that do not make valid specs, each with its line and its systems.
    """
    specs, unavailable = {}, {}
    broken: dict[str, list[str]] = {}
    for paper in papers:
        by_system: dict[str, Spec | str] = {}
        for name in paper.systems:
            try:
                by_system[name] = resolve(paper, name, scale, corpora)
            except ValueError as error:
                where_it_is = f"{paper.systems.places[name]}: systems.{name}"
                for line in str(error).splitlines():
                    broken.setdefault(line, []).append(where_it_is)
        drawn = (literature.rows_of_figure(paper, figure) for figure in paper.figures)
        for row in chain(rows_of(paper), *drawn, literature.rows_of_claims(paper)):
            if row.system is None:
                unavailable[row.id] = "the paper trains nothing for this row"
            elif isinstance(found := by_system.get(row.system), Spec):
                specs[row.id] = found
            elif found is not None:
                unavailable[row.id] = found
    if broken:
        raise UserError("\n".join(_with_systems(*problem) for problem in broken.items()))
    return specs, unavailable


def _with_systems(problem: str, systems: Sequence[str]) -> str:
    """Return a problem with the first system that has it, and the number of others."""
    others = f" and {len(systems) - 1} more" if len(systems) > 1 else ""
    return f"{problem} ({systems[0]}{others})"


def resolve(paper: Paper, system: str, scale: Scale, corpora: Corpora) -> Spec | str:
    """Return the spec of a system at a scale, or the reason why there is none.

    Raises:
        ValueError: the settings do not make a valid spec; names file, line and key.
    """
    printed = literature.settings_of(paper, system)
    printed_corpus = printed.get("data.corpus")
    if printed_corpus is None:
        return "an abstract base"
    if printed_corpus not in scale.corpora_of(paper.key):
        return f"the {scale.name} scale has no corpus for {printed_corpus}"
    above = scale_layers(paper, system, printed, scale, corpora)
    settings, _ = fold([always("printed", printed), *above])
    try:
        return make_spec(settings)
    except SpecError as error:
        lines = []
        for key, text in error.problems.items():
            first, *others = _named(key or text, settings.places) or [key]
            place = settings.places.get(first, paper.systems.places[system])
            also = "".join(f" ({settings.places[one]}: {one})" for one in others)
            said = text if first and text.startswith(first) else f"{first or 'systems'}: {text}"
            lines.append(f"{place}: {said}{also}")
        raise UserError("\n".join(lines)) from None


def _named(text: str, settings: Collection[str]) -> list[str]:
    """Return the settings that a message names, as section.key or, in that section, as key=."""
    words = re.findall(r"([\w.]*\w)(=?)", text)
    section = words[0][0].rpartition(".")[0]
    names = [f"{section}.{word}" if equals and "." not in word else word for word, equals in words]
    return [name for name in dict.fromkeys(names) if name in settings]


def without_effect(
    papers: Iterable[Paper], specs: Mapping[str, Spec], scale: Scale, corpora: Corpora
) -> list[str]:
    """Return a sentence on each system that a scale turns into the run of the one it is from.

    Only rows without printed values count: what a paper prints stands there whatever a scale makes
    of it, but our own rows for their change alone.
    """
    recipes = (recipe.change for recipe in scale.recipes)
    decided = set(scale.change).union(*recipes, *scale.chosen.values())
    sentences = [
        _lost(paper, row.system, specs[row.id], scale, corpora)
        for paper in papers
        for row in rows_of(paper)
        if row.system and not row.values and row.id in specs
        if not decided.isdisjoint(paper.systems[row.system])
    ]
    return [*filter(None, dict.fromkeys(sentences))]


def _lost(paper: Paper, system: str, spec: Spec, scale: Scale, corpora: Corpora) -> str:
    """Return how other lines set what a system sets itself, if that leaves the run of its base."""
    own, base = paper.changes_of(system), paper.systems[system].get("from")
    if base is None:
        return ""
    _, changes = fold(layers_of(paper, system, scale, corpora))
    last = {key: change for _, change in changes for key in change.places}
    lost = [
        f"{own.places[key]}: {key} {value} has no effect: {last[key].places[key]} sets"
        f" {last[key][key]}"
        for key, value in own.items()
        if last[key][key] != value
    ]
    if not lost or resolve(paper, base, scale, corpora) != spec:
        return ""
    return f"{'; '.join(lost)}, so {system} is the run of {base}"


def resolve_reverse(
    specs: Iterable[Spec], read_paper: Callable[[str], Paper], scale: Scale, corpora: Corpora
) -> dict[str, Spec]:
    """Return the specs of the runs that make synthetic pairs for these specs, by corpus.

    Raises:
        ValueError: names every corpus that is made for another scale, or whose reverse system does
            not exist, has no corpus here, translates other languages, or would cut the text.
    """
    found, wrong = {}, []
    for key in sorted({spec.data.corpus for spec in specs}):
        if (synthetic := corpora.corpus(key).synthetic) is None:
            continue
        name, _, system = synthetic.reverse.partition(".")
        try:
            if synthetic.scale != scale.name:
                raise UserError(f"made for scale {synthetic.scale}, but used at {scale.name}")
            reverse = resolve(read_paper(name), system, scale, corpora)
            found[key] = _checked_reverse(reverse, synthetic, corpora.corpus(key), corpora)
        except ValueError as error:
            wrong.append(f"corpora.yaml: corpora.{key}.synthetic: {error}")
    if wrong:
        raise UserError("\n".join(wrong))
    return found


def resolve_trials(
    read_paper: Callable[[str], Paper], scale: Scale, corpora: Corpora
) -> dict[str, dict[Trial, Spec]]:
    """Return the specs of all trials that the systems of a scale may need.

    Raises:
        ValueError: names a system that does not exist or has no corpus at this scale.
    """
    if scale.tuning is None:
        return {}
    paper = read_paper(OWN_PAPER)
    found = {}
    rows = rows_of(paper)
    known = {row.group for row in rows}
    for group in scale.tuning.groups:
        if group not in known:
            place = where(scale.document, ("tuning", "groups"))
            raise UserError(f"{place}: {unknown('group', group, known)}")
    grouped = [str(row.system) for row in rows if row.system and row.group in scale.tuning.groups]
    for system in dict.fromkeys([*scale.tuning.systems, *grouped]):
        place = where(scale.document, ("tuning", "systems", system))
        look_up("system", system, paper.systems, f"{place}: ")
        spec = resolve(paper, system, scale, corpora)
        if isinstance(spec, str):
            raise UserError(f"{place}: {spec}")
        try:
            found[system] = {trial: trial.spec(spec) for trial in scale.tuning.possible(system)}
        except ValidationError as error:
            raise UserError(f"{place}: {message_of(error)}") from None
    return found


def _checked_reverse(
    spec: Spec | str, synthetic: Synthetic, corpus: Corpus, corpora: Corpora
) -> Spec:
    if isinstance(spec, str):
        raise UserError(f"reverse {synthetic.reverse} cannot be run: {spec}")
    if spec.data.languages != (corpus.target, corpus.source):
        raise UserError(
            f"reverse {synthetic.reverse} translates {' to '.join(spec.data.languages)}; it must"
            f" translate {corpus.target} to {corpus.source}"
        )
    if corpora.corpus(spec.data.corpus).synthetic:
        raise UserError(f"reverse trains on {spec.data.corpus}, which has synthetic pairs itself")
    if not 0 < synthetic.max_tokens <= spec.training.max_length:
        raise UserError(
            f"max_tokens={synthetic.max_tokens} must be in 1..{spec.training.max_length}:"
            f" {synthetic.reverse} cuts longer lines"
        )
    return spec
