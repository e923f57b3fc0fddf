"""What models' clients read from the environment: all of it as one hash, and addresses as they may be shown."""

import os
import re
from functools import cache
from urllib.parse import urlsplit, urlunsplit

from readgraph.state.errors import BadInput

_READ = re.compile("KEY|TOKEN|SECRET|CREDENTIAL|PROFILE|REGION|PROJECT|URL|BASE|ENDPOINT|HOST|PROXY|API_VERSION", re.I)


def environment(*more: str) -> int:
    """A hash of the variables that providers' packages may read, and `more`: the same while none of them changes.

    Each package has names of its own (ANTHROPIC_API_KEY, AWS_PROFILE, OLLAMA_HOST), so they are known by their words.
    Clients are kept by it, so that a changed key or address is used at once; as a hash, so that no key is kept beside
    the client that uses it.
    """
    return hash(tuple((name, value) for name, value in os.environ.items() if name in more or _is_read(name)))


@cache
def _is_read(name: str) -> bool:
    return bool(_READ.search(name))


def without_secrets(address: str) -> str:
    """The address without user, password, query and fragment, any of which may hold a key.

    Raises `BadInput`, whose message does not repeat the address, if it can't be parsed.
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        raise BadInput("The address of the model server can't be read: check OPENAI_BASE_URL.") from None
    netloc = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=netloc, query="", fragment="")).rstrip("/")
