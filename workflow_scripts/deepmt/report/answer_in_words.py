"""Put what was decided into words: the first and its equals, and the answers to the questions."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from deepmt.judge.cells import Cell, against_print
from deepmt.judge.contrast import UNDECIDED, Contrast, Ending
from deepmt.judge.interval import Judged
from deepmt.judge.question import Answer
from deepmt.judge.ranking import RankedSystem, Ranking
from deepmt.study.papers import Paper
from deepmt.study.questions import FEWEST_PAIRS

SEEN = {
    "older": "Both runs of a pair began before the question and its seeds were fixed.",
    "one side known": "One of them did.",
}
WORDS: Mapping[str, tuple[str, str]] = {
    "perplexity and chrF": (
        "better or worse in perplexity and chrF",
        "The interval of the ratio of perplexities excludes 1, and that of the difference in"
        " chrF excludes 0 and favours the same system.",
    ),
    "perplexity only": (
        "better or worse in perplexity only",
        "The interval of the ratio of perplexities excludes 1, and that of the difference in"
        " chrF includes 0.",
    ),
    "level": ("level", "There are enough pairs of seeds, and the interval includes 1."),
    "still moving": (
        "still moving",
        "The interval excludes 1, but the lead would be gone if it changed once more as it did"
        " on dev over the last third of training.",
    ),
    " pairs": (
        f"1 of {FEWEST_PAIRS} pairs",
        f"A verdict needs {FEWEST_PAIRS} seeds that both systems have from the same kind of"
        " machine, and there are fewer.",
    ),
}
"""What verdicts mean, by what occurs in them; docs/protocol.md has the rule."""
VERBS: Mapping[Ending, tuple[str, str]] = {
    "trains": ("trains", "train"),
    "fails": ("fails", "fail"),
    UNDECIDED: ("is undecided", "are undecided"),
}
"""Of one system, and of several."""


def headline(ranking: Ranking) -> str:
    """Say what is best, what the leading questions are answered, and what was refused."""
    leading = [f"{said} ({effect})" for said, effect in _leading(ranking)]
    return best(ranking) + _sentences((*_others(ranking), *leading, *_lost(ranking)))


def leads(ranking: Ranking) -> list[str]:
    """Return what follows `best` without the numbers, for a page that has them in tables."""
    return [*(said for said, _ in _leading(ranking)), *_others(ranking), *_lost(ranking)]


def _leading(ranking: Ranking) -> list[tuple[str, str]]:
    leading = [one for one in ranking.answers if one.question.leads and _any(one)]
    return [_lead(one) for one in leading if ranking.compared]


def _lost(ranking: Ranking) -> list[str]:
    return [f"{without(ranking)}, listed below the ranking"] * bool(ranking.refusals)


def without(ranking: Ranking) -> str:
    """Return how many records of a ranking were refused, e.g. "without 2 refused records"."""
    number = len(ranking.refusals)
    return f"without {number} refused record{'s' * (number > 1)}"


def best(ranking: Ranking) -> str:
    """Say which system is first and which may be better, or why that is not known."""
    trained = ranking.systems
    if ranking.too_few:
        return ranking.too_few
    if ranking.unequal:
        return f"{_which_train(ranking)} Their budgets differ, so they are not ranked."
    if not ranking.compared:
        train, tried = ranking.ended("trains"), len(trained) + len(ranking.unranked)
        names = "".join(f", {one.system.name}" for one in train)
        open_ = _ended(ranking.ended(UNDECIDED), UNDECIDED)
        others = f"; {open_}" * bool(open_)
        return f"{len(train)} of {tried} systems train{names}{others}: there is nothing to rank."
    first, among = ranking.first, len(trained) - len(ranking.ahead)
    name, quality = first.system.name, _quality(first)
    said = f"{name} has the lowest perplexity of {among} systems on {on(ranking)} ({quality})"
    if ahead := [f"{one.system.name} ({_seeds(one)})" for one in ranking.ahead]:
        said += f"; with too few seeds to judge, {_and(ahead)} may be better"
    return f"{said}."


def _others(ranking: Ranking) -> Iterator[str]:
    """Yield how the others stand to the first, the best shallow one, and what is decided."""
    if not ranking.compared:
        return
    trained, first = ranking.systems, ranking.first
    rest = [one.with_first for one in trained if one.with_first and one not in ranking.ahead]
    if open_ := [one for one in rest if not (one.decided or one.level)]:
        better = sum(one.decided for one in rest)
        said = f"the first is better than {better} of the others, and {len(open_)}"
        said += f" {'is' if len(open_) == 1 else 'are'} undecided"
        if above := sum(one.log.low > 0 for one in open_):
            said += f" (ratio and interval above 1: {above})"
        yield said
    if level := [one.system.name for one in trained if one.level]:
        yield f"{_and(level)} {'is' if len(level) == 1 else 'are'} level with the first"
    if first.system.deep:
        yield from _best_shallow(trained)
    if asked := len(ranking.answers):
        decided = sum(one.decided for one in ranking.answers)
        yield f"{decided} of {asked} registered comparisons are decided"


def on(ranking: Ranking) -> str:
    """Return what perplexities are of: "the test set" or e.g. "3 test sets"."""
    number = len(ranking.systems[0].system.tokens)
    return f"{number} test sets" if number > 1 else "the test set"


def _best_shallow(trained: Sequence[RankedSystem]) -> Iterator[str]:
    """Yield which shallow system is the best of those with enough seeds for a verdict."""
    shallow = [one for one in trained if not one.system.deep]
    best = next((one for one in shallow if one.system.may_be_first), None)
    if best:
        lowest = min(one.perplexity or math.inf for one in shallow)
        enough = f" with {FEWEST_PAIRS} seeds or more" * (lowest != best.perplexity)
        yield f"the best shallow one{enough} is {best.system.name} ({_quality(best)})"


def printed(papers: Sequence[Paper], cells: Sequence[Cell]) -> str:
    """Say what became of each printed value of one seed."""
    return " ".join(
        f"{label}: {cell.ours:.2f}{f' ± {cell.spread:.2f}' if cell.spread else ''} {cell.unit} with"
        f" {cell.trained} seed{'s' * (cell.trained != 1)}, {cell.published:.2f} printed from one:"
        f" {judged.verdict}{f', since {judged.why}' if judged.why else ''}."
        for label, cell, judged in against_print(papers, cells)
    )


def _sentences(parts: Iterable[str]) -> str:
    return "".join(f" {part[0].upper()}{part[1:]}." for part in parts)


def _quality(one: RankedSystem) -> str:
    """Return perplexity over all test sets, and BLEU on the first."""
    bleu = "" if one.cell.ours is None else f", {one.cell.ours:.1f} BLEU"
    return f"{one.perplexity:.2f}{bleu}"


def _seeds(one: RankedSystem) -> str:
    number = len(one.system.seeds)
    return f"{number} seed{'s' * (number > 1)}"


def _any(answer: Answer) -> bool:
    """Return whether an answer rests on a pair of seeds at least."""
    return answer.found is not None and bool(answer.found.seeds)


def _lead(answer: Answer) -> tuple[str, str]:
    """Say which of two systems is better, or that this is open, and by how much."""
    found = answer.found
    assert found is not None
    log = found.log
    effect = f"{math.exp(log.value):.3f} times the perplexity"
    if math.isfinite(log.half) and not found.too_few:
        effect += f", {math.exp(log.low):.3f} to {math.exp(log.high):.3f}"
    at = "" if answer.question.at == "equal updates" else f"at {answer.question.at}, on dev, "
    if not answer.decided:
        lacking = len(found.seeds) < len(answer.question.seeds)
        pairs = f", {len(found.seeds)} of {len(answer.question.seeds)} pairs" * lacking
        said = f"{at}{found.one.name} against {found.other.name} is {found.verdict}"
        return said, f"{effect}{pairs}"
    return f"{at}{found.one.name} is {found.verdict} than {found.other.name}", effect


def _which_train(ranking: Ranking) -> str:
    """Say which deep systems train, which fail, and of which this is undecided."""
    deep = {end: [one for one in ranking.ended(end) if one.system.deep] for end in VERBS}
    trained, *others = (_ended(systems, end) for end, systems in deep.items())
    return f"{'; '.join(filter(None, (trained or 'No deep system trains', *others)))}."


def _ended(systems: Sequence[RankedSystem], ending: Ending) -> str:
    """Return e.g. "12+12 pre-norm and 12+12 DLCL train"; "" without a system."""
    names = [one.system.name for one in systems]
    return f"{_and(names)} {VERBS[ending][len(names) > 1]}" if names else ""


def _and(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


@dataclass(frozen=True, kw_only=True)
class AnswerLine:
    """Represent one contrast of a question as a line of a table."""

    question: str
    paper: str
    """Whose finding it is, or empty."""
    systems: str
    effect: str
    verdict: str
    pairs: str
    scores: str
    """chrF and BLEU, and what a paper prints."""
    says: str
    """What the paper says."""
    status: str
    """If that holds here: holds, fails or undecided."""


def answer_lines(answers: Iterable[Answer], ranking: Ranking) -> Iterator[AnswerLine]:
    """Yield some answers of a ranking; what has not been run is named."""
    for answer in answers:
        yield _line(answer, ranking)


def known(answer: Answer) -> str:
    """Return how many pairs were known, in whole or in part, when the question was fixed."""
    counts = {"older": len(answer.older), "one side known": len(answer.half_known)}
    said = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    return f" ({said})" * bool(said)


def _line(answer: Answer, ranking: Ranking) -> AnswerLine:
    found, asked = answer.found, answer.asked
    systems = [one.name for one in answer.systems] or [
        " or ".join(ranking.names.get(name, name) for name in side)
        for side in ((asked.trains,) if asked.trains else (), asked.system, asked.against)
        if side
    ]
    why = found.log.why if found else answer.why
    agrees = "holds" if answer.as_said else "fails"
    return AnswerLine(
        question=answer.question.asks,
        paper=answer.question.paper or "",
        systems=" against ".join(systems),
        effect=effect_of(found) if found and found.seeds else "",
        verdict=f"{answer.verdict}{f' ({why})' * bool(why)}" if answer.systems else why,
        pairs=_pairs(answer),
        scores=_scores(found, answer, ranking.printed) if found else "",
        says=asked.says or "",
        status=agrees if answer.decided else "undecided",
    )


def _pairs(answer: Answer) -> str:
    """Return the number of pairs, or of the seeds that train."""
    seeds = answer.question.seeds
    if answer.asked.trains:
        return "; ".join(
            f"{len(one.seeds)} of {len(one.seeds) + one.failed}" for one in answer.systems
        )
    pairs = str(len(answer.found.seeds)) if answer.found else "0"
    return f"{pairs} of {len(seeds)}{known(answer)}" if seeds else pairs


def _scores(found: Contrast, answer: Answer, printed: Mapping[str, float]) -> str:
    parts = gains(found)
    rows = answer.asked.printed
    if rows and printed.keys() >= {*rows}:
        one, other = (printed[row] for row in rows)
        parts.append(f"printed {one - other:+z.1f} BLEU")
    return ", ".join(parts)


def by_question(lines: Iterable[AnswerLine]) -> list[tuple[str, list[AnswerLine]]]:
    """Return the lines of each question, in order."""
    return [(asks, list(own)) for asks, own in groupby(lines, key=lambda one: one.question)]


def noise(ranking: Ranking) -> str:
    """Say how large a difference to the first must be; "" where no spread is known."""
    halves = [
        100 * (math.exp(one.with_first.log.half) - 1)
        for one in ranking.systems
        if one.with_first and math.isfinite(one.with_first.log.half)
    ]
    if not halves:
        return ""
    low, high = (f"{value:.1f}" for value in (min(halves), max(halves)))
    least = f"{low} % higher" if low == high else f"{low} to {high} % higher, by its seeds"
    return (
        f"A system can be told from the first only if its perplexity is at least {least};"
        " the intervals hold for all comparisons together if seeds differ as much in every system."
    )


def standing(found: Contrast | None, name: str) -> str:
    """Return how a system stands to the one of that name, with the ratio of perplexities."""
    if found is None:
        return name
    return f"{effect_of(found)}, {'level' if found.level else found.log.why or found.verdict}"


def words(ranking: Ranking) -> Iterator[tuple[str, str]]:
    """Yield the words that say how the systems of a ranking stand, and what they mean."""
    found = [one for each in ranking.systems for one in (each.with_first, each.with_baseline)]
    said = " ".join(standing(one, "") for one in found)
    yield from ((word, meant) for key, (word, meant) in WORDS.items() if key in said)
    seen = "".join(map(known, ranking.answers))
    yield from ((word, meant) for word, meant in SEEN.items() if word in seen)


def effect_of(found: Contrast) -> str:
    """Return the ratio of perplexities; its interval stands only where a verdict may."""
    return ratio(replace(found.log, half=math.inf) if found.too_few else found.log)


def gains(found: Contrast) -> list[str]:
    """Return differences in chrF and BLEU; an interval stands only where a verdict may."""
    return [
        f"{name} {difference(one.value, math.inf if found.too_few else one.half)}"
        for name, one in (("chrF", found.chrf), ("BLEU", found.bleu))
        if math.isfinite(one.value)
    ]


def ratio(found: Judged) -> str:
    """Return e.g. "0.930 (0.900 to 0.960)", from a difference of logarithms."""
    known = f" ({math.exp(found.low):.3f} to {math.exp(found.high):.3f})"
    return f"{math.exp(found.value):.3f}{known if math.isfinite(found.half) else ''}"


def difference(value: float, half: float) -> str:
    """Return e.g. "-1.6 (-2.3 to -0.9)", a difference and its interval, if that is known."""
    ends = f" ({value - half:+z.1f} to {value + half:+z.1f})"
    known = ends if math.isfinite(half) else ""
    return f"{value:+z.1f}{known}"
