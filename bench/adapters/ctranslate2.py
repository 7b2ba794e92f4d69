"""CTranslate2 with our own model, written by `export.py`'s code: one worker, or one per thread."""

import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import ctranslate2

from bench.protocol import System, Task, each, serve
from bench.sentences import BEAM, FORBIDDEN, SENTENCES, STEPS, Sentences
from bench.workload import EOS, PAD, Size


def words(size: Size) -> list[str]:
    """Return a vocabulary with deepmt's special tokens."""
    return ["<pad>", "<unk>", "</s>", *size.words[3:]]


def convert(size: Size, folder: str) -> int:
    """Write a model with random weights; return the number of its parameters."""
    # Only the process that converts needs torch: the memory of the other one is measured.
    import torch

    from bench.adapters.ours import new_model, spec_of
    from bench.adapters.torch_system import num_parameters
    from deepmt.data.vocabulary import Vocabulary
    from deepmt.export.ctranslate2 import save
    from deepmt.export.standard import standard

    spec, model = spec_of(size), new_model(size)
    parameters = num_parameters(model)
    # It has no list of tokens to leave out that costs nothing: a bias makes padding impossible.
    bias = torch.zeros(size.vocabulary)
    bias[PAD] = FORBIDDEN
    model.output.bias = torch.nn.Parameter(bias)
    known = Vocabulary(words(size))
    save(standard(model, spec), spec, known, known, Path(folder))
    return parameters


def decode(size: Size, task: Task, workers: int = 1) -> System:
    """Translate with the task's threads divided among workers."""
    with tempfile.TemporaryDirectory() as folder:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            parameters = pool.submit(convert, size, folder).result()
        translator = ctranslate2.Translator(
            folder,
            device=task.device,
            compute_type=task.precision,
            inter_threads=workers,
            intra_threads=task.threads // workers,
        )
    names = words(size)
    ids = {word: i for i, word in enumerate(names)}

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


def decode_by_workers(size: Size, task: Task) -> System:
    """Translate with one worker per thread; they share the sentences of a batch."""
    return decode(size, task, workers=task.threads)


if __name__ == "__main__":
    serve(decode=decode, decode_by_workers=decode_by_workers)
