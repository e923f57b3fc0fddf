"""Why calls to a model server failed, in one line that says what to do, without the server's own words."""

from langchain_core import exceptions as kinds

from readgraph.models.client import ModelClient
from readgraph.models.failures.failure import Failure
from readgraph.models.names import FUNCTION, is_function
from readgraph.models.openai.address import through_proxy

CHECK_NAME = "check its name, and the address, which often ends in /v1"
ADDRESSES = {
    "openai": "OPENAI_BASE_URL",
    "ollama": "OLLAMA_HOST, which names a server on another machine, as http://HOST:11434",
}
"""Where the addresses of providers' servers are said that stand on a machine of one's own."""

CORRECT_IT = "correct it and run the same again, nothing is lost."


def name_own(client: ModelClient) -> str:
    """The model that is an object or a function of the caller's."""
    function = is_function(client.name)
    return f"function '{client.name.removeprefix(FUNCTION)}'" if function else f"model '{client.name}'"


def name_server(client: ModelClient) -> str:
    """The model server, at its address where that is known."""
    return f"The model server{client.place}"


def explain_failure(client: ModelClient, failure: Failure) -> str:
    """Why a call brought no reply, and what to do."""
    if failure.line:
        return failure.line
    server = name_server(client)
    times = f"{failure.tries} times in a row" if failure.tries > 1 else "once"
    if failure.cause and client.sender:
        return f"{server} {client.sender.explain(failure.cause, times)}"
    if failure.too_long:
        longer = f"sent a reply of more than {failure.too_long} MB {times}"
        return f"{server} {longer}: see what it sends, or raise the limit with --max-reply-mb."
    if failure.broke_off and not client.process:
        return _of_any_server(server, failure, times)
    if is_function(client.name):
        return f"The {name_own(client)} raised {failure.kind.__name__} {times}: {CORRECT_IT}"
    if not issubclass(failure.kind, kinds.ModelError):
        if client.worked:
            return f"{server} sent no usable reply {times}: go on later, nothing is lost."
        sent = f"it sent {failure.sent}" if failure.sent else failure.kind.__name__
        return f"{server} doesn't speak its provider's protocol ({sent}): check its address."
    if failure.sent:
        return f"{server} sent {failure.sent} {times}: see what stands before it, such as a proxy."
    if line := _explain_refusal(client, failure, server):
        return line
    for kind, line in _lines_by_kind(client, failure, server, times).items():
        if issubclass(failure.kind, kind):
            return line
    return _of_any_server(server, failure, times)


def explain_embedding(model: str, failure: Failure, times: str, timeout: float) -> str:
    """Why an embedding model gave no vectors, and what to do."""
    server, later = f"The server of {model}", "go on later, nothing is lost."
    lines = {
        kinds.ModelPermissionDeniedError: f"The key may not use {model}.",
        kinds.ModelNotFoundError: f"The server does not know {model}: {CHECK_NAME}.",
        kinds.ModelRateLimitError: f"{server} takes no more calls for now (refused {times}): {later}",
        kinds.ModelTimeoutError: f"{server} did not answer in time ({timeout:g} s, {times}): {later}",
        kinds.ModelConnectionError: f"No server answers for {model} (tried {times}): start it, or check its address.",
    }
    if failure.too_long:
        return f"{server} sent more than {failure.too_long} MB at once: see what it sends."
    if not (failure.broke_off or failure.refusal.kind == "spent"):
        for kind, line in lines.items():
            if issubclass(failure.kind, kind):
                return line
    return _of_any_server(server, failure, times)


def _of_any_server(server: str, failure: Failure, times: str) -> str:
    """Why a server gave nothing, where that is said of chat models and embedding models in the same words."""
    status = f" ({failure.status})" if failure.status else ""
    if failure.refusal.kind == "spent":
        used = "a credit, a budget or a daily limit is used up"
        return f"{server} takes no more calls{status}: {used}, check your credit there. Nothing is lost."
    if failure.refusal.kind == "web page":
        page = "a web page in the place of a reply"
        return f"{server} sent {page}{status}: check its address, and whether a proxy or firewall stands before it."
    if issubclass(failure.kind, kinds.ModelAuthenticationError):
        return f"{server} refused the key: set a valid one in the environment."
    if failure.broke_off:
        return f"{server} broke its answer off {times}: go on later, nothing is lost."
    by_server = issubclass(failure.kind, kinds.ModelError)
    foreign = not by_server and not failure.kind.__module__.startswith("readgraph.")
    what = "failed" if by_server else "sent no vectors"
    named = failure.status or (failure.kind.__name__ if foreign else "an error")
    return f"{server} {what} {times} ({named}): go on later, nothing is lost."


def _explain_refusal(client: ModelClient, failure: Failure, server: str) -> str:
    """What a refusal says that its status alone doesn't; "" for the others."""
    refusal, name, status = failure.refusal, client.name, f" ({failure.status})" if failure.status else ""
    if refusal.kind == "too long":
        window = f" (at most {refusal.most_tokens:,} tokens)" if refusal.tokens > refusal.most_tokens else ""
        return f"A prompt is too long for '{name}'{window}: set a smaller --window-words, or take a larger window."
    if refusal.kind in ("spent", "web page"):
        return _of_any_server(server, failure, "")
    if refusal.kind == "field":
        return f"{server} takes no '{refusal.field}' for '{name}'{status}: leave it out where the model is set up."
    return ""


def _lines_by_kind(client: ModelClient, failure: Failure, server: str, times: str) -> dict[type[Exception], str]:
    at, name = client.place, client.name
    provider = name.partition(":")[0]
    address = ADDRESSES.get(provider, f"the network and the address of {provider}'s server")
    nobody = f"No model server answers{at}: start it, or check {address}."
    if through_proxy(client.server):
        nobody = f"No model server answers{at}: check the proxy."
    if client.process:
        ended = f"has ended{client.process.how_it_ended()}: go on with the same command, nothing is lost."
        nobody = f"The process that runs '{name}' {ended}"
    status = f" ({failure.status})" if failure.status else ""
    return {
        kinds.ModelPermissionDeniedError: f"The key may not use the model '{name}'{at}.",
        kinds.ModelNotFoundError: f"{server} does not know the model '{name}': {CHECK_NAME}.",
        kinds.ModelTimeoutError: f"{server} did not answer in time ({client.timeout:g} s, {times}): raise --timeout, "
        "or lower --concurrency.",
        kinds.ModelConnectionError: nobody,
        kinds.ModelRateLimitError: f"{server} takes no more calls for now: go on later, or check your credit there; "
        "nothing is lost.",
        kinds.ModelInvalidRequestError: f"{server} refused a request to '{name}' as invalid{status}.",
    }
