#!/usr/bin/env bash
# Attention dropout of Flax drops the same positions in all sentences of a batch and in all heads: R-Drop's two copies get one mask.
# Topic: models
# Packages: flax==0.12.8, jax==0.10.2, optax==0.2.8
# Behaviour: dropout of attention weights draws one matrix of queries by keys for a whole batch. Of 64 sentences with 8
#   heads, each loses the same pairs of positions. Two copies of a sentence in one batch come out equal, in linen and
#   nnx alike. With broadcast_dropout=False, each sentence and head has a mask of its own.
# Why a good guess is wrong: dropout is drawn for each element in the papers and in torch, and nn.Dropout of Flax does so, too;
#   dropout_rate=0.1 says nothing of it. The default is broadcast_dropout=True.
# Who meets it: ports from torch with the same rates, whose gradients have less noise to average in a large batch; and
#   R-Drop and SimCSE, which put a sentence into a batch twice to compare two masks: they compare none here.
# Source: flax/linen/attention.py, `dot_product_attention_weights`: a mask of shape (1, 1, queries, keys); flax/nnx/nn/
#   attention.py likewise.
# Remedy: broadcast_dropout=False.
# Seen: different masks among 64 x 8: 1, with broadcast_dropout=False 512; copies in a batch differ by 0.0
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile jax==0.10.2 optax==0.2.8 msgpack==1.2.4 \
  rich==15.0.0 treescope==0.1.10 PyYAML==6.0.4 typing_extensions==4.16.0
python3 -m pip --python bin/python install -q --no-compile --no-deps flax==0.12.8  # without its checkpoints, which need 150 MB
bin/python - <<'PYTHON'
import jax
import jax.numpy as jnp
from flax import linen, nnx
from flax.linen import dot_product_attention_weights

states = jax.random.normal(jax.random.key(0), (64, 12, 8, 4))
for broadcast, expected in ((True, 1), (False, 512)):
    weights = dot_product_attention_weights(
        states, states, dropout_rng=jax.random.key(1), dropout_rate=0.1, deterministic=False,
        broadcast_dropout=broadcast)
    masks = {mask.tobytes() for mask in (jax.device_get(weights) > 0).reshape(-1, 12 * 12)}
    print(f"broadcast_dropout={broadcast}: {len(masks)} masks for 64 sentences and 8 heads")
    assert len(masks) == expected

sentence = jax.random.normal(jax.random.key(2), (1, 12, 32))
twice = jnp.concatenate([sentence, sentence])
sizes = {"num_heads": 8, "dropout_rate": 0.1, "deterministic": False}
for broadcast in (True, False):
    old = linen.MultiHeadDotProductAttention(broadcast_dropout=broadcast, **sizes)
    keys = {"params": jax.random.key(3), "dropout": jax.random.key(4)}
    new = nnx.MultiHeadAttention(in_features=32, broadcast_dropout=broadcast, decode=False, rngs=nnx.Rngs(5), **sizes)
    copies = old.apply(old.init(keys, twice), twice, rngs=keys), new(twice)
    apart = [float(jnp.abs(copy[0] - copy[1]).max()) for copy in copies]
    print(f"broadcast_dropout={broadcast}: two copies differ by {apart[0]:.3f} (linen), {apart[1]:.3f} (nnx)")
    assert max(apart) < 1e-6 if broadcast else min(apart) > 1e-3
PYTHON
