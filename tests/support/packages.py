"""Packages as they stand in an environment once they are installed, which plug into readgraph."""

from pathlib import Path


def install(folder: Path, name: str, **modules: str) -> None:
    """A package: its modules, of which `NAME_plugin` has the hooks."""
    (described := folder / f"{name}-1.0.dist-info").mkdir(parents=True)
    (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text(f"[readgraph]\n{name} = {name}_plugin\n")
    for module, code in modules.items():
        (folder / f"{module}.py").write_text(code, encoding="utf-8")
