"""Why a call failed, as an exception type of LangChain, whichever package raised the error."""

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
    """The exception type for an HTTP status of 400 or more."""
    return _BY_STATUS.get(status, kinds.ModelInvalidRequestError if status < 500 else kinds.ModelAPIError)


def status_of(problem: Exception) -> int | None:
    """The HTTP status of the server's error response, or None."""
    for holder in (problem, getattr(problem, "response", None)):
        status = getattr(holder, "status_code", None)
        if isinstance(status, int) and status >= 400:
            return status
    return None


def kind_of(problem: Exception) -> type[Exception]:
    """LangChain's exception type for an error; the error's own type if neither server nor network failed.

    Some providers' packages pass on the errors of their HTTP clients. There are several clients (httpx, its
    successors, requests), with similar names for their errors.
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
