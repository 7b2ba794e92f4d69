"""Cut an update into batches of the size that the papers' device took."""


def device_batches(batch_tokens: int, device_tokens: int) -> int:
    """Return the number of device batches of an update: the nearest to the papers', at least 1.

    Their size is `batch_tokens` over this number; `device_tokens` = 0 is the whole update.
    """
    return max(1, round(batch_tokens / (device_tokens or batch_tokens)))
