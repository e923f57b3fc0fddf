"""Fixtures: a model double, a library, a text to read."""

import gc
import logging
import os
import shutil
import signal
import ssl
import sys
import time
from collections.abc import AsyncIterator, Iterator
from functools import cache
from pathlib import Path

import hypothesis
import pytest
import typer.main

if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):  # this and each process that a test starts would compile all imports
    sys.dont_write_bytecode = False
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(Path(__file__).parent / ".pytest_cache/compiled")

os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"  # LangGraph looks at it once, where it is imported

from langgraph.checkpoint.serde import _msgpack

from readgraph import plugins
from readgraph.cli.main import run
from readgraph.features.local_models import files as model_file
from readgraph.features.local_models import servers as server_of_local
from readgraph.graphs.method import Method
from readgraph.library.opening import Library, open_library
from readgraph.models.waiting import use_clock
from readgraph.sources.pdf import pdf_text
from tests.doubles.hurried import Hurried
from tests.doubles.local_child import put_model_file
from tests.doubles.model_server import ModelServer
from tests.doubles.reader import reader
from tests.support.browser import Browser, browser
from tests.support.command import Command, Ran
from tests.support.examples import STORY, WHOLE_STORY
from tests.support.postgres_server import ON_SERVER, PostgresServer
from tests.support.types_looked_up import look_up_once

# No deadline, since what is loaded at the first use takes time. Most faults show in few examples; `.ci/run` has more.
EXAMPLES = int(os.environ.get("READGRAPH_EXAMPLES", "25"))
hypothesis.settings.register_profile("readgraph", deadline=None, max_examples=EXAMPLES)
hypothesis.settings.load_profile("readgraph")

NO_TIME_AFTER = float(os.environ.get("READGRAPH_TESTS_END", "inf"))  # seconds since 1970; `.ci/run` is ended by then

assert _msgpack.STRICT_MSGPACK_ENABLED, "LangGraph was imported before its setting was made"

MEMORY_DISK = Path("/dev/shm")
if os.access(MEMORY_DISK, os.W_OK) and shutil.disk_usage(MEMORY_DISK).free > 4_000_000_000:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY_DISK))  # each commit to a real disk is waited for


LONG_TESTS = {*(Path(__file__).parent / "tests/long_tests.txt").read_text(encoding="utf-8").splitlines()}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow what `.ci/long_tests.py` found to be long, and to reach nothing that others don't reach."""
    for item in items:
        if not LONG_TESTS.isdisjoint((item.nodeid, item.nodeid.partition("[")[0])):
            item.add_marker("slow")


def pytest_collection_finish() -> None:
    """What is imported stays, and need not be gone through again whenever garbage is collected, which is seldom."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def pytest_runtest_setup() -> None:
    """A test for which there is no time left is skipped, and says so: else nothing would be known of all others."""
    if time.time() > NO_TIME_AFTER:
        pytest.skip("no time was left for it")


@pytest.fixture(scope="session", autouse=True)
def what_is_the_same_for_every_test() -> Iterator[None]:
    """Make the command's options and each method's graph once, and no certificates, which clients load from the system.

    Without certificates, no server beyond loopback is trusted either.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ssl.SSLContext, "load_verify_locations", lambda *_, **__: None)
        patched.setattr("typer.main.get_command", cache(typer.main.get_command))
        patched.setattr(Method, "build", cache(Method.build))
        look_up_once(patched)
        yield


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide keys, models, libraries, tracing, proxies and certificates of the person who runs the tests."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "READGRAPH_MODEL", "LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
        monkeypatch.delenv(name, raising=False)
    for name in [*os.environ]:
        if name.lower().endswith("_proxy") or name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("READGRAPH_LIBRARY", str(tmp_path / "library"))
    monkeypatch.setenv("READGRAPH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("READGRAPH_SETTINGS", str(tmp_path / "settings.toml"))


@pytest.fixture(autouse=True)
def logger_as_it_was() -> Iterator[None]:
    """A handler that a test adds to the package's logger is gone after it."""
    logger = logging.getLogger("readgraph")
    handlers, level = [*logger.handlers], logger.level
    yield
    logger.handlers[:] = handlers
    logger.setLevel(level)


@pytest.fixture(autouse=True)
def plugin_faults_as_they_were() -> Iterator[None]:
    """What a test notes of packages that it makes up: the next `doctor` in this process must not find it."""
    _, faults = plugins._plugins()
    before = dict(faults)
    yield
    faults.clear()
    faults.update(before)


@pytest.fixture(autouse=True)
def hurried() -> Iterator[Hurried]:
    """Tries follow each other without waiting."""
    clock = Hurried()
    with use_clock(clock):
        yield clock


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A model double that serves the model "openai:double"."""
    with ModelServer(reader) as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")
        yield running


@pytest.fixture
def pdfium_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """PDFs are read in this process, where tests can replace parts and a child would take their time."""
    monkeypatch.setattr(pdf_text, "convert", pdf_text.convert_here)


@pytest.fixture
def local_double(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The file of a local model, whose child process is a double; it also replaces the packaged model."""
    path = put_model_file(tmp_path)
    package = tmp_path / "packages" / model_file.PACKAGE
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / model_file.PACKAGED_FILE).symlink_to(path)
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.setattr(server_of_local, "CHILD", "tests.doubles.local_child")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)
    monkeypatch.setattr(model_file, "RUN_BY", "json")
    yield path
    server_of_local.end_local_models()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests of modules that say so (`ON_SERVER_TOO = True`) over a library on a server too."""
    if getattr(metafunc.module, "ON_SERVER_TOO", False) and "where" in metafunc.fixturenames:
        metafunc.parametrize("where", ["folder", pytest.param("server", marks=ON_SERVER)], indirect=True)


@pytest.fixture
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The place of a new library: a folder, or the address of a database."""
    on_server = getattr(request, "param", "folder") == "server"
    return request.getfixturevalue("database") if on_server else str(tmp_path / "library")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL server, which gives each test a database of its own."""
    with PostgresServer.started() as server:
        yield server


@pytest.fixture
def database(postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a new database, in which a library was opened before; the command uses it."""
    with postgres_server.database() as address:
        monkeypatch.setenv("READGRAPH_LIBRARY", address)
        yield address


@pytest.fixture(scope="session")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A real browser."""
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
async def library(where: str) -> AsyncIterator[Library]:
    """An empty library."""
    async with open_library(where) as opened:
        yield opened


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """The folder of an evaluation; it does not exist yet."""
    return tmp_path / "out"


@pytest.fixture(scope="session")
def story() -> str:
    """The beginning of the example story: 4,615 words."""
    return STORY.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def whole_story() -> str:
    """The example story, for what needs many pages: 13,695 words."""
    return WHOLE_STORY.read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def stop_signals() -> None:
    """Ctrl-C has its usual effect in each test, also after a command that was stopped."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


@pytest.fixture
def readgraph(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command, run in this process."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys.modules["__main__"], "__package__", None)  # else help names "python -m pytest"

    def command(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["readgraph", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            run()
        return Ran(int(ended.value.code or 0), *capsys.readouterr())

    return command
