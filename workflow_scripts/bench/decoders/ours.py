"""This project: the beam search that `translate.py` runs.

All that the benchmark knows of it stands in this file.
"""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from bench.decoders.on_torch import translating
from bench.protocol import System, Task, serve
from bench.sentences import BEAM, SEED, STEPS, Sentences
from bench.workers.on_torch import num_parameters
from bench.workers.ours import spec_of
from bench.workload import EOS, Size
from deepmt.config.spec import Decoding, Method
from deepmt.decode.beam import beam_search
from deepmt.decode.precision import prepare
from deepmt.files import code_hash
from deepmt.init.glorot import glorot_
from deepmt.model.build import build as build_model

SETTINGS = Decoding(beam=BEAM, min_length=STEPS - 1, max_extra=STEPS, max_length=STEPS)
STANDARD = Method()
VERSION = code_hash("model", "decode")


Translate = Callable[[Tensor], list[list[int]]]
"""From source rows [B, S] to the tokens of the best hypotheses."""


def translator(size: Size, task: Task, method: Method = STANDARD) -> tuple[Translate, int]:
    """The beam search of deepmt's model of a method, and the model's parameters."""
    torch.manual_seed(SEED)
    spec = replace(spec_of(size), method=method)
    model = build_model(spec, size.vocabulary, size.vocabulary)
    glorot_(model, fused_cross=False)
    parameters = num_parameters(model)
    prepared = prepare(model.to(task.device).eval(), task.precision)

    def translate(source: Tensor) -> list[list[int]]:
        # It tells the words alone, of hypotheses that have ended.
        return [[*found.tokens, EOS] for found in beam_search(prepared, source, SETTINGS)]

    return translate, parameters


def build(size: Size, task: Task, method: Method = STANDARD) -> System:
    """deepmt's model of a method, prepared for a precision, and its beam search."""
    translate, parameters = translator(size, task, method)
    return translating(
        lambda source, lengths: translate(source),
        task,
        name="ours",
        version=VERSION,
        parameters=parameters,
    )


if __name__ == "__main__":
    serve(build, Sentences)
