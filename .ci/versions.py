"""Prints which versions of readgraph's dependencies an environment has; run with that environment's Python."""

from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement


def installed() -> str:
    """The dependencies that are installed, each with its version."""
    found = []
    for name in sorted({Requirement(each).name for each in requires("readgraph") or ()} - {"readgraph"}):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:  # of an extra that this environment does without
            continue
    return ", ".join(found)


if __name__ == "__main__":
    print(installed())  # noqa: T201
