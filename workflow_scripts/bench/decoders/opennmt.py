"""OpenNMT-py: its Translator, a batch at a time."""

from importlib.metadata import version

import torch
from onmt.translate import GNMTGlobalScorer
from onmt.translate.translator import Translator
from torch import Tensor

from bench.decoders.on_torch import only, translating
from bench.protocol import System, Task, serve
from bench.sentences import BEAM, SEED, STEPS, Sentences
from bench.workers.on_torch import insist_on, num_parameters
from bench.workers.opennmt import model_of
from bench.workload import Size


def build(size: Size, task: Task) -> System:
    """onmt's NMTModel."""
    only(task, "float32")
    torch.manual_seed(SEED)
    model, _, vocabularies = model_of(size, task)
    without_dropout(model.to(task.device))
    insist_on(model, task.precision)
    translator = Translator(
        model,
        vocabularies,
        gpu=0 if task.device == "cuda" else -1,
        beam_size=BEAM,
        min_length=STEPS,
        max_length=STEPS,
        max_length_ratio=0,
        dump_beam="",
        global_scorer=GNMTGlobalScorer(
            alpha=0.0, beta=0.0, length_penalty="none", coverage_penalty="none"
        ),
    )

    def search(source: Tensor, lengths: Tensor) -> list[list[int]]:
        batch = {"src": source[:, :, None], "srclen": lengths}
        found = translator.translate_batch(batch, attn_debug=False)
        return [best.tolist() for best, *_ in found["predictions"]]

    return translating(
        search,
        task,
        name="OpenNMT-py",
        version=version("OpenNMT-py"),
        parameters=num_parameters(model),
    )


def without_dropout(model: torch.nn.Module) -> None:
    """As its loader of trained models does: one of its modules does not heed `eval`."""
    model.eval()
    for module in model.modules():
        if hasattr(module, "dropout_p"):
            module.dropout_p = 0.0


if __name__ == "__main__":
    serve(build, Sentences)
