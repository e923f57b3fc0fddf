"""A temporary PostgreSQL server in a folder, reached only by a Unix socket."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Self

import pytest

TEMPLATE = "template_of_tests"


def programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`: on the path, else Debian's; None if they are not installed."""
    found = shutil.which("initdb")
    places = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return next((place for place in reversed(places) if (place / "initdb").exists()), None)


@contextmanager
def postgres() -> Iterator[str]:
    """Run a server; yields its connection string. The folder is a new one, because a socket's path must be short.

    It is no `TemporaryDirectory`, which a forked child that ends in order would delete too.
    """
    where = programs()
    assert where
    # The server refuses to run as root.
    user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.geteuid() == 0 else []
    folder = mkdtemp(prefix="pg-")
    try:
        if user:
            shutil.chown(folder, "nobody", "nogroup")

        def run(program: str, *arguments: str) -> None:
            command = [*user, str(where / program), "--pgdata", f"{folder}/data", *arguments]
            subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)

        run("initdb", "--username=reader", "--auth=trust", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        run("pg_ctl", "start", "--wait", f"--options={options}", f"--log={folder}/log")
        try:
            yield f"postgresql:///postgres?host={folder}&user=reader"
        finally:
            run("pg_ctl", "stop", "--wait", "--mode=immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


ON_SERVER = [
    pytest.mark.postgres,
    pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed (Debian: apt install postgresql)"),
]
"""The marks of a test that needs a server."""


@dataclass
class PostgresServer:
    """A running server; `address` is that of its first database."""

    address: str
    numbers: Iterator[int] = field(default_factory=count)

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[Self]:
        """Run a server until the end of the `with`."""
        with postgres() as address:
            server = cls(address)
            server.run(f"CREATE DATABASE {TEMPLATE}")
            from readgraph.library.opening import open_library_in_background

            with open_library_in_background(server.named(TEMPLATE)):
                pass  # its tables are made once
            yield server

    @contextmanager
    def database(self) -> Iterator[str]:
        """A database of its own, with the tables of a library; it is dropped at the end."""
        name = f"test_{next(self.numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
        try:
            yield self.named(name)
        finally:
            self.run(f"DROP DATABASE {name} WITH (FORCE)")

    def named(self, database: str) -> str:
        """The address of a database."""
        return self.address.replace(":///postgres?", f":///{database}?")

    def run(self, statement: str) -> None:
        """Run a statement in the first database."""
        import psycopg

        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(statement.encode())
