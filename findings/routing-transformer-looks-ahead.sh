#!/usr/bin/env bash
# A causal RoutingTransformerLM looks ahead: the logits of its first words depend on words that come later.
# Topic: models
# Packages: routing-transformer==1.6.1, torch==2.13.0
# Behaviour: two texts of 32 words that differ from word 21 on get other logits for their first 20 words, though the model
#   is causal, in eval() and repeats itself to the last bit for one text.
# Why a good guess is wrong: the mask within each cluster is right, and so are local attention and shifts. But which words
#   a cluster holds is chosen by topk over the whole text, so a later word pushes an earlier one out of its cluster.
# Who meets it: perplexities of texts (lower than they may be), decoding word by word, which knows no later words and so
#   gives other probabilities than the parallel score.
# Source: routing_transformer/routing_transformer.py, `distribution`, called by `KmeansAttention.forward`.
# Remedy: none by options for layers that route; test a causal model by changing its last words.
# Seen: same text twice: 0.0; other later words: earlier logits differ by more than 0.1
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 routing-transformer==1.6.1 local-attention==1.11.2 mixture-of-experts==0.2.3 \
  product-key-memory==0.3.0 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import torch
from routing_transformer import RoutingTransformerLM

torch.set_num_threads(1)
torch.manual_seed(0)
model = RoutingTransformerLM(num_tokens=20, dim=32, heads=2, depth=2, max_seq_len=32, window_size=8, causal=True).eval()
with torch.no_grad():
    model(torch.randint(1, 20, (1, 32)))  # sets the clusters
    first = torch.randint(1, 20, (1, 32))
    second = first.clone()
    second[:, 20:] = second[:, 20:] % 19 + 1
    logits = [model(text)[0][0, :20] for text in (first, first, second)]
again, ahead = ((logits[0] - other).abs().max().item() for other in logits[1:])
print(f"same text twice: {again}; other later words: earlier logits differ by more than 0.1: {ahead > 0.1}")
assert again == 0 and ahead > 0.1
PYTHON
