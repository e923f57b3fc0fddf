"""A temporary PostgreSQL server in a folder, reached only by a Unix socket."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


def programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`: on the path, else Debian's; None if they are not installed."""
    found = shutil.which("initdb")
    places = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return next((place for place in reversed(places) if (place / "initdb").exists()), None)


@contextmanager
def postgres() -> Iterator[str]:
    """Run a server; yields its connection string. The folder is a new one, because a socket's path must be short."""
    where = programs()
    assert where
    # The server refuses to run as root.
    user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.geteuid() == 0 else []
    with TemporaryDirectory(prefix="pg-") as folder:
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
