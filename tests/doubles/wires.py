"""What may stand between a client and a server on the loopback interface: proxies, encryption, a server that moved."""

import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.doubles.loopback import loopback_listener

Handler = Callable[[socket.socket], None]


class Wire:
    """Listens on a port of its own; `handle` is given each connection, in a thread. `heads`: of requests, as text."""

    def __init__(self, handle: Handler | None = None) -> None:
        self.heads: list[str] = []
        self._connections: list[socket.socket] = []
        self.handle = handle or self.answer

    def answer(self, connection: socket.socket) -> None:
        """What is done with a connection."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        self.listener = loopback_listener(0)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=self._serve, args=self.listener.accept()[:1], daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        self._connections.append(connection)
        with suppress(OSError), connection:
            self.handle(connection)

    def end_connections(self) -> None:
        """End all connections that are open."""
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def read_head(self, connection: socket.socket) -> tuple[str, bytes]:
        """The head of a request, and what has come of its body."""
        read = b""
        while b"\r\n\r\n" not in read:
            more = connection.recv(65_536)
            if not more:
                raise OSError("closed")
            read += more
        head, _, body = read.partition(b"\r\n\r\n")
        self.heads.append(head.decode())
        return self.heads[-1], body


def respond(connection: socket.socket, status: str, *headers: str, body: str = "") -> None:
    """Send a whole response, and end the connection when the client has read it."""
    lines = [f"HTTP/1.1 {status}", f"content-length: {len(body.encode())}", "connection: close", *headers]
    connection.sendall(("\r\n".join(lines) + "\r\n\r\n" + body).encode())
    connection.shutdown(socket.SHUT_WR)
    while connection.recv(65_536):
        pass


def join(one: socket.socket, other: socket.socket) -> None:
    """Pass on all that comes, in both directions, until one side ends."""

    def pass_on(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    back = threading.Thread(target=pass_on, args=(other, one), daemon=True)
    back.start()
    pass_on(one, other)
    back.join()


class Proxy(Wire):
    """A proxy that leads every host to one port of this machine, or answers with `refusal`: a status and a page."""

    def __init__(self, port: int, refusal: str = "", page: str = "") -> None:
        super().__init__()
        self.target, self.refusal, self.page = port, refusal, page

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def answer(self, connection: socket.socket) -> None:
        """Answer as proxies do, with a tunnel or the whole request."""
        head, body = self.read_head(connection)
        if self.refusal:
            return respond(connection, self.refusal, "content-type: text/html", body=self.page)
        method, target, rest = head.split(" ", 2)
        with socket.create_connection(("127.0.0.1", self.target)) as server:
            if method == "CONNECT":
                connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                path = "/" + target.split("/", 3)[3]
                server.sendall(f"{method} {path} {rest}\r\n\r\n".encode() + body)
            join(connection, server)
        return None


class Certificate:
    """A certificate for these names, signed by itself; by default good for a day from now."""

    def __init__(self, folder: Path, *names: str, days: tuple[int, int] = (-1, 1)) -> None:
        key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.UTC)
        named = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
        made = x509.CertificateBuilder(named, named, key.public_key(), x509.random_serial_number())
        made = made.not_valid_before(now + datetime.timedelta(days[0])).not_valid_after(
            now + datetime.timedelta(days[1])
        )
        made = made.add_extension(x509.SubjectAlternativeName([*map(_name, names)]), critical=False)
        made = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        self.file = folder / f"{names[0]}.pem"
        pem = serialization.Encoding.PEM
        private = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        shown = made.sign(key, hashes.SHA256()).public_bytes(pem)
        self.file.write_bytes(shown)
        self._with_key = folder / f"{names[0]}.key.pem"
        self._with_key.write_bytes(shown + key.private_bytes(pem, *private))

    def front(self, port: int) -> Wire:
        """Encryption before a server on this port."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._with_key)

        def serve(connection: socket.socket) -> None:
            secure = context.wrap_socket(connection, server_side=True)
            with secure, socket.create_connection(("127.0.0.1", port)) as server:
                join(secure, server)

        return Wire(serve)


def _name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
