"""LangChain's name for what went wrong with a call, whichever package raised it."""

from langchain_core import exceptions as kinds

_BY_STATUS = {
    401: kinds.ModelAuthenticationError,
    403: kinds.ModelPermissionDeniedError,
    404: kinds.ModelNotFoundError,
    408: kinds.ModelTimeoutError,
    409: kinds.ModelAPIError,
    425: kinds.ModelAPIError,
    429: kinds.ModelRateLimitError,
}


def kind_of_status(status: int) -> type[kinds.ModelError]:
    """What an HTTP status of 400 or more says."""
    return _BY_STATUS.get(status, kinds.ModelInvalidRequestError if status < 500 else kinds.ModelAPIError)


def status_of(problem: Exception) -> int | None:
    """The HTTP status with which the server refused, where it did."""
    for holder in (problem, getattr(problem, "response", None)):
        status = getattr(holder, "status_code", None)
        if isinstance(status, int) and status >= 400:
            return status
    return None


def kind_of(problem: Exception) -> type[Exception]:
    """The kind as LangChain names it; the exception's own where it is no failure of a server or of the network.

    Some providers' packages let the errors of their HTTP client through. Those clients are several (httpx, its
    successors, requests), and name their errors alike.
    """
    if isinstance(problem, kinds.ModelError):
        return type(problem)
    if status := status_of(problem):
        return kind_of_status(status)
    names = {kind.__name__ for kind in type(problem).__mro__}
    if names & {"TimeoutException", "TimeoutError", "Timeout"}:
        return kinds.ModelTimeoutError
    if names & {"TransportError", "ConnectionError"}:
        return kinds.ModelConnectionError
    return type(problem)
