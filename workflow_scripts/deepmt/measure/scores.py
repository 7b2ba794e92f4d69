"""Every score of a translation, under the conventions that the papers use."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import sacrebleu
import sacremoses
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEUScore
from sacrebleu.significance import PairedTest

from deepmt.measure.compound_split import retokenise_and_split, split_compounds
from deepmt.measure.tokenised_bleu import multi_bleu


@dataclass(frozen=True)
class Score:
    """A measured value, and the signature by which others can measure the same."""

    value: float
    signature: str
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Texts:
    """One translation and its reference in the forms that measures look at, line by line."""

    hypotheses: Sequence[str]  # tokenised, subwords joined
    detokenised: Sequence[str]
    reference: Sequence[str]  # raw
    tokenised_reference: Sequence[str]
    target_language: str

    @property
    def empty_hypotheses(self) -> int:
        """How many segments the model left empty; they count as translations without words."""
        return sum(not line.strip() for line in self.hypotheses)


@dataclass(frozen=True)
class Measure:
    """How one score is computed, and for which target language (None: for all)."""

    description: str
    compute: Callable[[Texts], Score]
    target_language: str | None = None


def sacrebleu_score(metric_class: type[Metric], **settings: Any) -> Callable[[Texts], Score]:
    """A sacreBLEU metric on de-tokenised text."""

    def compute(texts: Texts) -> Score:
        metric = metric_class(**settings)
        result = metric.corpus_score(texts.detokenised, [texts.reference])
        signature = f"{result.name}|{metric.get_signature().format(short=True)}"
        return Score(result.score, signature, _details(result))

    return compute


def multi_bleu_score(
    *, lowercase: bool = False, prepare: Callable[[str], str] = str, tok: str = "none"
) -> Callable[[Texts], Score]:
    """multi-bleu.perl on tokenised text, both sides prepared in the way that `tok` names."""
    case = "lc" if lowercase else "mixed"
    version = sacrebleu.__version__
    signature = f"multi-bleu|case:{case}|tok:{tok}|smooth:none|sacrebleu:{version}"

    def compute(texts: Texts) -> Score:
        hypotheses = [prepare(line) for line in texts.hypotheses]
        reference = [prepare(line) for line in texts.tokenised_reference]
        result = multi_bleu(hypotheses, reference, lowercase=lowercase)
        return Score(result.score, signature, _details(result))

    return compute


MEASURES: dict[str, Measure] = {
    "bleu": Measure(
        "sacreBLEU as mteval-v13a, cased, whatever the target language",
        sacrebleu_score(BLEU, tokenize="13a"),
    ),
    "bleu_lc": Measure(
        "sacreBLEU as mteval-v13a, case-insensitive",
        sacrebleu_score(BLEU, tokenize="13a", lowercase=True),
    ),
    "bleu_intl": Measure(
        "sacreBLEU as mteval-v14 --international-tokenization",
        sacrebleu_score(BLEU, tokenize="intl"),
    ),
    "bleu_zh": Measure(
        "sacreBLEU by Chinese characters, its own default for this target language",
        sacrebleu_score(BLEU, tokenize="zh"),
        target_language="zh",
    ),
    "bleu_tok": Measure("multi-bleu.perl on the tokens as they are", multi_bleu_score()),
    "bleu_tok_lc": Measure("multi-bleu.perl -lc", multi_bleu_score(lowercase=True)),
    "bleu_atat": Measure(
        "multi-bleu.perl after the compound split of tensor2tensor",
        multi_bleu_score(prepare=split_compounds, tok="atat"),
    ),
    "bleu_wang": Measure(
        "multi-bleu.perl after Wang et al.'s new tokenisation and compound split of both sides",
        multi_bleu_score(
            prepare=retokenise_and_split, tok=f"sacremoses-{sacremoses.__version__}-de-atat"
        ),
        target_language="de",
    ),
    "chrf": Measure("chrF2 of sacreBLEU", sacrebleu_score(CHRF)),
    "chrf3": Measure(
        "chrF with recall weighted 3, for Zhang et al.", sacrebleu_score(CHRF, beta=3)
    ),
    "chrfpp": Measure(
        "chrF2++, smoothed as in its authors' own script",
        sacrebleu_score(CHRF, word_order=2, eps_smoothing=True),
    ),
    "ter": Measure("translation edit rate; less is better", sacrebleu_score(TER)),
}


def score_texts(texts: Texts) -> dict[str, Score]:
    """Every measure that applies to the target language."""
    return {
        name: measure.compute(texts)
        for name, measure in MEASURES.items()
        if measure.target_language in (None, texts.target_language)
    }


def score_files(*, target_language: str, **paths: Path) -> dict[str, Score]:
    """Every measure of the translation in the files that `read_texts` takes."""
    return score_texts(read_texts(target_language=target_language, **paths))


def read_texts(
    *,
    hypotheses: Path,
    detokenised: Path,
    reference: Path,
    tokenised_reference: Path,
    target_language: str,
) -> Texts:
    """Read a translation and its reference, one segment a line.

    Raises:
        ValueError: a file is missing, empty or not UTF-8, or the numbers of lines differ.
    """
    paths = {
        "hypotheses": hypotheses,
        "detokenised": detokenised,
        "reference": reference,
        "tokenised_reference": tokenised_reference,
    }
    lines = {role: _read_lines(path, role) for role, path in paths.items()}
    expected = len(lines["hypotheses"])
    for role, path in paths.items():
        if len(lines[role]) != expected:
            raise ValueError(
                f"{hypotheses} (hypotheses) has {expected} lines but {path} ({role}) has"
                f" {len(lines[role])}; all files must hold the same segments"
            )
    return Texts(target_language=target_language, **lines)


def _read_lines(path: Path, role: str) -> list[str]:
    if not path.is_file():
        raise ValueError(f"{path}: the {role} file is missing")
    data = path.read_bytes()
    if not data:
        raise ValueError(f"{path}: the {role} file is empty; it needs one line a segment")
    try:
        return data.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path}, line {line}: the {role} file is not UTF-8 ({error.reason}); convert it"
        ) from error


def _details(result: Any) -> dict[str, Any]:
    if not isinstance(result, BLEUScore):
        return {}
    return {
        "precisions": result.precisions,
        "brevity_penalty": result.bp,
        "hypothesis_length": result.sys_len,
        "reference_length": result.ref_len,
    }


def mean_and_spread(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean and sample standard deviation (over n - 1; None where there is one value).

    Raises:
        ValueError: there is no value.
    """
    if not values:
        raise ValueError("no values to average: at least one seed must have a score")
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None


@dataclass(frozen=True)
class Comparison:
    """Two systems under one metric, and how likely chance explains the difference."""

    baseline: float
    system: float
    p_value: float
    signature: str


def paired_bootstrap(
    baseline: Sequence[str],
    system: Sequence[str],
    reference: Sequence[str],
    *,
    metric: Metric,
    num_samples: int = 1000,
) -> Comparison:
    """Paired bootstrap test (Koehn 2004) by sacreBLEU, seeded by its SACREBLEU_SEED.

    Equal scores get p = 1, since no difference is left to explain; sacreBLEU itself would say
    1 / (samples + 1), as if two models that both failed differed significantly.

    Raises:
        ValueError: the numbers of segments differ.
    """
    if not len(baseline) == len(system) == len(reference):
        raise ValueError(
            f"{len(baseline)} baseline, {len(system)} system and {len(reference)} reference"
            " segments: a paired test needs the same test set"
        )
    systems = [("baseline", baseline), ("system", system)]
    test = PairedTest(systems, {"metric": metric}, [reference], "bs", num_samples)
    signatures, results = test()
    [(name, signature)] = signatures.items()
    before, after = cast(list[Any], results[name])
    p_value = after.p_value if after.score != before.score else 1.0
    return Comparison(before.score, after.score, p_value, f"{name}|{signature.format(short=True)}")
