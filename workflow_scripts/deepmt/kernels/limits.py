"""Hold limits of training and search; estimates read them without torch."""

NARROWEST = 128
"""Model width below which casting costs more than bfloat16 products save."""
MAX_LOGITS = {"cpu": 1 << 22, "cuda": 1 << 28}
"""Logits computed at once; on a CPU, 16 MB fit the cache and are reused by the allocator."""
SENTENCES_AT_ONCE = 64
"""Sentences that a CPU decodes at once: more are hardly faster."""
STATES_KEPT = 2
"""Saved states of a training: the newest may be damaged."""
BEST_KEPT = STATES_KEPT + 1
"""Weights of the best checkpoint so far: each state may name another, and so may the next."""
