#!/usr/bin/env bash
# transformers' generate gives a translation cut off at the limit an end symbol for free, and a Marian model of your own another token in its place.
# Topic: scores
# Packages: transformers==5.23.0, torch==2.13.0
# Behaviour: forced_eos_token_id is 0 by default in MarianConfig and 2 in BART's and mBART's, whatever eos_token_id
#   is. At the last step before max_length, generate sets the log probability of that token to 0 and of all others to
#   minus infinity. So a cut-off hypothesis pays nothing for its last token (sequences_scores and
#   compute_transition_scores contain the 0), and competes with hypotheses that paid for their end. With
#   eos_token_id=2, a Marian model's cut-off translation ends in token 0, and not in the end symbol.
# Why a good guess is wrong: scores are said to be sums of the model's log probabilities, and a default that names the
#   end symbol to follow eos_token_id. OPUS-MT has its end symbol at 0, so that a test with it finds nothing.
# Who meets it: filters and n-best lists by score, comparisons with a forced score (-7.78 here for the last token),
#   models with other vocabularies than OPUS-MT's.
# Source: transformers' configuration_marian.py (forced_eos_token_id) and generation/logits_process.py,
#   ForcedEOSTokenLogitsProcessor (scores are replaced, and the search sums what is left).
# Remedy: model.generation_config.forced_eos_token_id = None; score again with the model where scores are compared.
# Seen: tokens after the start: [30, 30, 30, 30, 30, 30, 0], end symbol: 2
#   log P of the last one: 0.00 by generate, -7.78 by the model; score times length -1.29, sum by the model -9.07
#   without the forced token the last one is 30 and both give -0.16
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 transformers==5.23.0
TRANSFORMERS_VERBOSITY=error bin/python - 2>log <<'PYTHON' || { cat log; exit 1; }
import torch
from transformers import MarianConfig, MarianMTModel

torch.manual_seed(0)
sizes = dict(vocab_size=40, d_model=32, encoder_layers=1, decoder_layers=1, encoder_ffn_dim=64, decoder_ffn_dim=64)
sizes |= dict(encoder_attention_heads=4, decoder_attention_heads=4, init_std=0.5)
model = MarianMTModel(MarianConfig(**sizes, pad_token_id=0, eos_token_id=2, decoder_start_token_id=0, bos_token_id=1))
model = model.eval()
source = torch.tensor([[5, 6, 7, 8, 2]])


def translate():
    options = dict(max_length=8, num_beams=3, output_scores=True, return_dict_in_generate=True)
    found = model.generate(input_ids=source, attention_mask=torch.ones_like(source), **options)
    steps = model.compute_transition_scores(found.sequences, found.scores, found.beam_indices)[0]
    with torch.no_grad():
        logits = model(input_ids=source, decoder_input_ids=found.sequences[:, :-1]).logits
    own = logits.log_softmax(-1).gather(-1, found.sequences[:, 1:, None])[0, :, 0]
    return found.sequences[0, 1:].tolist(), found.sequences_scores.item() * len(own), steps.tolist(), own.tolist()


tokens, score, steps, own = translate()
print(f"tokens after the start: {tokens}, end symbol: {model.config.eos_token_id}")
print(f"log P of the last one: {steps[-1]:.2f} by generate, {own[-1]:.2f} by the model;", end=" ")
print(f"score times length {score:.2f}, sum by the model {sum(own):.2f}")
free = tokens[-1] == 0 and steps[-1] == 0 and abs(score - sum(own[:-1])) < 1e-3 and own[-1] < -1
model.generation_config.forced_eos_token_id = None
tokens, score, steps, own = translate()
print(f"without the forced token the last one is {tokens[-1]} and both give {own[-1]:.2f}")
raise SystemExit(not (free and abs(steps[-1] - own[-1]) < 1e-3 and abs(score - sum(own)) < 1e-3))
PYTHON
