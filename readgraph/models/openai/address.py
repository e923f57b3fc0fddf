"""The address of a model server, as people write it: what is a request's query, what is secret, what can't be used."""

import os
import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from readgraph.state.errors import BadInput
from readgraph.state.proxies import proxy_for

AROUND = "\"'`“”‘’ \t\r\n"  # what is copied along with an address
VARIABLES = ("OPENAI_API_BASE", "OPENAI_BASE_URL")  # the first that is set counts, as for LangChain
PROXY_OF_OWN = "openai"  # OPENAI_PROXY, as LangChain's clients read it, comes before the others
FORM = "write it as https://HOST/v1, or http://localhost:8080/v1"
_ENDPOINT = re.compile(r"/chat/completions/*$|(?<=/v1)/(completions|embeddings|responses|models)/*$")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """An address to which the endpoints' paths are added, with user and password; `query`: what each request asks."""

    url: str
    query: dict[str, str] = field(default_factory=dict)


def read_address(given: str, where: str) -> ServerAddress:
    """The address that a setting `where` gives; raises `BadInput` with a line that doesn't repeat it."""
    text = given.strip(AROUND)
    scheme, separator, _ = text.partition("://")
    if not separator or not scheme.isalnum():
        raise BadInput(f"{where} lacks http:// or https:// before the address: {FORM}.")
    if scheme.lower() not in ("http", "https"):
        raise BadInput(f"{where} begins with {scheme[:20]}://, which no model server does: {FORM}.")
    try:
        parts = urlsplit(text)
        if not parts.hostname or parts.port == 0 or re.search(r"\s", text):
            raise ValueError
    except ValueError:
        raise BadInput(f"{where} can't be read: {FORM}, an IPv6 address as http://[::1]:8080/v1.") from None
    query = parse_qsl(parts.query, keep_blank_values=True)
    if len(dict(query)) < len(query):
        raise BadInput(f"{where} gives a value of its query twice: give each name once.")
    path = _ENDPOINT.sub("", parts.path)
    return ServerAddress(urlunsplit((parts.scheme, parts.netloc, path, "", "")), dict(query))


def address_settings(given: str, where: str) -> dict[str, object]:
    """What LangChain's clients of OpenAI's protocol are given of an address."""
    address = read_address(given, where)
    return {"base_url": address.url, **({"default_query": address.query} if address.query else {})}


def environment_settings() -> dict[str, object]:
    """The same for the address in the environment; nothing where there is none, or where LangChain reads it as it is.

    What is given here would take precedence over LangSmith's gateway.
    """
    variable = next(filter(os.environ.get, VARIABLES), "")
    if not variable:
        return {}
    settings = address_settings(os.environ[variable], variable)
    return {} if settings == {"base_url": os.environ[variable]} else settings


def without_secrets(address: str) -> str:
    """The address without user, password, query and fragment; raises `BadInput`, which doesn't repeat it."""
    try:
        parts = urlsplit(address)
    except ValueError:
        raise BadInput("The address of the model server can't be read: check OPENAI_BASE_URL.") from None
    netloc = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=netloc, query="", fragment="")).rstrip("/")


def through_proxy(address: str) -> str:
    """What follows a server's address in a line where requests to it go through a proxy; else ""."""
    proxy = proxy_for(address, PROXY_OF_OWN)
    return f" (through the proxy {without_secrets(proxy)})" if proxy else ""
