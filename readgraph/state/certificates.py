"""The certificates that servers are trusted by, and why a server's can't be: one line that names what to set."""

import os
import ssl
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from readgraph.state.errors import BadInput

FILE, FOLDER = "SSL_CERT_FILE", "SSL_CERT_DIR"  # the variables that name certificates; the first one counts
FOR_OTHERS = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")  # what other programs call such a file
EXPIRED, NOT_YET, OTHER_NAMES = 10, 9, (62, 64)  # OpenSSL's numbers for why a certificate is refused
NAME_A_FILE = "Name a file of certificates, or unset it."
MOST_CAUSES = 12


def trusted_certificates(package: str) -> ssl.SSLContext:
    """What this HTTP package trusts: half a megabyte, read once in a process. Raises `BadInput` with what is wrong."""
    return _read(package, os.environ.get(FILE), os.environ.get(FOLDER))


@cache
def _read(package: str, file: str | None, folder: str | None) -> ssl.SSLContext:
    _check_named(file, "" if file else folder or "")
    try:
        trusted: ssl.SSLContext = sys.modules[package].create_ssl_context()
    except OSError as problem:
        where = f"of {FILE} ({file})" if file else "of this system"
        reason = "it holds none in PEM form (-----BEGIN CERTIFICATE-----)" if file else problem.strerror
        raise BadInput(f"The certificates {where} can't be read: {reason}. {NAME_A_FILE}") from None
    return trusted


def _check_named(file: str | None, folders: str) -> None:
    try:
        if file:
            with open(file, "rb"):
                pass
    except OSError as problem:
        reason = f"it is a folder, which {FOLDER} may name" if Path(file or "").is_dir() else problem.strerror
        raise BadInput(f"The certificates of {FILE} ({file}) can't be read: {reason}. {NAME_A_FILE}") from None
    for folder in filter(None, folders.split(os.pathsep)):
        if not Path(folder).is_dir() or not os.access(folder, os.R_OK | os.X_OK):
            raise BadInput(f"The folder of {FOLDER} ({folder}) can't be read: name one with certificates, or unset it.")


def explain_tls(problem: BaseException, server: str) -> str:
    """Why no encrypted connection to a server came about, as a line that begins with `server`; "" for other errors."""
    ssl_errors = [cause for cause in _causes(problem) if isinstance(cause, ssl.SSLError) and hasattr(cause, "reason")]
    for ssl_error in ssl_errors:
        if isinstance(ssl_error, ssl.SSLCertVerificationError):
            return _explain_certificate(ssl_error, server)
    for ssl_error in ssl_errors:
        if isinstance(ssl_error, ssl.SSLEOFError | ssl.SSLZeroReturnError | ssl.SSLSyscallError):
            continue
        reason = (ssl_error.reason or "").replace("_", " ").lower()
        if "certificate required" in reason:
            return f"{server} asks for a certificate of yours, which can't be given: use another address."
        if "alert" in reason or ("version" not in reason and "protocol" in reason):
            return f"{server} refuses an encrypted connection ({reason}): check its address and its settings of TLS."
        if any(word in reason for word in ("wrong version", "http request", "packet length", "record", "unexpected")):
            return f"{server} answers https:// without encryption: write http:// in its address, or check the port."
    return ""


def _explain_certificate(problem: ssl.SSLCertVerificationError, server: str) -> str:
    message, code = (
        getattr(problem, "verify_message", ""),
        getattr(problem, "verify_code", 0),
    )  # not where Python made it
    said = f" ({message})" if message else ""
    if code in OTHER_NAMES:
        return f"{server} shows a certificate for another name: write its address with the name that it is for."
    if code in (EXPIRED, NOT_YET):
        when = "has expired" if code == EXPIRED else "is not valid yet"
        return f"{server} shows a certificate that {when}: renew it there, or correct this machine's clock."
    named = f"{FILE} names no certificate that vouches for it" if os.environ.get(FILE) else f"set {FILE}"
    then = f"{named}: it must be a file with the certificate of its issuer, or its own if it signed that itself"
    others = "".join(f"; {name} is for other programs" for name in FOR_OTHERS if os.environ.get(name))
    return f"{server} shows a certificate that nothing here vouches for{said}: {then}{others}."


def _causes(problem: BaseException) -> Iterator[BaseException]:
    """The error, and all that it came from, also as aiohttp keeps it."""
    waiting, seen = [problem], set[int]()
    while waiting and len(seen) < MOST_CAUSES:
        base_exception = waiting.pop(0)
        if id(base_exception) in seen:
            continue
        seen.add(id(base_exception))
        yield base_exception
        kept = (getattr(base_exception, "certificate_error", None), getattr(base_exception, "os_error", None))
        waiting += [
            more
            for more in (base_exception.__cause__, base_exception.__context__, *kept)
            if isinstance(more, BaseException)
        ]
