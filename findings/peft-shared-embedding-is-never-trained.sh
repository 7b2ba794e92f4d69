#!/usr/bin/env bash
# modules_to_save=["shared"] of peft trains a table that Marian, M2M100, mBART and T5 never read: it gets no gradient.
# Topic: models
# Packages: peft==0.21.2, transformers==5.23.0, accelerate==1.15.0, torch==2.13.0, numpy==2.4.6
# Behaviour: the module "shared" of Marian, M2M100, NLLB, mBART and T5 has the weights of the embedding, but encoder and
#   decoder read them through embed_tokens, modules of their own with the same tensor. peft puts its trainable copy, or
#   its LoRA of target_modules=["shared"], at "shared" alone. It gets no gradient, counts as trainable, is saved with
#   the adapter, and never changes. Nothing is said; with embed_tokens peft warns of tied weights.
# Why a good guess is wrong: shared.weight is the name of the embedding in the model's files, get_input_embeddings
#   returns this module, and print_trainable_parameters counts the whole table.
# Who meets it: new words, languages or tags with LoRA: resize_token_embeddings, then modules_to_save=["shared"]. The
#   new rows keep their first values, and the loss falls all the same, by the LoRA of the other layers.
# Source: peft/utils/other.py, `set_additional_trainable_modules`; modeling_m2m_100.py, modeling_t5.py and their like in
#   transformers 5, whose encoder makes an embedding of its own, to be tied later.
# Remedy: trainable_token_indices for new words (seen here with M2M100), or modules_to_save=["embed_tokens", "lm_head"],
#   which makes three tables of one. Look for trainable parameters whose grad is None.
# Seen: M2M100, {'modules_to_save': ['shared']}: 1600 trainable weights, 0 of 1 with a gradient, warnings 0
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 peft==0.21.2 transformers==5.23.0 \
    accelerate==1.15.0 numpy==2.4.6 2> /dev/null
TRANSFORMERS_VERBOSITY=error bin/python - 2> log << 'PYTHON' || { cat log; exit 1; }
import warnings

import torch
from peft import LoraConfig, get_peft_model
from transformers import (
    M2M100Config, M2M100ForConditionalGeneration, MarianConfig, MarianMTModel, MBartConfig,
    MBartForConditionalGeneration, T5Config, T5ForConditionalGeneration
)

layers = dict(encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2)
sizes = dict(vocab_size=50, d_model=32, encoder_ffn_dim=32, decoder_ffn_dim=32, pad_token_id=1, eos_token_id=2)
sizes |= layers | dict(decoder_start_token_id=2, forced_eos_token_id=2)
small = dict(vocab_size=50, d_model=32, d_kv=16, d_ff=32, num_layers=1, num_heads=2, decoder_start_token_id=0)
models = {
    "Marian": lambda: MarianMTModel(MarianConfig(**sizes)),
    "M2M100": lambda: M2M100ForConditionalGeneration(M2M100Config(**sizes)),
    "mBART": lambda: MBartForConditionalGeneration(MBartConfig(**sizes)),
    "T5": lambda: T5ForConditionalGeneration(T5Config(**small)),
}
source, target = torch.arange(3, 17).view(2, 7), torch.arange(20, 32).view(2, 6)


def train(make, **options):
    torch.manual_seed(1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = get_peft_model(make(), LoraConfig(r=2, **({"target_modules": ["q_proj", "q"]} | options)))
    words = sum("tie" in str(warning.message) for warning in caught)
    tables = [p for n, p in model.named_parameters() if p.requires_grad and "_proj" not in n and ".q." not in n]
    model(input_ids=source, labels=target).loss.backward()
    reached = sum(table.grad is not None for table in tables)
    count = sum(table.numel() for table in tables)
    print(f"{name}, {options}: {count} trainable weights,", end=" ")
    print(f"{reached} of {len(tables)} with a gradient, warnings {words}")
    return reached, len(tables), words


for name, make in models.items():
    assert train(make, modules_to_save=["shared"]) == (0, 1, 0)
    assert train(make, target_modules=["q_proj", "q", "shared"]) == (0, 2, 0)
name = "M2M100"
assert train(models[name], modules_to_save=["embed_tokens"]) == (2, 2, 1)
assert train(models[name], trainable_token_indices=[20, 21]) == (1, 1, 0)
PYTHON
