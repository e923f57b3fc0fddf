"""What a child process of ours bounds of itself."""

import sys
from contextlib import suppress


def limit_memory(most: int) -> None:
    """Let this process hold so many bytes of its own, where the system keeps to that, and leave no core behind."""
    if sys.platform == "win32":
        return
    import resource

    for limit, wanted in ((resource.RLIMIT_DATA, most), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(limit)
        within = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(ValueError, OSError):
            resource.setrlimit(limit, (within, hard))
