"""The public names: modules and their `__all__`, where each name is defined, and what pages and examples import."""

import ast
import gc
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import TypeGuard

from readgraph.plugins import plugged_in

ROOT = Path(__file__).parents[2]
HOUSES = {"readgraph": ROOT / "readgraph", "readgraph_evaluation": ROOT / "evaluation" / "readgraph_evaluation"}
"""Our packages, with their folders."""

TABLE = re.compile(r"^<!-- public names of ([^>]+) -->\n(?:\n(?:\|.*\n)+)?", re.MULTILINE)
PYTHON = re.compile(r"^```py(?:thon)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`(readgraph(?:_evaluation)?(?:\.\w+)+)`")

IN_ONE_ROW = {"readgraph.nodes.contracts", "readgraph.features.agents.memory", "readgraph.features.agents.store"}
"""Modules whose names stand on the page in one row, as a graph's do, with what the module says of them."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign


@dataclass(frozen=True)
class Defined:
    """A name where it is defined; `doc` is the text that follows an assignment, or the docstring."""

    node: Definition
    doc: str


def file_of(module: str) -> Path | None:
    """The file of a module of ours."""
    package, *inside = module.split(".")
    if package not in HOUSES:
        return None
    path = HOUSES[package].joinpath(*inside)
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.exists()), None)


def parsed(code: str) -> ast.Module:
    """The tree of some code. While it is made no garbage is collected, since other code may run meanwhile.

    Python 3.11 counts the depth of all trees in one variable: it fails where that code parses something, too.
    """
    paused = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(code)
    finally:
        if paused:
            gc.enable()


@cache
def tree_of(module: str) -> ast.Module:
    """The code of a module."""
    file = file_of(module)
    assert file, f"{module} is no module"
    return parsed(file.read_text(encoding="utf-8"))


def modules() -> Iterator[str]:
    """All modules of ours."""
    for package, house in HOUSES.items():
        for file in sorted(house.rglob("*.py")):
            yield ".".join((package, *file.relative_to(house).with_suffix("").parts)).removesuffix(".__init__")


def homes(patterns: str) -> list[str]:
    """The modules that a page names, in its order; `a.*` stands for those in `a` that have public names."""
    found: list[str] = []
    for pattern in re.split(r",\s*", patterns.strip()):
        known = modules() if "*" in pattern else [pattern]
        found += [home for home in known if fnmatchcase(home, pattern) and (home == pattern or public_in(home))]
    return found


def public_in(home: str) -> tuple[str, ...]:
    """A module's `__all__`; of `readgraph.api` also the functions of our features."""
    plugged = plugged_in("functions") if home == "readgraph.api" else ()
    return listed_in(home) + tuple(name for package, (name, _) in plugged if not package)


@cache
def listed_in(home: str) -> tuple[str, ...]:
    """A module's `__all__`, as it is written."""
    file = file_of(home)
    if not file or "\n__all__ = " not in file.read_text(encoding="utf-8"):  # most have none, and needn't be parsed
        return ()
    for node in tree_of(home).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return tuple(ast.literal_eval(node.value))
    return ()


def defined(home: str, name: str) -> Defined | None:
    """Where a public name is defined, through the modules that hand it on; None where there is no such name."""
    tree = tree_of(home)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if name == (alias.asname or alias.name) and file_of(node.module):
                    return defined(node.module, alias.name)
                if alias.name == "*" and (found := defined(node.module, name)):
                    return found
    checked = [each for node in tree.body if is_for_checkers(node) for each in node.body]
    body = [*checked, *tree.body]
    for node, after in reversed([*zip(body, [*body[1:], None], strict=True)]):  # after its overloads
        if isinstance(node, ast.Assign | ast.AnnAssign) and name in targets(node):
            return Defined(node, text_of(after))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name:
            return Defined(node, ast.get_docstring(node) or "")
    return None


def is_for_checkers(node: ast.stmt) -> TypeGuard[ast.If]:
    """Whether it is what type checkers see instead of what is made when the module is imported."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def functions_of(home: str, name: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The function of a public name, or those in its class."""
    found = defined(home, name)
    for node in ast.walk(found.node) if found and isinstance(found.node, ast.ClassDef) else [found and found.node]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def targets(node: ast.Assign | ast.AnnAssign) -> list[str]:
    """The names that an assignment gives."""
    given = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [each.id for target in given for each in ast.walk(target) if isinstance(each, ast.Name)]


def text_of(node: ast.stmt | None) -> str:
    """The text that a statement is alone, such as the one below an assignment."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return node.value.value
    return ""


def line_of(home: str, name: str) -> str:
    """What a name is, in its first sentence; "" where nothing says so."""
    found = defined(home, name)
    doc = found.doc if found else ""
    if not doc and found and isinstance(found.node, ast.Assign | ast.AnnAssign):  # a node says what its coroutine does
        value = getattr(import_module(home), name)
        doc = (getdoc(value) or "") if getdoc(value) != getdoc(type(value)) else ""
    paragraph = " ".join(doc.strip().partition("\n\n")[0].split())
    return re.split(r"(?<=\.) (?=[A-Z`])", paragraph)[0]


def untyped(node: Definition) -> list[str]:
    """What has no type: parameters and returns of a function, or of a class's public methods."""
    if isinstance(node, ast.ClassDef):
        return [
            f"{node.name}.{each}"
            for part in node.body
            if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
            and (part.name == "__init__" or not part.name.startswith("_"))
            for each in untyped(part)
        ]
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return []  # their types follow from their values, which mypy checks
    taken = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    taken += filter(None, [node.args.vararg, node.args.kwarg])
    wanting = [each.arg for each in taken if not each.annotation and each.arg not in ("self", "cls")]
    return [f"{node.name}: {each}" for each in [*wanting, *([] if node.returns else ["return"])]]


def table_of(found: list[str]) -> str:
    """The table of the public names of these modules."""
    rows = ["| name | from | what it is |", "|---|---|---|"]
    for home in found:
        names = sorted(public_in(home), key=str.casefold)
        lines = {name: short(line_of(home, name)).replace("|", "\\|") for name in names}
        if "build" in lines or home in IN_ONE_ROW:
            lines = {"`, `".join(lines): short((ast.get_docstring(tree_of(home)) or "").partition("\n")[0], ";")}
        rows += [f"| `{name}` | `{home}` | {line} |" for name, line in lines.items()]
    return "".join(f"{row}\n" for row in rows)


def short(line: str, ends: str = ":;") -> str:
    """A line up to its first colon or semicolon, without what stands in brackets."""
    said = re.match(rf'(?:"[^"]*"|[^"])*?(?=[{ends}] |\.?$)', re.sub(r" \([^)]*\)", "", line))
    return f"{said[0]}." if said else line


def code_of(path: Path) -> list[str]:
    """The Python that a page, a notebook or an example shows."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        return ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return PYTHON.findall(text) if path.suffix == ".md" else [text]


def names_used(path: Path) -> set[str]:
    """What of ours a page's, notebook's or example's code uses: `module.name`, and modules that it imports whole."""
    trees, whole, used = [parsed(code) for code in code_of(path)], dict[str, str](), set[str]()
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.Import):
            whole |= {alias.asname or alias.name: alias.name for alias in node.names if is_ours(alias.name)}
        elif isinstance(node, ast.ImportFrom) and node.module and is_ours(node.module):
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                if file_of(name):
                    whole[alias.asname or alias.name] = name
                else:
                    used.add(name)
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.Attribute) and (module := whole.get(ast.unparse(node.value))):
            used.add(f"{module}.{node.attr}")
    return used | set(whole.values())


def is_ours(module: str) -> bool:
    """Whether a module is the package or in it."""
    return module.partition(".")[0] in HOUSES
