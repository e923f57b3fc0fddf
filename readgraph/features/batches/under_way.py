"""The batches that servers still work on for this process."""

MOST_REQUESTS = 50_000  # of one batch, by the endpoint's limit

_running: dict[str, tuple[int, int]] = {}


def remember_batch(file: str, requests: int, done: int = 0) -> None:
    """Remember that a server works on the batch of this file, and how many of its requests are done."""
    _running[file] = (requests, done)


def forget_batch(file: str) -> None:
    """Forget the batch of this file: its replies are recorded, or it has none."""
    _running.pop(file, None)


def progress_line() -> str:
    """How far the batches of this process are, together, for a progress bar; "" if there are none."""
    if not _running:
        return ""
    requests, done = (sum(counts) for counts in zip(*_running.values(), strict=True))
    batches = "Batch" if len(_running) == 1 else f"{len(_running):,} batches"
    return f"{batches} of {requests:,} submitted, {done:,} done"
