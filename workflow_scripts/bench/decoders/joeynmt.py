"""JoeyNMT: its search, which keeps no keys and values: every step reads the whole prefix."""

from importlib.metadata import version

import torch
from joeynmt.batch import Batch
from joeynmt.search import search as joeynmt_search
from torch import Tensor

from bench.decoders.on_torch import only, translating
from bench.protocol import System, Task, serve
from bench.sentences import BEAM, SEED, STEPS, Sentences
from bench.workers.joeynmt import model_of
from bench.workers.on_torch import insist_on, num_parameters
from bench.workload import EOS, PAD, Size


def build(size: Size, task: Task) -> System:
    """JoeyNMT's Model."""
    only(task, "float32")
    torch.manual_seed(SEED)
    model = model_of(size).to(task.device).eval()
    insist_on(model, task.precision)

    def search(source: Tensor, lengths: Tensor) -> list[list[int]]:
        batch = Batch(
            src=source,
            src_length=lengths,
            src_prompt_mask=None,
            trg=None,
            trg_prompt_mask=None,
            indices=torch.arange(len(source)),
            device=torch.device(task.device),
            pad_index=PAD,
            eos_index=EOS,
            is_train=False,
        )
        found, _, _ = joeynmt_search(
            model,
            batch,
            max_output_length=STEPS,
            min_output_length=STEPS,
            beam_size=BEAM,
            beam_alpha=0.0,
        )
        return found.tolist()

    return translating(
        search,
        task,
        name="JoeyNMT",
        version=version("joeynmt"),
        parameters=num_parameters(model),
    )


if __name__ == "__main__":
    serve(build, Sentences)
