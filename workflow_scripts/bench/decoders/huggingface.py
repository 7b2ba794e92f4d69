"""HuggingFace: `generate` of the Marian classes."""

import torch
import transformers
from torch import Tensor, nn
from transformers import GenerationConfig, MarianMTModel

from bench.decoders.on_torch import only, translating
from bench.protocol import System, Task, serve
from bench.sentences import BEAM, FORBIDDEN, SEED, STEPS, Sentences
from bench.workers.huggingface import config
from bench.workers.on_torch import insist_on, num_parameters
from bench.workload import BOS, EOS, PAD, Size

SETTINGS = GenerationConfig(
    num_beams=BEAM,
    min_new_tokens=STEPS,
    max_new_tokens=STEPS,
    decoder_start_token_id=BOS,
    bos_token_id=BOS,
    eos_token_id=EOS,
    pad_token_id=PAD,
    use_cache=True,
)


def model_of(size: Size) -> MarianMTModel:
    """With padding made impossible as Marian's own models have it, by a bias."""
    torch.manual_seed(SEED)
    model = MarianMTModel(config(size)).eval()
    model.final_logits_bias[:, PAD] = FORBIDDEN
    model.generation_config = SETTINGS
    return model


def search(model: MarianMTModel, source: Tensor) -> list[list[int]]:
    """The words of the best hypotheses, without the start symbol."""
    found = model.generate(input_ids=source, attention_mask=(source != PAD).long())
    return found[:, 1:].tolist()


def build(size: Size, task: Task) -> System:
    """MarianMTModel."""
    only(task, "float32", "bfloat16")
    model: nn.Module = model_of(size)
    model.to(task.device, getattr(torch, task.precision))
    insist_on(model, task.precision)
    return translating(
        lambda source, lengths: search(model, source),
        task,
        name="HuggingFace Marian classes",
        version=transformers.__version__,
        parameters=num_parameters(model),
    )


if __name__ == "__main__":
    serve(build, Sentences)
