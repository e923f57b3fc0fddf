"""The batches that go on at a model server when this process ends."""

_running: set[str] = set()


def goes_on(file: str) -> None:
    """Remember that a server works on the batch of this file."""
    _running.add(file)


def has_ended(file: str) -> None:
    """Forget the batch of this file: its replies are recorded, or it has none."""
    _running.discard(file)


def some_go_on() -> bool:
    """Whether a server still works on a batch of this process."""
    return bool(_running)
