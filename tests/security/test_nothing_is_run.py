"""Nothing that is read is code: no pickle, no eval, no shell, nothing imported from the folder one stands in."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde._msgpack import SAFE_MSGPACK_TYPES
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

import readgraph as package
from readgraph.features.local_models.servers import local_server
from readgraph.graphs.methods import METHODS, ROWS, WEB_METHODS
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext
from tests.doubles.local_child import put_model_file
from tests.doubles.model_server import ModelServer
from tests.support.public_names import parsed
from tests.support.web_pages import html

HOUSE = Path(package.__path__[0])
BESIDE = HOUSE.parent / "evaluation"

RUN_WHAT_THEY_READ = {
    *("eval", "exec", "compile", "__import__", "execfile", "breakpoint"),
    *("pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "yaml", "jsonpickle", "code"),
    *("os.system", "os.popen", "os.execv", "os.spawnv", "subprocess.getoutput", "subprocess.getstatusoutput"),
    *("tempfile.mktemp", "xml", "pty", "runpy", "ssl._create_unverified_context"),
}
"""Functions and modules that run what they are given, or are known to be unsafe; whole modules count."""

STARTS_PROGRAMS = {
    "features/rlm/sandbox.py",
    "sources/pdf/in_child.py",
    "features/local_models/servers.py",
    "cli/run/library.py",
    "doors/studio/run.py",
}
WORKERS = {"doors/corpus/processes.py"}
"""Files that send objects to workers, which are our own processes, over pipes that nobody else has."""

IMPORTS_BY_NAME = {
    "doors/corpus/on_ray.py": "ray",
    "features/agents/chat.py": "readline",
    "readgraph_evaluation/options.py": "what a shell completes from tables of the evaluation",
    "readgraph_evaluation/datasets/forms.py": "pyarrow",
    "graphs/method_facts.py": "the methods' modules",
    "graphs/loading.py": "the methods' modules",
    "plugins.py": "our own modules that plug in",
    "api/__init__.py": "functions that plug in",
    "graphs/served.py": "the graphs of langgraph.json",
    "nodes/prompts.py": "our prompts",
    "features/survey/table_files.py": "xlsxwriter",
    "features/web/driver.py": "playwright",
    "language/detection.py": "py3langid",
    "state/lazy_names.py": "our own names",
    "state/installed.py": "entry points, and places that the user typed",
    "language/terms.py": "the stemmers of the languages",
    "library/opening.py": "stores that plug in",
    "cli/help.py": "typer, and what it imports",
}
"""Files that import by a name, and what: none of it comes from a text, a library or a model."""


def names_in(tree: ast.AST) -> Iterator[str]:
    """What a module imports, calls and looks up, dotted."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (part for name in node.names for part in (name.name, name.name.partition(".")[0]))
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (node.module.partition(".")[0], *(f"{node.module}.{name.name}" for name in node.names))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id


@cache
def modules() -> dict[str, ast.Module]:
    """Each of our modules by its file."""
    files = {file.relative_to(HOUSE): file for file in HOUSE.rglob("*.py")}
    files |= {file.relative_to(BESIDE): file for file in (BESIDE / "readgraph_evaluation").rglob("*.py")}
    return {name.as_posix(): parsed(file.read_text(encoding="utf-8")) for name, file in files.items()}


@pytest.mark.slow
def test_no_module_runs_what_it_reads() -> None:
    named = {file: {*names_in(tree)} for file, tree in modules().items()}
    assert {file: found for file, names in named.items() if (found := names & RUN_WHAT_THEY_READ)} == {}
    assert {file for file, names in named.items() if "subprocess" in names} == STARTS_PROGRAMS
    assert {file for file, names in named.items() if "multiprocessing" in names} == WORKERS
    importing = {"import_module", "importlib.import_module"}
    assert {file for file, names in named.items() if importing & names} == {*IMPORTS_BY_NAME}


@pytest.mark.slow
def test_no_program_is_started_by_a_shell_and_no_certificate_is_passed_over() -> None:
    for file, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg in ("shell", "resolve_entities", "pickle_fallback"):
                assert isinstance(node.value, ast.Constant) and (node.value.value is False), (file, node.lineno)
            if isinstance(node, ast.keyword) and node.arg == "verify":
                assert ast.unparse(node.value) in ("certificates", "trusted_certificates(PACKAGE)"), (file, node.lineno)
            assert not {"CERT_NONE", "check_hostname", "_create_unverified_context"} & {getattr(node, "attr", "")}, file
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("XMLParser"):
                assert {"resolve_entities"} <= {each.arg for each in node.keywords}, (file, node.lineno)


CONTEXT = ReaderContext(segment_words=60, min_page_words=40, max_page_words=90, children=3)


PLAIN = {("langgraph.types", "Overwrite")}
"""What LangGraph keeps as an object: its own mark of a channel that is set anew, which its strict list allows."""


def objects_in(saver: InMemorySaver) -> set[tuple[str, str]]:
    """The module and name of each object that a checkpointer keeps; plain data are none."""

    def seen(code: int, data: bytes) -> None:
        module, name, *_ = ormsgpack.unpackb(data, ext_hook=seen, option=ormsgpack.OPT_NON_STR_KEYS)
        objects.add((module, name))

    objects = set[tuple[str, str]]()
    kept = [
        *saver.blobs.values(),
        *(each for _, each, *_ in (write[1:] for writes in saver.writes.values() for write in writes.values())),
    ]
    for spaces in saver.storage.values():
        kept += [part for space in spaces.values() for checkpoint in space.values() for part in checkpoint[:2]]
    assert len(kept) > 5
    for kind, data in kept:
        assert kind in ("msgpack", "null", "empty", "bytes"), kind
        if kind == "msgpack":
            ormsgpack.unpackb(data, ext_hook=seen, option=ormsgpack.OPT_NON_STR_KEYS)
    return objects


EVERY = {**METHODS, ROWS["summary"].name: ROWS["summary"], **WEB_METHODS}
QUICK = "bm25"


@pytest.mark.parametrize(
    "method", [pytest.param(name, marks=[pytest.mark.slow] if name != QUICK else []) for name in EVERY]
)
async def test_checkpoints_of_each_method_are_plain_data_with_anybody_s_checkpointer(
    library: Library, server: ModelServer, story: str, method: str
) -> None:
    context = replace(CONTEXT, embeddings="openai:double-embeddings") if EVERY[method].needs_embeddings else CONTEXT
    saver = InMemorySaver(serde=JsonPlusSerializer(pickle_fallback=False))
    graph = EVERY[method].build().compile(checkpointer=saver, store=library.store)
    given: Any = {"text": html("shop") if method in WEB_METHODS else story[:900]}
    if method != ROWS["summary"].name:
        given["question"] = "Who took the log book?"
    await graph.ainvoke(given, {"configurable": {"thread_id": "1"}}, context=context)
    assert objects_in(saver) <= PLAIN <= SAFE_MSGPACK_TYPES


@pytest.mark.slow
def test_nothing_is_imported_from_the_current_folder(
    local_double: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    for name in ("json", "starlette", "uvicorn", "readgraph", "signal", "sitecustomize"):
        (stranger / f"{name}.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'w')")
    monkeypatch.chdir(stranger)
    running = local_server(f"local:{put_model_file(tmp_path)}")
    assert running.process.poll() is None and not (tmp_path / "mark").exists()
    assert str(stranger) not in sys.path
