"""Prints which versions of readgraph's dependencies an environment has; run with that environment's Python."""

from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

OURS = ("readgraph", "readgraph-evaluation")


def _requires(package: str) -> list[str]:
    """What a package of ours needs; nothing where it is not installed."""
    try:
        return requires(package) or []
    except PackageNotFoundError:
        return []


def installed() -> str:
    """The dependencies that are installed, each with its version."""
    found = []
    needed = [Requirement(each).name for package in OURS for each in _requires(package)]
    for name in sorted({*needed} - {*OURS}):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:  # of an extra that this environment does without
            continue
    return ", ".join(found)


if __name__ == "__main__":
    print(installed())  # noqa: T201
