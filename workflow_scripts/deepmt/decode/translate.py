"""Translate texts with the weights of a run, long sentences first."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
from torch import Tensor

from deepmt.base.code_sums import search_code
from deepmt.base.files import sha256
from deepmt.base.printable import say
from deepmt.data.batches import padded
from deepmt.data.dataset import Dataset
from deepmt.data.encoded import EncodedText
from deepmt.data.tokeniser import Tokeniser
from deepmt.decode.load_model import load_model
from deepmt.decode.parallel import search_in_parallel
from deepmt.decode.partial_translation import PartialTranslation
from deepmt.decode.precision import LAYERS
from deepmt.decode.sampler import Sampler
from deepmt.decode.search import SearchResult, search
from deepmt.kernels.devices import Device
from deepmt.kernels.limits import SENTENCES_AT_ONCE
from deepmt.settings.method import defaults_of, modules_of
from deepmt.settings.spec import read_spec
from deepmt.settings.strict import CountOrNone, Few, OneOrNone, one_of

SECONDS_BETWEEN_REPORTS = 10


@dataclass(frozen=True, kw_only=True)
class TranslationArgs:
    """Name the model and the outputs, and set how to decode."""

    spec: Path
    dataset: Path
    model: Path
    output: Path
    report: Path
    threads: Few = 1
    gpus: Annotated[OneOrNone, "1 = take a GPU; 0 = use --device"] = 0
    device: Device = "cpu"
    precision: Annotated[str, one_of(LAYERS), "float32, bfloat16 or int8"] = "float32"
    batch_size: Annotated[CountOrNone, "sentences at once; 0 = 64 on a CPU, more on a GPU"] = 0


class TranslationJob:
    """Translate with the model that the flags name, and turn its tokens into text."""

    def __init__(self, args: TranslationArgs, sampler: Sampler | None = None) -> None:
        """Read what the flags name; a sampler takes the place of beam search."""
        torch.set_num_threads(args.threads)
        self.args, self.sampler = args, sampler
        self.device = "cuda" if args.gpus else args.device
        self.batch_size = args.batch_size or (SENTENCES_AT_ONCE if self.device == "cpu" else 0)
        self.spec = spec = read_spec(args.spec)
        self.code = search_code(modules_of(spec.method), defaults_of(spec.method))
        self.decoding = replace(spec.decoding, beam=1) if sampler else spec.decoding
        self.dataset = Dataset(args.dataset)
        sizes = list(map(len, self.dataset.vocabularies))
        self.model_file = spec, sizes, args.model, self.device
        self.segmenter = self.dataset.segmenter(spec.data.target)
        self.detokenise = Tokeniser(self.dataset.settings, spec.data.target).detokenise

    def translate(
        self, source: EncodedText, key: dict[str, Any], *, name: str, workers: int = 1
    ) -> tuple[list[list[int]], float, PartialTranslation]:
        """Return the best ids of each line (none for an empty line), the time, and what to remove.

        Lines are cut to the training's maximum length; long ones come first. Those that an
        interrupted job with the same settings and `key` finished are resumed, and their time is not
        counted. Progress is reported under `name`. Memory depends on the batch size, not on the
        number of lines.
        """
        unfinished, lengths = self._open_partial(key), source.lengths
        order = [int(n) for n in np.argsort(-lengths, kind="stable")]
        todo = [n for n in order if lengths[n] and n not in unfinished.done]
        longest = self.spec.training.max_length
        lines = [padded(source, np.array([number]), longest)[0] for number in todo]
        results = self._search(lines, todo, workers) if lines else iter(())
        began = reported = time.monotonic()
        for number, found in results:
            unfinished.add(number, found)
            if time.monotonic() - reported > SECONDS_BETWEEN_REPORTS:
                reported = time.monotonic()
                progress = f"translated {len(unfinished.done)}/{int((lengths > 0).sum())}"
                say(f"{name}  {progress}")
        seconds = time.monotonic() - began
        every = (unfinished.done.get(n) for n in range(len(lengths)))
        best = [hypotheses[0].tokens if hypotheses else [] for hypotheses in every]
        return best, round(seconds, 3), unfinished

    def _open_partial(self, key: dict[str, Any]) -> PartialTranslation:
        settings = {
            "precision": self.args.precision,
            "sampler": repr(self.sampler),
            "decoding": repr(self.decoding),
            "model": sha256(self.args.model),
            "data": sha256(self.args.dataset / "manifest.json"),
            "spec": self.spec.sha256,
            "code": self.code,
        }
        return PartialTranslation(self.args.output.with_suffix(".partial"), settings | key)

    def _search(
        self, lines: Sequence[Tensor], numbers: Sequence[int], workers: int
    ) -> Iterator[SearchResult]:
        """Load the model, then search; several workers are processes that each load it."""
        load = partial(load_model, *self.model_file, self.args.precision)
        options: Any = {"numbers": numbers, "batch_size": self.batch_size, "sampler": self.sampler}
        if workers > 1:
            options |= {"workers": workers, "threads": self.args.threads}
            return search_in_parallel(load, lines, self.decoding, **options)
        return search(load(), lines, self.decoding, **options)

    def tokens(self, ids: Sequence[int]) -> str:
        """Return the tokens of ids, without subwords."""
        return self.segmenter.undo(" ".join(self.dataset.vocabularies[1].decode(ids)))
