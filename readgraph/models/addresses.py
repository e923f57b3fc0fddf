"""Server addresses in a form that may be shown and stored."""

from urllib.parse import urlsplit, urlunsplit

from readgraph.state.errors import BadInput


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
