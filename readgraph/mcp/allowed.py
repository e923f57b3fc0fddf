"""The files that clients of the server may have read: those in folders that the user named."""

from collections.abc import Sequence
from pathlib import Path

from readgraph.sources.loading import shown
from readgraph.state.errors import BadInput


def allowed_folders(named: Sequence[Path]) -> tuple[Path, ...]:
    """The folders whose files may be read, with links followed; without any named, the working folder.

    A working folder that holds the whole disk counts only where it is named: desktop programs start servers there.
    Raises `BadInput` for what is no folder.
    """
    if not named:
        here = Path.cwd()
        return () if here == Path(here.anchor) else (here,)
    if missing := next((folder for folder in named if not folder.is_dir()), None):
        raise BadInput(f"There is no folder {shown(missing)}: name one whose files may be read.")
    return tuple(folder.resolve() for folder in named)


def allowed_file(name: str, folders: Sequence[Path]) -> Path:
    """The file of this name, with links followed; a relative name is looked for in each folder.

    Raises `BadInput` where it stands in none of the folders. What stands elsewhere counts as missing, so that nobody
    learns what there is.
    """
    for folder in folders:
        try:
            file = (folder / name).resolve(strict=True)
        except (OSError, ValueError):  # ValueError: a null character in the name
            continue
        if any(file.is_relative_to(allowed) for allowed in folders):
            return file
    where = ", ".join(map(shown, folders)) or "none"
    raise BadInput(
        f"There is no file {shown(Path(name))} in the folders that may be read ({where}): "
        "the user names folders by --allow when the server is started."
    )
