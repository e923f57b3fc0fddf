"""Why a call failed, as LangChain's exception type. Errors are known by what they hold: no provider is imported."""

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from langchain_core import exceptions as kinds

from readgraph.models.failures.refusals import Refusal, read_refusal
from readgraph.state.certificates import explain_tls
from readgraph.state.errors import ReadgraphError

_BY_STATUS = {
    **{401: kinds.ModelAuthenticationError, 403: kinds.ModelPermissionDeniedError, 404: kinds.ModelNotFoundError},
    **{408: kinds.ModelTimeoutError, 429: kinds.ModelRateLimitError},
    **dict.fromkeys((409, 425), kinds.ModelAPIError),
    **dict.fromkeys((501, 505), kinds.ModelInvalidRequestError),
}
_CODES = {
    400: ("validationexception",),
    401: ("unrecognizedclientexception", "expiredtokenexception"),
    403: ("accessdeniedexception",),
    404: ("resourcenotfoundexception",),
    408: ("modeltimeoutexception",),
    429: ("throttlingexception", "throttledexception", "toomanyrequestsexception", "servicequotaexceededexception"),
    500: ("internalserverexception", "modelstreamerrorexception", "modelerrorexception"),
    503: ("modelnotreadyexception", "serviceunavailableexception"),
}  # error codes of Amazon's services, which a stream sends without a status, by the HTTP status that they mean

_BY_NAME = {
    kinds.ModelTimeoutError: "TimeoutException TimeoutError Timeout ReadTimeoutError ConnectTimeoutError".split(),
    kinds.ModelAuthenticationError: "NoCredentialsError PartialCredentialsError".split(),
    kinds.ModelRateLimitError: "RateLimitError RateLimitExceeded TooManyRequests".split(),
    kinds.ModelConnectionError: (
        "TransportError ConnectionError ClientConnectionError HTTPClientError URLError gaierror".split()
    ),
}  # what is known by the names of an error's types, where it holds no status
BROKEN = {
    *("RemoteProtocolError", "ReadError", "IncompleteRead", "ChunkedEncodingError"),
    *("ServerDisconnectedError", "ClientPayloadError"),
}
"""What errors of a connection that ended before a response was whole are called, by package."""

UNDECODED = {"DecodingError", "ContentDecodingError", "ContentEncodingError"}
"""What errors of a body are called that is not compressed as its headers say."""

SAID: Mapping[str, type[kinds.ModelError]] = {
    "too long": kinds.ContextOverflowError,
    "spent": kinds.ModelRateLimitError,
    "busy": kinds.ModelRateLimitError,
    "key": kinds.ModelAuthenticationError,
    "unknown model": kinds.ModelNotFoundError,
    **dict.fromkeys(("form", "field", "withheld", "web page", "picture"), kinds.ModelInvalidRequestError),
}
"""The exception types of what refusals say, where their statuses would tell something else."""

MOST_CAUSES = 5
LONGEST_WAIT = 60.0  # the longest pause in seconds, even if the server asks for a longer one (Retry-After)
ENDED_LOOP = "Event loop is closed"  # what asyncio says of a connection that another event loop opened, which has ended


class ReplyTooLong(ConnectionError):
    """A server's reply has more bytes than it may: `most`, in megabytes."""

    def __init__(self, most: int) -> None:
        super().__init__(f"The reply has more than {most} MB.")
        self.most = most


def too_long(problem: BaseException) -> int:
    """The megabytes that a server's reply has more of than it may; 0 where something else went wrong."""
    return next((cause.most for cause in causes_of(problem) if isinstance(cause, ReplyTooLong)), 0)


class UnreadableReply(Exception):
    """A response that holds no completion; its text says in a few words of ours what it holds."""


def error_of_refusal(status: int, refusal: Refusal, **about: Any) -> kinds.ModelError:
    """LangChain's error for what a refusal says, or else for its HTTP status, without the server's own words.

    It holds both, and what else is known `about` it, as `Failure.of` reads it.
    """
    kind = SAID.get(refusal.kind) or kind_of_status(status)
    error = kind(kind.__name__)
    vars(error).update(about, refusal=refusal, status_code=status)
    return error


def kind_of_status(status: int) -> type[kinds.ModelError]:
    """The exception type for an HTTP status of 400 or more."""
    return _BY_STATUS.get(status, kinds.ModelInvalidRequestError if status < 500 else kinds.ModelAPIError)


def own_error(problem: Exception) -> ReadgraphError | None:
    """The error of ours that this one is, or was raised from: older versions of OpenAI's package wrap any error."""
    return next((cause for cause in causes_of(problem) if isinstance(cause, ReadgraphError)), None)


def status_of(problem: Exception) -> int | None:
    """The HTTP status of the server's error response, or None, in whichever field the provider's package has it."""
    return next(filter(None, map(_status, causes_of(problem))), None)


def _status(problem: BaseException) -> int | None:
    response = getattr(problem, "response", None)
    # OpenAI, Azure, Anthropic, Ollama; httpx, as in Mistral's package; botocore, for Bedrock; Google.
    found = [getattr(problem, "status_code", None), getattr(response, "status_code", None)]
    if isinstance(response, Mapping):
        code = str((response.get("Error") or {}).get("Code", "")).lower()
        found += [next((status for status, codes in _CODES.items() if code in codes), None)]
        found += [(response.get("ResponseMetadata") or {}).get("HTTPStatusCode")]
    found.append(getattr(problem, "code", None))
    return next((int(status) for status in found if isinstance(status, int) and status >= 400), None)


def headers_of(problem: Exception) -> Mapping[str, str]:
    """The headers of the server's error response; empty if they are not known."""
    for cause in causes_of(problem):
        response: Any = getattr(cause, "response", None)
        headers = getattr(response, "headers", None)
        if isinstance(response, Mapping):
            headers = (response.get("ResponseMetadata") or {}).get("HTTPHeaders")
        if isinstance(headers, Mapping) and headers:
            return headers
    return {}


def causes_of(problem: BaseException) -> list[BaseException]:
    """The error, and those that it was raised from: some packages raise their own error from that of their client.

    What is raised from an error of aiohttp is left out: it would call a connection that was refused a timeout. So is
    what aiohttp's parser says of a body that broke off: it would be a status.
    """
    causes = [problem]
    while (cause := causes[-1].__cause__) and len(causes) < MOST_CAUSES:
        if type(cause).__module__ == "aiohttp.http_exceptions":
            break
        if type(cause).__module__.startswith("aiohttp.") and len(causes) > 1:
            causes.pop()
        causes.append(cause)
    return causes


def kind_of(problem: Exception) -> type[Exception]:
    """LangChain's exception type for an error, also of an HTTP client; its own type if no server or network failed."""
    for cause in causes_of(problem):
        if isinstance(cause, kinds.ModelError):
            return type(cause)
        if status := _status(cause):
            return kind_of_status(status)
        names = {kind.__name__ for kind in type(cause).__mro__}
        for kind, named in _BY_NAME.items():
            if not names.isdisjoint(named):
                return kind
    return type(problem)


def broke_off(problem: BaseException) -> bool:
    """Whether a server was there, but ended the connection before its response was whole."""
    return bool(names_of(problem) & BROKEN)


def names_of(problem: BaseException) -> set[str]:
    """The names of an error's types, and of those that it was raised from."""
    return {kind.__name__ for cause in causes_of(problem) for kind in type(cause).__mro__}


def _refusal_of(problem: Exception) -> Refusal:
    """What the server's refusal says, in whichever field the provider's package keeps it."""
    refusal = next(
        (said for cause in causes_of(problem) if isinstance(said := getattr(cause, "refusal", None), Refusal)), None
    )
    if refusal or not (status := status_of(problem)):
        return refusal or Refusal()
    bodies = [
        getattr(cause, "body", None) or getattr(cause, "message", None) or str(cause) for cause in causes_of(problem)
    ]
    return read_refusal(status, bodies, waits="retry-after" in headers_of(problem))


def is_of_network(problem: Exception) -> bool:
    """Whether a server, the way to it, or a connection of an ended event loop failed, and not the code that called."""
    return issubclass(kind_of(problem), kinds.ModelError) or broke_off(problem) or str(problem) == ENDED_LOOP


def is_of_callback(problem: BaseException) -> bool:
    """Whether a callback of the caller raised this, such as a handler with `raise_error`: then no model failed."""
    trace = problem.__traceback__
    while trace:
        if trace.tb_frame.f_globals.get("__name__") == "langchain_core.callbacks.manager":
            return True
        trace = trace.tb_next
    return False


def retry_after_seconds(headers: Mapping[str, str]) -> float:
    """Seconds that a response asks to wait (Retry-After: seconds or a date), at most `LONGEST_WAIT`; else 0."""
    value, seconds = headers.get("retry-after", ""), 0.0
    try:
        seconds = float(value)
    except ValueError:
        with suppress(TypeError, ValueError, OverflowError):  # it is no date either
            moment = parsedate_to_datetime(value)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            seconds = (moment - datetime.now(UTC)).total_seconds()
    return 0.0 if math.isnan(seconds) else min(max(seconds, 0.0), LONGEST_WAIT)


@dataclass(slots=True)
class Failure:
    """Why a call brought no reply: the exception's type, never its text, which may hold a part of the API key."""

    kind: type[Exception]
    status: int | None = None
    retry_after: float = 0.0  # seconds that the server asks to wait
    passing: bool = True  # it may be temporary
    tries: int = 1  # how often the call was made
    cause: str = ""  # why a request brought no reply that was sent by a transport
    too_long: int = 0  # the megabytes that the reply had more of
    broke_off: bool = False  # a server was there, but its reply was not whole
    refusal: Refusal = field(default_factory=Refusal)  # what it says, if the request was refused
    sent: str = ""  # what the server sent in the place of a completion
    line: str = ""  # all that is to be said, where no encrypted connection comes about: then trying again is of no use

    @staticmethod
    def of(problem: Exception) -> "Failure":
        """The failure that an error stands for; it is not temporary if the same request can never pass."""
        if isinstance(problem, TimeoutError):
            return Failure(kinds.ModelTimeoutError)
        refusal = _refusal_of(problem)
        status, kind = status_of(problem), SAID.get(refusal.kind) or kind_of(problem)
        spent = any(getattr(cause, "code", None) == "insufficient_quota" for cause in causes_of(problem))
        line = explain_tls(problem, "The model server")
        return Failure(
            kind,
            status,
            retry_after_seconds(headers_of(problem)),
            passing=(not issubclass(kind, kinds.ModelError) or kind.is_retryable)
            and not (spent or line or refusal.is_final or getattr(problem, "final", False)),
            tries=getattr(problem, "tries", 1),
            cause=getattr(problem, "cause", ""),
            too_long=getattr(problem, "most_mb", 0) or too_long(problem),
            broke_off=getattr(problem, "broke_off", False) or broke_off(problem),
            refusal=refusal,
            sent=str(problem) if isinstance(problem, UnreadableReply) else getattr(problem, "sent", ""),
            line=line,
        )

    @property
    def no_answer(self) -> bool:
        """Whether no response came, or none that a model server would send."""
        return not issubclass(self.kind, kinds.ModelError) or issubclass(self.kind, kinds.ModelConnectionError)

    @property
    def refused_form(self) -> bool:
        """Whether the server refused the request as it was made, maybe for the form of its reply."""
        invalid = issubclass(self.kind, kinds.ModelInvalidRequestError)
        return invalid and self.refusal.kind in ("", "form", "field")
