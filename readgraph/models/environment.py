"""What models' clients read from the environment, so that a changed key or address is used at once."""

import os
import re
from functools import cache

_READ = re.compile("KEY|TOKEN|SECRET|CREDENTIAL|PROFILE|REGION|PROJECT|URL|BASE|ENDPOINT|HOST|PROXY|API_VERSION", re.I)


def environment(*more: str) -> int:
    """A hash of the variables that providers' packages may read, and `more`: the same while none of them changes.

    Each package has names of its own (ANTHROPIC_API_KEY, AWS_PROFILE, OLLAMA_HOST), so they are known by their words.
    It is a hash, so that no key is kept beside the client that uses it.
    """
    return hash(tuple((name, value) for name, value in os.environ.items() if name in more or _is_read(name)))


@cache
def _is_read(name: str) -> bool:
    return bool(_READ.search(name))
