"""Hold the limits that decide which kernels run; estimates read them without torch."""

NARROWEST = 128
"""Model width below which casting costs more than bfloat16 products save."""
MAX_LOGITS = {"cpu": 1 << 22, "cuda": 1 << 28}
"""Logits computed at once; on a CPU, 16 MB fit the cache and are reused by the allocator."""
