"""The one schema: everything that decides what a run computes, validated and frozen.

A spec is a system of a paper at a scale. It is the only thing that training reads, and the SHA-256
of its canonical JSON names the run, so that rows with one spec share one run. Every default of the
project stands in this file and nowhere else. Standard library only: Snakemake reads it too.
"""

import dataclasses
import difflib
import hashlib
import json
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args, get_origin


@dataclass(frozen=True, kw_only=True)
class Stack:
    """Size of an encoder or a decoder."""

    layers: int
    d_model: int
    feed_forward: int
    heads: int

    def problems(self) -> list[str]:
        """Rules that a single stack can break."""
        found = [
            f"{key}={value} must be at least 1" for key, value in vars(self).items() if value < 1
        ]
        if not found and self.d_model % self.heads:
            found.append(f"d_model={self.d_model} is not divisible by heads={self.heads}")
        if self.d_model % 2:
            found.append(f"d_model={self.d_model} must be even (half sines, half cosines)")
        return found


@dataclass(frozen=True, kw_only=True)
class Method:
    """What the papers propose: a scale never changes any of it."""

    family: Literal["transformer", "rnmt+"] = "transformer"
    norm: Literal["post", "pre", "lingvo"] = "post"
    skip: Literal["identity", "omega"] = "identity"
    encoder_residual: bool = True
    inputs: Literal["previous", "dlcl"] = "previous"
    dlcl_weights: Literal["learned", "one", "average"] = "learned"
    dlcl_norm: bool = True
    memory: Literal["top", "transparent"] = "top"
    branch: Literal["softmax", "aan", "saan"] = "softmax"
    wiring: Literal["stacked", "merged"] = "stacked"

    def problems(self) -> list[str]:
        """Combinations that no paper defines."""
        rules = {
            "skip=omega weights the skip of a post-norm sublayer (Liu 2020): set norm=post": (
                self.skip == "omega" and self.norm != "post"
            ),
            "encoder_residual=false has no skip to weight: set skip=identity": (
                self.skip == "omega" and not self.encoder_residual
            ),
            "encoder_residual=false is a pre-norm or lingvo ablation (Bapna 2018): set norm": (
                not self.encoder_residual and self.norm == "post" and self.family == "transformer"
            ),
            "inputs=dlcl is defined for norm=pre and norm=post (Wang 2019)": (
                self.inputs == "dlcl" and self.norm == "lingvo"
            ),
            "dlcl_weights and dlcl_norm are parts of inputs=dlcl: leave them at learned, true": (
                self.inputs != "dlcl" and (self.dlcl_weights, self.dlcl_norm) != ("learned", True)
            ),
            "branch=saan is merged with cross-attention, whose W_v it shares: set wiring=merged": (
                self.branch == "saan" and self.wiring == "stacked"
            ),
        }
        rules["memory=transparent mixes what inputs=dlcl already combines: choose one"] = (
            self.memory == "transparent" and self.inputs == "dlcl"
        )
        recurrent = self.family == "rnmt+"
        for key in ("norm", "skip", "inputs", "branch", "wiring"):
            default = type(self).__dataclass_fields__[key].default
            value = getattr(self, key)
            rules[f"family=rnmt+ has no {key}={value}: leave it at {default}"] = (
                recurrent and value != default
            )
        return [rule for rule, broken in rules.items() if broken]


@dataclass(frozen=True, kw_only=True)
class Init:
    """How weights are drawn: Glorot, DS-Init (Zhang 2019, Eq. 15), ADMIN (Liu 2020, section 3)."""

    name: Literal["glorot", "ds_init", "admin"] = "glorot"
    """Not read by RNMT+, which has one initialisation of its own (init/uniform.py)."""
    decay: float = 0.25
    """DS-Init: the bound of layer l falls as l^-decay; 0.25 is the released code, 0.5 Eq. 15."""
    alpha: float = 1.0
    stacks: Literal["both", "encoder", "decoder"] = "both"
    cross_fan: Literal["separate", "fused"] = "separate"
    """Fan-out of cross-attention's q, k, v as stored: d (Zhang's code) or 3d (fairseq's)."""
    profile: Literal["sequential", "paper"] = "sequential"
    """ADMIN: omega measured with earlier omegas applied (code), or by the printed formula."""

    def problems(self) -> list[str]:
        """Ranges."""
        found = []
        if not 0 <= self.decay <= 1:
            found.append(f"decay={self.decay} must lie in 0..1")
        if self.alpha <= 0:
            found.append(f"alpha={self.alpha} must be positive")
        return found


@dataclass(frozen=True, kw_only=True)
class Model:
    """Details in which the papers' code bases differ, none of them a paper's subject."""

    tie: Literal["none", "target", "all"] = "target"
    """Which embeddings the softmax shares: none, the target's, or one matrix for all three."""
    softmax_bias: bool = False
    input_bias: bool = False
    """One learned vector added to every scaled embedding, shared by both sides (Zhang's code)."""
    start: Literal["eos", "zero"] = "eos"
    """What the decoder reads first: the end symbol, or a zero vector (Zhang's code)."""
    first_position: int = 0
    query_scale: Literal["fixed", "learned"] = "fixed"
    """1/sqrt(d_head), or times a learned softplus vector (lingvo)."""
    norm_epsilon: float = 1e-5

    def problems(self) -> list[str]:
        """Ranges."""
        found = []
        if self.first_position < 0:
            found.append(f"first_position={self.first_position} must not be negative")
        if not 0 < self.norm_epsilon < 0.1:
            found.append(f"norm_epsilon={self.norm_epsilon} must be a small positive number")
        return found


@dataclass(frozen=True, kw_only=True)
class Data:
    """From raw text to token ids; `corpus` is a key of corpora.yaml."""

    corpus: str
    source: str
    target: str
    normalise: bool = True
    printable: bool = False
    """Drop control characters (Moses' remove-non-printing-char)."""
    straight_quotes: bool = False
    """In all sets but train, a right single quote becomes an apostrophe (fairseq's scripts)."""
    tokenise: Literal["moses", "none"] = "moses"
    """By Moses' rules; Chinese, which has no spaces, by jieba."""
    aggressive: bool = False
    escape: bool = True
    lowercase: bool = False
    recase: bool = False
    """The text is true-cased: a translation's first letter is made a capital again."""
    max_tokens: int = 175
    max_ratio: float = 1.5
    clean_on: Literal["tokens", "subwords"] = "tokens"
    """What the limits of cleaning count."""
    subword: Literal["bpe", "sentencepiece", "none"] = "bpe"
    merges: int = 10000
    joint: bool = True
    threshold: int = 0
    min_count: int = 1
    max_vocabulary: int = 0
    """The most frequent so many types; 0 is all."""
    shared_vocabulary: bool = False

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target."""
        return self.source, self.target

    def problems(self) -> list[str]:
        """Ranges."""
        counts = (
            "max_tokens", "merges", "threshold", "min_count", "max_ratio", "max_vocabulary"
        )  # fmt: skip
        found = [
            f"{k}={getattr(self, k)} must not be negative" for k in counts if getattr(self, k) < 0
        ]
        if self.shared_vocabulary and not self.joint and self.subword != "none":
            found.append("shared_vocabulary=true needs joint subwords: set joint=true")
        if self.subword != "none" and self.merges == 0:
            found.append(f"merges=0 must be at least 1 for subword={self.subword}")
        if self.threshold and self.subword != "bpe":
            found.append(f"threshold={self.threshold} needs subword=bpe, not {self.subword}")
        return found


@dataclass(frozen=True, kw_only=True)
class Training:
    """The recipe of a run; tokens are subword tokens with the end symbol."""

    updates: int
    batch_tokens: int
    lr: float
    warmup: int
    schedule: Literal["noam", "inverse_sqrt"] = "inverse_sqrt"
    """noam: lr is a factor on d^-0.5 min(s^-0.5, s w^-1.5); inverse_sqrt: lr is the peak."""
    optimizer: Literal["adam", "radam"] = "adam"
    beta1: float = 0.9
    beta2: float = 0.98
    epsilon: float = 1e-8
    weight_decay: float = 0.0
    clip: float = 0.0
    """Largest gradient norm; 0 leaves gradients alone."""
    label_smoothing: float = 0.1
    smoothing_over: Literal["others", "all"] = "all"
    """Classes that share the smoothed mass: the V-1 others (zero, lingvo) or all V (fairseq)."""
    loss_average: Literal["token", "sentence"] = "token"
    dropout: float = 0.1
    """On every sublayer's output."""
    embedding_dropout: float = 0.1
    attention_dropout: float = 0.0
    feed_forward_dropout: float = 0.0
    """RNMT+ has no feed-forward layer: no effect there."""
    max_length: int = 256
    """Longer sides are cut, not dropped (subwords without the end symbol)."""
    checkpoint_every: int = 1000
    average_last: int = 5
    """Checkpoints that decide what a run is worth."""
    average: Literal["weights", "scores"] = "weights"
    """Their mean weights are scored, or each is scored and the scores averaged (Bapna 2018)."""
    stall_share: float = 0.5
    """A run whose loss stays at the unigram entropy for this share of its updates has diverged."""

    def problems(self) -> list[str]:
        """Ranges."""
        positive = ("updates", "batch_tokens", "lr", "warmup", "max_length", "checkpoint_every")
        shares = ["label_smoothing", "dropout", "embedding_dropout", "attention_dropout"]
        shares += ["feed_forward_dropout", "beta1", "beta2"]
        found = [
            f"{k}={getattr(self, k)} must be positive" for k in positive if getattr(self, k) <= 0
        ]
        found += [
            f"{k}={getattr(self, k)} must lie in [0, 1)"
            for k in shares
            if not 0 <= getattr(self, k) < 1
        ]
        if self.average_last < 1:
            found.append(f"average_last={self.average_last} must be at least 1")
        if not 0 < self.stall_share <= 1:
            found.append(f"stall_share={self.stall_share} must lie in (0, 1]")
        return found


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """Beam search; n counts target tokens with the end symbol."""

    beam: int = 4
    alpha: float = 0.6
    length_penalty: Literal["wu", "power"] = "power"
    """Score log P / ((5+n)/6)^alpha (Zhang, Bapna), or log P / n^alpha (Wang, Liu)."""
    min_length: int = 1
    """Fewest tokens before the end symbol."""
    max_extra: int = 50
    """Longest output: source length plus this."""
    max_length: int = 256

    def problems(self) -> list[str]:
        """Ranges."""
        found = []
        if self.beam < 1:
            found.append(f"beam={self.beam} must be at least 1")
        if self.max_length < 1 or self.max_extra < 0:
            found.append("max_length must be positive and max_extra not negative")
        if not 0 <= self.min_length < self.max_length:
            found.append(f"min_length={self.min_length} must lie in 0..max_length - 1")
        return found


@dataclass(frozen=True, kw_only=True)
class Spec:
    """A system at a scale, complete."""

    encoder: Stack
    decoder: Stack
    data: Data
    training: Training
    method: Method = field(default_factory=Method)
    init: Init = field(default_factory=Init)
    model: Model = field(default_factory=Model)
    decoding: Decoding = field(default_factory=Decoding)

    def problems(self) -> list[str]:
        """Every rule broken, each as `section.key=value ...`."""
        found = []
        for section in dataclasses.fields(self):
            part = getattr(self, section.name)
            found += [f"{section.name}.{problem}" for problem in part.problems()]
        rules = {
            "init.name=admin measures omegas: set method.skip=omega": (
                self.init.name == "admin" and self.method.skip != "omega"
            ),
            "method.skip=omega is filled by ADMIN's profile: set init.name=admin": (
                self.method.skip == "omega" and self.init.name != "admin"
            ),
            "model.tie=all needs one vocabulary: set data.shared_vocabulary=true": (
                self.model.tie == "all" and not self.data.shared_vocabulary
            ),
            "model.tie=all needs encoder.d_model = decoder.d_model": (
                self.model.tie == "all" and self.encoder.d_model != self.decoder.d_model
            ),
            "model.input_bias=true is one vector: needs encoder.d_model = decoder.d_model": (
                self.model.input_bias and self.encoder.d_model != self.decoder.d_model
            ),
            "init.name=ds_init is defined for the Transformer: set method.family=transformer": (
                self.init.name == "ds_init" and self.method.family == "rnmt+"
            ),
            "model.tie=none is all that method.family=rnmt+ knows: its softmax is as wide as two": (
                self.method.family == "rnmt+" and self.model.tie != "none"
            ),
            "model.start, input_bias, query_scale and first_position and init.cross_fan of "
            "method.family=rnmt+ stay as they are by default: it has no such parts": (
                self.method.family == "rnmt+"
                and (
                    *(self.model.start, self.model.input_bias, self.model.query_scale),
                    *(self.model.first_position, self.init.cross_fan),
                )
                != ("eos", False, "fixed", 0, "separate")
            ),
            "method.branch=saan shares W_v with cross-attention: needs equal widths": (
                self.method.branch == "saan" and self.encoder.d_model != self.decoder.d_model
            ),
            "training.warmup must not exceed training.updates": (
                self.training.warmup > self.training.updates
            ),
        }
        return found + [rule for rule, broken in rules.items() if broken]

    @cached_property
    def canonical(self) -> str:
        """JSON with sorted keys and no spaces: equal specs, equal bytes."""
        return json.dumps(dataclasses.asdict(self), sort_keys=True, separators=(",", ":"))

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the canonical JSON."""
        return hashlib.sha256(self.canonical.encode()).hexdigest()

    @cached_property
    def run(self) -> str:
        """Readable name plus eight hex digits, e.g. post-ds_init-12-12-d64-toy.en-de-1a2b3c4d."""
        return f"{self.name}-{self.sha256[:8]}"

    @property
    def name(self) -> str:
        """What distinguishes this run at a glance: the method and initialisation, depths, width."""
        parts: list[str] = (
            [self.method.family] if self.method.family != "transformer" else [self.method.norm]
        )
        for key in ("inputs", "memory", "branch", "wiring"):
            value = getattr(self.method, key)
            if value != Method.__dataclass_fields__[key].default:
                parts.append(value)
        parts += [] if self.method.encoder_residual else ["nores"]
        parts += [] if self.init.name == "glorot" else [self.init.name]
        parts += [f"{self.encoder.layers}-{self.decoder.layers}", f"d{self.decoder.d_model}"]
        return "-".join([*parts, self.data.corpus])

    @cached_property
    def encoding(self) -> str:
        """Name of the encoded corpus that this run reads: the corpus and eight hex digits."""
        canonical = json.dumps(dataclasses.asdict(self.data), sort_keys=True)
        return f"{self.data.corpus}-{hashlib.sha256(canonical.encode()).hexdigest()[:8]}"


KEYS = frozenset(
    f"{name}.{key.name}"
    for name, section in typing.get_type_hints(Spec).items()
    for key in dataclasses.fields(section)
)
"""Every setting, dotted: encoder.layers, method.norm, ..."""


def read(settings: Mapping[str, Any]) -> tuple[Spec | None, dict[str, str]]:
    """Build a spec from dotted keys (`encoder.layers: 12`); return it, or None, and all problems.

    Problems map the dotted key at fault ("" for a rule between keys) to what is wrong with it.
    """
    problems: dict[str, str] = {}
    sections = typing.get_type_hints(Spec)
    for key in settings:
        if key not in KEYS:
            problems[key] = unknown(key, KEYS)
    parts = {}
    for name, part in sections.items():
        values = {}
        hints = typing.get_type_hints(part)
        for item in dataclasses.fields(part):
            dotted = f"{name}.{item.name}"
            if dotted in settings:
                value, problem = convert(settings[dotted], hints[item.name])
                values[item.name] = value
                if problem:
                    problems[dotted] = problem
            elif item.default is dataclasses.MISSING:
                problems[dotted] = "is required and not set"
        if not any(key.startswith(f"{name}.") for key in problems):
            parts[name] = part(**values)
    if problems:
        return None, problems
    spec = Spec(**parts)
    broken = spec.problems()
    return (None, {"": "; ".join(broken)}) if broken else (spec, {})


def unknown(key: str, known: typing.Iterable[str]) -> str:
    """The message for a key that does not exist."""
    close = difflib.get_close_matches(key, list(known), n=1, cutoff=0.6)
    return "is not a setting" + (f"; did you mean {close[0]}?" if close else "")


def convert(value: Any, hint: Any) -> tuple[Any, str]:
    """Check one value against its type; an int is welcome where a float is asked."""
    if get_origin(hint) is Literal:
        allowed = get_args(hint)
        return value, "" if value in allowed else f"{value!r} is not one of {', '.join(allowed)}"
    if isinstance(hint, types.UnionType):
        hint = next(part for part in get_args(hint) if part is not type(None))
    if hint is float and type(value) is int:
        value = float(value)
    right = type(value) is hint
    return value, "" if right else f"{value!r} is a {type(value).__name__}, not a {hint.__name__}"


def from_json(text: str) -> Spec:
    """Read a spec.json back.

    Raises:
        ValueError: names every key that is missing, unknown or of the wrong type.
    """
    nested = json.loads(text)
    spec, problems = read({f"{s}.{k}": v for s, part in nested.items() for k, v in part.items()})
    if spec is None:
        raise ValueError("spec: " + "; ".join(f"{k} {v}".strip() for k, v in problems.items()))
    return spec
