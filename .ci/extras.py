"""Tries the command with the core alone, and with each extra or package of ours: it works, or says what it needs.

`PYTHONPATH=. python .ci/extras.py FOLDER` makes the environments in the folder with uv, two at a time, and runs in each
the lines of `tests/support/every_command.py` and of `MORE` that need the extra, or all where it may change any, over a
model double. `--here` is what it runs in them: the lines of standard input, each in a process forked from one that has
imported the packages of the core.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from socket import socket
from threading import Timer

LEFT_OUT = {
    "dev": "all that tests need, in which they run",
    "docs": "of the pages, which have a section of their own",
    "local": "consists of meaning and local-model",
    "local-model": "needs the model itself too, and has a section of its own",
    "ray": "very large, and has a section of its own",
}
"""Extras without an environment; that their commands name them is seen in the others."""

PACKAGES = {"evaluation": "readgraph-evaluation"}
"""Packages of ours beside the core, by their folders: each has an environment, as extras have."""

CHANGE_NO_LINE = ("deepagents", "notebooks", "scans")
"""Extras that no line below uses: for programs, notebooks, and files that are pictures."""

NOWHERE = "postgresql://u@127.0.0.1:9/none"
MORE = (
    "ask Who? {text} --method rlm {model}",
    "compare Who? {text} --methods rlm,bm25 {model}",
    "ask Who? {text} --prompts {tmp}/prompts {model}",
    "table {text} names --out {tmp}/table.xlsx {model}",
    "table {text} names --out {tmp}/table.md {model}",
    "ask Who? {text} --model local",
    "ask Who? {text} --method dense --embeddings local {model}",
    "corpus {folder} --on ray --library {tmp}/on-ray {model}",
    f"show --library {NOWHERE}",
    "evaluate {own} --methods all --judge openai:double --out {tmp}/all {model}",
    "evaluate {own} --methods rlm --out {tmp}/rlm {model}",
    "evaluate --out {tmp}/out --inspect {tmp}/logs",
    "evaluate --diff {tmp}/out {tmp}/all",
    "mcp --http --port 0",
)
NEEDED = (
    (r"^(evaluate|reproduce|board|trajectories)\b", "evaluation"),
    (r"^(browse)\b", "web"),
    (r"^(ask|evaluate) .*--methods? rlm\b", "rlm"),
    (r"\.xlsx\b", "tables"),
    (r"--model local\b", "local-model"),
    (r"--embeddings local\b", "meaning"),
    (r"--on ray\b", "ray"),
    (rf"{NOWHERE}", "postgres"),
    (r"^(serve|mcp|studio)\b", r"\1"),
)
"""What a line needs besides the core, an extra or a package of ours, by what stands in it."""
ELSEWHERE = ("web", "postgres")  # what lines with these need besides, a browser's page and a server, is not there
SERVERS = ("serve", "mcp", "studio")  # commands that end with Ctrl-C, or with their input
FOLLOWING = ("trajectories", "evaluate --diff")  # lines that only show what an evaluation wrote
DOORS = """
import sys
from importlib import import_module
for module in sys.argv[1:]:
    home = import_module(module)
    for name in getattr(home, "__all__", ()):
        getattr(home, name)
from readgraph.doors.middleware import LibraryBackend
from readgraph.state.errors import BadInput
from langgraph.store.memory import InMemoryStore
try:
    LibraryBackend(InMemoryStore())
except BadInput as problem:
    print(f"readgraph: {problem}", file=sys.stderr)
    sys.exit(2)
"""
"""Imports every public name, and opens the one door of Python that needs an extra before it is given a model."""

GREETING = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "extras", "version": "1"}}
GREETS = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": GREETING})
SECONDS = 60


def needed_by(line: str) -> set[str]:
    """The extras that a command line needs."""
    return {found.expand(extra) for pattern, extra in NEEDED if (found := re.search(pattern, line))}


def lines_for(extra: str) -> list[str]:
    """The lines to try with an extra: a first one and those that need it, or all where it may change any line."""
    from tests.support.every_command import LINES

    lines = [*LINES, *MORE]
    needing = [line for line in lines if extra in needed_by(line)]
    changes_any = extra == "meaning" or not (needing or extra in CHANGE_NO_LINE)
    return lines if changes_any else [lines[0], *needing]


def fault_of(line: str, needs: set[str], has: set[str], code: int, err: str) -> str:
    """What is wrong with how a line ended; "" where it worked, or named an extra that it needs."""
    if "Traceback" in err:
        return "a traceback"
    if lacking := needs - has:
        told = [each for each in err.splitlines() if each.startswith("readgraph: ")]
        named = len(told) == 1 and any(PACKAGES.get(extra, f"readgraph[{extra}]") in told[0] for extra in lacking)
        return "" if named and code == 2 else f"it needs {' and '.join(sorted(lacking))}, and does not say so"
    if code == (2 if needs & {*ELSEWHERE} else 0) and "pip install" not in err:
        return ""
    return f"exit code {code}"


def run_here() -> None:
    """Run each line of standard input, a JSON list of arguments; print its exit code and what it said of faults."""
    for module in ("readgraph.api", "readgraph.cli.run.ask", "langchain_openai"):
        import_module(module)
    run = import_module("readgraph.cli.main").run
    for number, line in enumerate(sys.stdin):
        files = Path("said.txt"), Path(f"{number}.out"), Path(f"{number}.err")
        if (child := os.fork()) == 0:
            signal.alarm(SECONDS)
            for old, file in enumerate(files):
                os.dup2(os.open(file, os.O_CREAT | os.O_WRONLY if old else os.O_RDONLY), old)
            sys.argv = ["readgraph", *json.loads(line)]
            sys.exit(run())
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(json.dumps([code, files[2].read_text(encoding="utf-8")]), flush=True)  # noqa: T201


def link_new(source: str, target: str) -> None:
    """Link a file, unless there is one."""
    if not os.path.lexists(target):
        os.link(source, target)


class Environment:
    """An environment with one extra ("": the core alone), its files, and the faults that were found in it.

    `core`: the environment whose packages are linked into it, so that they are not compiled once more.
    """

    def __init__(self, folder: Path, extra: str, server: str, core: Path | None) -> None:
        self.folder, self.has, self.name = folder, {extra} - {""}, extra or "the core"
        self.bin = folder / "venv" / "bin"
        self.faults = list[str]()
        folder.mkdir(parents=True)
        (folder / "said.txt").write_text("Hello.\n", encoding="utf-8")
        subprocess.run(["uv", "--quiet", "venv", "--python", sys.executable, folder / "venv"], check=True)
        if core:
            lib = "venv/lib"
            shutil.copytree(core / lib, folder / lib, symlinks=True, copy_function=link_new, dirs_exist_ok=True)
        install = ["uv", "--quiet", "pip", "install", "--reinstall-package", "readgraph"]
        install += ["--python", self.bin / "python", "-e"]
        wanted = [".", "-e", f"./{extra}"] if extra in PACKAGES else [f".[{extra}]" if extra else "."]
        subprocess.run([*install, *wanted], check=True)
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        model = {"OPENAI_BASE_URL": server, "OPENAI_API_KEY": "none"}
        self.variables = {**kept, **model, "HOME": str(folder), "READGRAPH_LIBRARY": f"{folder}/library"}
        self.start = partial(subprocess.Popen, cwd=folder, env=self.variables, encoding="utf-8", stdin=subprocess.PIPE)

    def note(self, what: str, fault: str, said: str) -> None:
        """Note a fault, if there is one."""
        if fault:
            self.faults.append(f"{self.name}: {what}: {fault}\n{said.strip()}")

    def try_lines(self, lines: dict[str, list[str]]) -> None:
        """Run these lines, whose arguments are given, one after the other."""
        here = [self.bin / "python", Path(__file__).resolve(), "--here"]
        with self.start(here, stdout=subprocess.PIPE) as running:
            said, _ = running.communicate("\n".join(map(json.dumps, lines.values())))
        for line, (code, err) in zip(lines, map(json.loads, said.splitlines()), strict=True):
            self.note(line, fault_of(line, needed_by(line), self.has, code, err), err)

    def try_server(self, line: str, arguments: list[str]) -> None:
        """Start a server, wait until it names its address or greets its client, and end it as a user does."""
        to = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        with self.start([self.bin / "readgraph", *arguments], **to) as running:
            late = Timer(SECONDS, running.kill)
            late.start()
            over_input = line.startswith("mcp") and "--http" not in line
            if over_input:
                running.stdin.write(f"{GREETS}\n")
                running.stdin.flush()
            said = ""
            for each in running.stdout:
                said += each
                if '"serverInfo"' in each or "Press Ctrl-C" in each:
                    break
            else:
                self.note(line, "it ended by itself", said)
            running.send_signal(signal.SIGINT) if not over_input else running.stdin.close()
            rest = running.stdout.read()
            late.cancel()
        # With 130 one ends that is stopped before it serves, while its packages are imported.
        code = 0 if running.returncode == 130 and not over_input else running.returncode
        self.note(line, fault_of(line, needed_by(line), self.has, code, said + rest), said + rest)

    def try_doors(self, modules: list[str]) -> None:
        """Import every public name, and open what programs open."""
        with self.start([self.bin / "python", "-c", DOORS, *modules], stderr=subprocess.PIPE) as running:
            _, err = running.communicate()
        self.note("the public names", fault_of("", {"deepagents"}, self.has, running.returncode, err), err)


def try_extra(work: Path, server: str, modules: list[str], extra: str, core: Path | None = None) -> list[str]:
    """Make the environment, and try everything in it; returns the faults."""
    from tests.support.every_command import files_in

    made = Environment(work / (extra or "core"), extra, server, core)
    places, named = files_in(made.folder), ["--model", "openai:double"]
    given = dict[str, list[str]]()
    for line in lines_for(extra):
        parts = [named if part == "{model}" else [part.format(**places, name=named[1])] for part in line.split()]
        if needed_by(line) <= made.has or not line.startswith(FOLLOWING):
            given[line] = [each for part in parts for each in part]
    serving = [line for line in given if line.startswith(SERVERS) and needed_by(line) <= made.has]
    made.try_lines({line: arguments for line, arguments in given.items() if line not in serving})
    for line in serving:
        with socket() as free:  # another program may have the usual one
            free.bind(("127.0.0.1", 0))
            port = ["--port", str(free.getsockname()[1])] if line.startswith("studio") else []
        made.try_server(line, [*given[line], *port])
    made.try_doors(
        [each for each in modules if "evaluation" in made.has or not each.startswith("readgraph_evaluation")]
    )
    return made.faults


def main(work: Path) -> None:
    """Try the core, each extra of pyproject.toml and each package beside; exits with 1 where anything was wrong."""
    from tests.doubles.model_server import ModelServer
    from tests.support.every_command import any_reply

    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored, also by children
    from tests.support.public_names import modules, public_in

    homes = [home for home in modules() if public_in(home)]
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = ["", *(extra for extra in project["optional-dependencies"] if extra not in LEFT_OUT), *PACKAGES]
    for extra, reason in LEFT_OUT.items():
        print(f"without an environment: {extra}: {reason}")  # noqa: T201
    with ModelServer(any_reply) as server, ThreadPoolExecutor(2) as pool:
        begin = partial(pool.submit, try_extra, work, server.url, homes)
        begun = [begin(""), begin("meaning")]  # which take longest
        begun[0].result()
        others = [extra for extra in extras if extra not in ("", "meaning")]
        found = [each.result() for each in [*begun, *(begin(extra, work / "core") for extra in others)]]
    print(f"the core alone, and with each of {', '.join(extras[1:])}: {sum(map(len, found))} faults")  # noqa: T201
    sys.exit("\n\n".join(fault for faults in found for fault in faults) or None)


if __name__ == "__main__":
    run_here() if sys.argv[1:] == ["--here"] else main(Path(sys.argv[1]).resolve())
