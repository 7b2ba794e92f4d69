"""Define the spec: everything that decides what a run computes, validated and frozen.

A spec is a system of a paper at a scale. It is the only thing that training reads, and the SHA-256
of its canonical JSON names the run, so that rows with equal specs share a run. Defaults are only in
this file and in `settings/methods/`.
"""

import dataclasses
import hashlib
import json
import math
import re
import typing
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from typing_extensions import TypedDict

from deepmt.base.errors import UserError
from deepmt.base.files import REMEDY, read_json
from deepmt.base.languages import language
from deepmt.base.printable import say
from deepmt.settings.method import CHOICES, Method
from deepmt.settings.strict import (
    STRICT,
    Count,
    CountOrNone,
    Distinct,
    Few,
    Name,
    NotNegative,
    Positive,
    Probability,
    Size,
    did_you_mean,
    message,
)
from deepmt.settings.text_steps import TextSteps


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Width:
    """Hold the size of a layer."""

    d_model: Size
    feed_forward: Size
    heads: Size

    def __post_init__(self) -> None:
        if self.d_model % self.heads:
            raise UserError(f"d_model={self.d_model} is not divisible by heads={self.heads}")
        if self.d_model % 2:
            raise UserError(f"d_model={self.d_model} must be even (half sines, half cosines)")


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Stack(Width):
    """Hold the size of an encoder or a decoder."""

    layers: Few


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Model:
    """Hold details in which the papers' code bases differ, none of them a paper's subject."""

    tie: Literal["none", "target", "all"] = "target"
    """Which embeddings the softmax shares: none, the target's, or one matrix for all three."""
    softmax_bias: bool = False
    input_bias: bool = False
    """One learned vector added to every scaled embedding, shared by both sides (Zhang's code)."""
    start: Literal["eos", "zero"] = "eos"
    """The decoder's first input: the end symbol, or a zero vector (Zhang's code)."""
    first_position: CountOrNone = 0
    query_scale: Literal["fixed", "learned"] = "fixed"
    """1/sqrt(d_head), or times a learned softplus vector (lingvo)."""
    norm_epsilon: Annotated[float, Field(gt=0, lt=0.1)] = 1e-5
    cross_fan: Literal["separate", "fused"] = "separate"
    """Fan-out of cross-attention's q, k, v as stored: d (Zhang's code) or 3d (fairseq's)."""
    attention_biases: Literal["zero", "uniform"] = "zero"
    """First biases of q, k, v: 0, or uniform in +-1/sqrt(fan-in), torch's default (fairseq)."""
    padding_embedding: Literal["drawn", "zero"] = "drawn"
    """First embedding of padding, a class of the softmax too: like the others, or 0 (fairseq)."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Data(TextSteps):
    """Configure the steps from raw text to token ids; `corpus` is a key of corpora.yaml."""

    corpus: Name
    source: Name
    target: Name
    subword: Literal["bpe", "sentencepiece", "cut", "none"] = "bpe"
    """cut: the corpus comes cut by BPE, whose `@@ ` is joined in translations."""
    merges: CountOrNone = 10000
    joint: bool = True
    threshold: CountOrNone = 0
    min_count: CountOrNone = 1
    max_vocabulary: CountOrNone = 0
    """The number of most frequent types to keep; 0 = all."""
    shared_vocabulary: bool = False
    unused_types: CountOrNone = 0
    """Types that no text has, classes of the softmax none the less, as fairseq's <s> is."""

    @property
    def section(self) -> dict[str, Any]:
        """Return the settings as in spec.json."""
        return written("data", self)

    @property
    def dataset(self) -> str:
        """Return the name of the dataset with these settings: the corpus and eight hex digits."""
        canonical = json.dumps(self.section, sort_keys=True)
        return f"{self.corpus}-{hashlib.sha256(canonical.encode()).hexdigest()[:8]}"

    @property
    def languages(self) -> tuple[str, str]:
        """Return the source and target languages."""
        return self.source, self.target

    def __post_init__(self) -> None:
        if self.shared_vocabulary and not self.joint and self.subword != "none":
            raise UserError("shared_vocabulary=true needs joint subwords: set joint=true")
        if self.subword != "none" and self.merges == 0:
            raise UserError(f"merges=0 must be at least 1 for subword={self.subword}")
        if self.threshold and self.subword != "bpe":
            raise UserError(f"threshold={self.threshold} needs subword=bpe, not {self.subword}")
        for code in self.languages:
            if self.tokenise == "moses" and language(code).tokeniser == "char":
                raise UserError(f"tokenise=moses needs spaces, which {code} lacks: set none")


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Training:
    """Hold the recipe of a run; tokens are subword tokens with the end symbol."""

    updates: Count
    batch_tokens: Count
    device_tokens: CountOrNone = 0
    """Size of the batches, drawn at random, that make one update together; 0 = the whole update."""
    batch_multiple: Count = 1
    """Cut device batches to a multiple of so many sentences; the next one takes the rest."""
    batch_order: Literal["redrawn", "fixed"] = "redrawn"
    """redrawn: sort by the longer side and cut anew each epoch; fixed: sort by source, then target,
    and cut once, so that epochs differ in the order of batches alone (fairseq)."""
    batch_counts: Literal["longer", "source", "source_words"] = "longer"
    """longer, source: count rows times the longest side or source; source_words: count source
    tokens without padding, and end a batch with the pair that exceeds its size (Marian)."""
    lr: Annotated[float, Field(gt=0, le=1000)]
    warmup: Count
    schedule: Literal["noam", "inverse_sqrt", "no_warmup"] = "inverse_sqrt"
    """noam: lr is a factor on d^-0.5 min(s^-0.5, s w^-1.5); inverse_sqrt: lr is the peak;
    no_warmup: lr is the start of lr sqrt(w / (w + s))."""
    schedule_from: Literal[1, 0] = 1
    """The schedule's s of the first update; 0 in fairseq, whose first rate is the initial one."""
    first_rate: Literal["small", "zero", "peak"] = "small"
    """inverse_sqrt rises from 1e-7, or from 0 (fairseq 0.12.2, Transformers); peak: from 0 after a
    first update at lr (joeynmt)."""
    optimizer: Literal["adam", "radam", "muon"] = "adam"
    """muon: for the matrices of layers, and adam for all other weights."""
    beta1: Probability = 0.9
    beta2: Probability = 0.98
    epsilon: Annotated[float, Field(gt=0, le=1)] = 1e-8
    epsilon_hat: bool = False
    """Add epsilon to sqrt(v) before its bias correction (Kingma 2015, section 2; fairseq 0.9)."""
    weight_decay: Annotated[float, Field(ge=0, le=1)] = 0.0
    clip: NotNegative = 0.0
    """Largest gradient norm; 0 = no clipping."""
    label_smoothing: Probability = 0.1
    smoothing_over: Literal["others", "all"] = "all"
    """Classes that share the smoothed mass: the V-1 others (zero, lingvo, fairseq 0.12.2) or all V
    (the fairseq of Wang's and Liu's code).
    """
    loss_average: Literal["token", "sentence", "pair"] = "token"
    """Mean over target tokens; over sentences, each with the mean of its tokens (Zhang's code); or
    the sum over tokens, divided by the number of pairs (OpenNMT-py, joeynmt)."""
    dropout: Probability = 0.1
    """On every sublayer's output."""
    embedding_dropout: Probability = 0.1
    attention_dropout: Probability = 0.0
    feed_forward_dropout: Probability = 0.0
    """Has no effect on RNMT+, which has no feed-forward layer."""
    precision: Literal["auto", "float32"] = "auto"
    """Of matrix products; auto: bfloat16 where the hardware multiplies it."""
    max_length: Count = 256
    """Longer sides are truncated, not dropped (subwords without the end symbol)."""
    checkpoint_every: Count = 1000
    average_last: Few = 5
    """Number of last checkpoints that the score of a run is averaged over."""
    average: Literal["weights", "scores", "better", "best"] = "weights"
    """Score their mean weights, or score each and average the scores (Bapna 2018), or score the
    mean or the last weights, whichever predict dev better (better: at the end, best: of all
    checkpoints)."""
    patience: CountOrNone = 0
    """End once the smoothed loss per token of dev has not been lower for so many epochs; 0 = never.
    Weights to average are then saved at the end of every epoch, not every checkpoint_every."""
    divergence_patience: Positive = 0.5
    """A run whose loss stays at the unigram entropy for this share of its updates, or if above 1
    for this number of updates, has stalled."""
    milestones: Distinct[Count] = ()
    """Updates at which the run is scored as if it ended there, besides its end."""

    @property
    def asks_dev(self) -> bool:
        """Check if the perplexity on dev chooses the weights that are scored."""
        return self.average in ("better", "best")

    @property
    def continuable(self) -> bool:
        """Check if a run with more updates does the same as this one up to its end."""
        return self.divergence_patience > 1 and not self.patience

    @property
    def averages_too_many(self) -> str:
        """Return what is wrong if checkpoints are asked for that a run never writes, or nothing.

        No more than the default may be more: records and short trials have fewer checkpoints.
        """
        most = math.ceil(self.updates / self.checkpoint_every)
        if self.patience or self.average_last <= max(most, Training.average_last):
            return ""
        return (
            f"training.average_last={self.average_last} must be at most {most}, the checkpoints of"
            f" updates={self.updates} with checkpoint_every={self.checkpoint_every}"
        )

    def __post_init__(self) -> None:
        if self.divergence_patience > 1 and self.divergence_patience % 1:
            raise UserError(
                f"divergence_patience={self.divergence_patience:g} must be a share of the updates,"
                " at most 1, or a whole number of updates"
            )
        for update in self.milestones:
            if update > self.updates or update % self.checkpoint_every:
                raise UserError(
                    f"milestones: {update} must be a multiple of checkpoint_every="
                    f"{self.checkpoint_every}, and at most updates={self.updates}"
                )
        if self.milestones and self.average == "scores":
            raise UserError("milestones need average=weights, better or best")
        if self.schedule == "noam" and self.schedule_from == 0:
            raise UserError("schedule=noam has no rate at s=0: set schedule_from=1")
        if self.first_rate != "small" and self.schedule != "inverse_sqrt":
            raise UserError(
                f"first_rate={self.first_rate} is for schedule=inverse_sqrt, not {self.schedule}:"
                " set small"
            )
        if self.epsilon_hat and self.optimizer != "adam":
            raise UserError(f"epsilon_hat=true is for adam, not {self.optimizer}: set false")


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Decoding:
    """Configure beam search; n counts target tokens with the end symbol."""

    beam: Few = 4
    alpha: Annotated[float, Field(ge=0, le=10)] = 0.6
    length_penalty: Literal["wu", "power"] = "power"
    """Score log P / ((5+n)/6)^alpha (Zhang, Bapna), or log P / n^alpha (Wang, Liu)."""
    min_length: CountOrNone = 1
    """Fewest tokens before the end symbol."""
    max_extra: CountOrNone = 50
    """Longest output: source length plus this."""
    max_length: Count = 256
    early_stopping: bool = False
    """Stop once `beam` hypotheses have ended (fairseq), although a better one may come."""

    def __post_init__(self) -> None:
        if self.min_length >= self.max_length:
            raise UserError(f"min_length={self.min_length} must be in 0..max_length - 1")


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Spec:
    """Represent a system at a scale, complete."""

    encoder: Stack
    decoder: Stack
    data: Data
    training: Training
    method: Method = field(default_factory=Method)
    model: Model = field(default_factory=Model)
    decoding: Decoding = field(default_factory=Decoding)

    def __post_init__(self) -> None:
        if broken := [rule for rule, breaks in self.excludes.items() if breaks]:
            raise UserError("; ".join(broken))

    @property
    def excludes(self) -> dict[str, bool]:
        """Return every rule between settings, with its remedy, and whether this spec breaks it."""
        method, model, names = self.method, self.model, self.method.names
        plain_post = names["family"] == "transformer" and names["norm"] == "post"
        two_widths = self.encoder.d_model != self.decoder.d_model
        rules: dict[str, bool] = {}
        for choice in names:
            rules |= getattr(method, choice).excludes(self)
        return rules | {
            "method.encoder_residual=false is a pre-norm or lingvo ablation (Bapna 2018): "
            "set method.norm": not method.encoder_residual and plain_post,
            "method.encoder_residual=false has no residual to weight: "
            "set method.residual=identity": (
                names["residual"] != "identity" and not method.encoder_residual
            ),
            "model.tie=all needs one vocabulary: set data.shared_vocabulary=true": (
                model.tie == "all" and not self.data.shared_vocabulary
            ),
            "model.tie=all needs encoder.d_model = decoder.d_model": (
                model.tie == "all" and two_widths
            ),
            "model.input_bias=true is one vector: needs encoder.d_model = decoder.d_model": (
                model.input_bias and two_widths
            ),
            "training.optimizer=muon updates matrices of Transformer layers: set adam for rnmt+": (
                self.training.optimizer == "muon" and names["family"] == "rnmt+"
            ),
            "training.warmup must not exceed training.updates": (
                self.training.warmup > self.training.updates
                and self.training.schedule != "no_warmup"
            ),
        }

    @cached_property
    def sections(self) -> dict[str, Any]:
        """Return the sections as in spec.json and records."""
        sections = {name: written(name, getattr(self, name)) for name in SECTIONS}
        return sections | {"method": self.method.non_defaults()}

    @cached_property
    def sha256(self) -> str:
        """Return the SHA-256 of the canonical JSON."""
        return canonical_sha256(self.sections)

    @cached_property
    def sha256_of_updates(self) -> str:
        """Return the hash that two runs share if the longer one can continue the shorter one."""
        if not self.training.continuable:
            return self.sha256
        recipe = replace(self.training, updates=self.training.warmup, milestones=())
        return replace(self, training=recipe).sha256

    @cached_property
    def run(self) -> str:
        """Return the name and eight hex digits, e.g. post-ds_init-12-12-d64-toy.en-de-1a2b3c4d."""
        return f"{self.name}-{self.sha256[:8]}"

    @property
    def name(self) -> str:
        """Return a readable name of method, depths, width and corpus."""
        depths, width = f"{self.encoder.layers}-{self.decoder.layers}", f"d{self.decoder.d_model}"
        return "-".join([*self.method.words, depths, width, self.data.corpus])

    @cached_property
    def dataset(self) -> str:
        """Return the name of the dataset that this run reads."""
        return self.data.dataset


SECTIONS = typing.get_type_hints(Spec, include_extras=True)
ALWAYS_WRITTEN = {
    "data": (
        "normalise printable straight_quotes tokenise aggressive escape lowercase recase max_tokens"
        " max_ratio clean_on subword merges joint threshold min_count max_vocabulary"
        " shared_vocabulary"
    ).split(),
    "training": (
        "schedule optimizer beta1 beta2 epsilon weight_decay clip label_smoothing smoothing_over"
        " loss_average dropout embedding_dropout attention_dropout feed_forward_dropout max_length"
        " checkpoint_every average_last average divergence_patience"
    ).split(),
    "decoding": "beam alpha length_penalty min_length max_extra max_length".split(),
    "model": (
        "tie softmax_bias input_bias start first_position query_scale norm_epsilon cross_fan"
    ).split(),
}
"""Settings that version 0.1 wrote even at their defaults, which stay in the names of runs."""


def canonical_sha256(sections: dict[str, Any]) -> str:
    """Return the hash of JSON with sorted keys and no spaces, which equal specs share."""
    canonical = json.dumps(sections, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def written(name: str, section: Any) -> dict[str, Any]:
    """Return a section as in spec.json: no setting younger than version 0.1 at its default."""
    always = ALWAYS_WRITTEN.get(name, ())
    return {
        key.name: value
        for key in dataclasses.fields(section)
        if (value := getattr(section, key.name)) != key.default or key.name in always
    }


def _types() -> dict[str, Any]:
    found = {
        f"{section}.{key.name}": typing.get_type_hints(part, include_extras=True)[key.name]
        for section, part in SECTIONS.items()
        for key in dataclasses.fields(part)
    }
    for choice, options in CHOICES.items():
        found[f"method.{choice}"] = Literal[tuple(options)]
        for one in options.values():
            hints = typing.get_type_hints(one, include_extras=True)
            own = (key.name for key in dataclasses.fields(one) if key.name != "name")
            found |= {f"method.{choice}.{key}": hints[key] for key in own}
    return found


TYPES: dict[str, Any] = _types()
"""The type of every setting, dotted, e.g. encoder.layers, method.initialisation.alpha."""


def some_of(types: Mapping[str, Any]) -> Any:
    """Return the type of a mapping that has some of these keys, and no others."""
    found = TypedDict("Some", types, total=False)  # type: ignore[misc]
    found.__pydantic_config__ = STRICT  # type: ignore[attr-defined]
    return found


class SpecError(UserError):
    """Report settings that do not make a spec.

    `problems` map the dotted key at fault ("" for a rule between keys) to its error.
    """

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{key} {text}".strip() for key, text in problems.items()))
        self.problems = problems


def make_spec(settings: Mapping[str, Any]) -> Spec:
    """Build a spec from dotted keys (`encoder.layers: 12`).

    Raises:
        SpecError: keys that are unknown, missing or mistyped, and rules between them that are
            broken, or more checkpoints to average than the run has.
    """
    sections: dict[str, dict[str, Any]] = {name: {} for name in SECTIONS}
    # Sorted, so that choices come before their options.
    for key in sorted(settings):
        section, name, *option = [*key.split("."), ""][:3]
        part = sections.setdefault(section, {})
        if section != "method" or name not in CHOICES:
            part[name] = settings[key]
        elif not option[0]:
            part[name] = {"name": settings[key]}
        else:
            part.setdefault(name, {"name": getattr(Method(), name).name})[option[0]] = settings[key]
    spec = from_sections(sections)
    if wrong := spec.training.averages_too_many:
        raise SpecError({"": wrong})
    return spec


_SPEC = TypeAdapter(Spec)


def from_sections(sections: Mapping[str, Mapping[str, Any]]) -> Spec:
    """Read the sections of a spec, as records keep them.

    Raises:
        SpecError: as `make_spec`.
    """
    try:
        # As JSON, because a strict dataclass takes no Python mapping.
        return _SPEC.validate_json(json.dumps(sections))
    except ValidationError as errors:
        problems: dict[str, str] = {}
        for error in errors.errors():
            key, text = _dotted_key(error["loc"]), message(error)
            if error["type"] == "unexpected_keyword_argument":
                problems[key] = f"is not a setting{did_you_mean(key, TYPES)}"
                if key in TYPES:
                    choice = key.rpartition(".")[0]
                    name = sections["method"][choice.partition(".")[2]]["name"]
                    problems[key] = f"is not an option of {choice}={name}"
            elif "." in key:
                problems.setdefault(key, text)
            else:
                problems.setdefault("", f"{key}.{text}".removeprefix("."))
        raise SpecError(problems) from None


def _dotted_key(location: tuple[int | str, ...]) -> str:
    """Return the dotted key of an error; pydantic names the option of a choice, too."""
    keys = [*map(str, location)]
    if keys[:1] == ["method"]:
        del keys[2:3]
    return ".".join(keys)


def read_spec(path: Path) -> Spec:
    """Read a spec.json.

    Raises:
        ValueError: the file is damaged; names every key that is missing, unknown or mistyped.
    """
    try:
        spec = from_sections(read_json(path, hashed=False))
    except SpecError as error:
        raise UserError(f"{path}: spec: {error}; {REMEDY}") from error
    check_folder_name(path, spec.run)
    return spec


def readable_specs(paths: Iterable[Path]) -> dict[Path, Spec]:
    """Return the specs that can be read by file, and name the others: one run stops no other."""
    found = {}
    for path in paths:
        try:
            found[path] = read_spec(path)
        except (ValueError, OSError):
            say(f"{path} cannot be read: its run is left out")
    return found


def check_folder_name(path: Path, name: str) -> None:
    """Compare the eight digits that end a folder's name with those of the settings in a file.

    Raises:
        ValueError: they differ, so the file is damaged. Any other name says nothing.
    """
    digits = re.compile(r"-[0-9a-f]{8}$")
    there, expected = digits.search(path.parent.name), digits.search(name)
    if there and expected and there[0] != expected[0]:
        raise UserError(
            f"{path} is damaged: its settings belong to {name}, which is not its folder; {REMEDY}"
        )
