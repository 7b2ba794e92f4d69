"""Run CTranslate2 on our model, exported as in `export.py`: one worker, or one per thread."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import ctranslate2
import torch

from bench.adapters.ours import new_model, spec_of
from bench.adapters.torch_system import FORBIDDEN, num_parameters
from bench.worker import System, Task, each
from bench.workload import BEAM, EOS, PAD, SENTENCES, STEPS, Sentences
from deepmt.data.vocabulary import Vocabulary
from wings.export.ctranslate2 import save
from wings.export.standard import standard


def decode(task: Task, workers: int = 1) -> System:
    """Translate with the task's threads divided among workers."""
    spec, model = spec_of(task.size), new_model(task.size)
    parameters = num_parameters(model)
    # suppress_sequences costs time: a bias makes padding impossible instead.
    bias = torch.zeros(task.size.vocabulary)
    bias[PAD] = FORBIDDEN
    model.output.bias = torch.nn.Parameter(bias)
    names = ["<pad>", "<unk>", "</s>", *task.size.words[3:]]
    vocabulary = Vocabulary(names)
    with tempfile.TemporaryDirectory() as folder:
        save(standard(model, spec), spec, vocabulary, vocabulary, Path(folder))
        translator = ctranslate2.Translator(
            folder,
            device=task.device,
            compute_type=task.precision,
            inter_threads=workers,
            intra_threads=task.threads // workers,
        )
    ids = {name: i for i, name in enumerate(names)}

    def search(sentences: Sentences) -> Sequence[Sequence[int]]:
        # It adds the end symbol itself.
        texts = [[names[i] for i in row if i not in (PAD, EOS)] for row in sentences.source]
        found = translator.translate_batch(
            texts,
            beam_size=BEAM,
            min_decoding_length=STEPS,
            max_decoding_length=STEPS,
            max_batch_size=-(-SENTENCES // workers),
        )
        return [[ids[word] for word in result.hypotheses[0]] for result in found]

    return System(
        name="CTranslate2" + (f", {workers} workers" if workers > 1 else ""),
        version=ctranslate2.__version__,
        parameters=parameters,
        run=each(search),
    )


def decode_parallel(task: Task) -> System:
    """Translate with one worker per thread; they share the sentences of a batch."""
    return decode(task, workers=task.threads)
