"""Unpacked exports of chats: a folder is read as the zip archive that it would be, without pictures and films."""

import os
import re
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path

from readgraph.sources.formats.messenger_forms import FORMS
from readgraph.sources.formats.slack_chats import LISTS, is_slack
from readgraph.sources.inputs import most_bytes, read_bytes, too_large_error
from readgraph.state.errors import BadInput

TEXTS = frozenset(".json .jsonl .html .htm .csv .txt .md .xml".split())  # endings of files that can hold a chat
_SIGNS = (
    *("result.json", "messages.html", "main.jsonl", "message_1.json", "messages.json", "data.json"),
    *("chats/*/messages.html", "[mM]essages/index.json", "messages/inbox/*/message_1.json"),
    *("*/messages/inbox/*/message_1.json", "*[[]*[]].json"),
)
_DOCUMENTS = frozenset(".pdf .epub .docx .odt .rtf .pptx .odp .xlsx .ods .srt .vtt .eml .mbox .ipynb .rst".split())
"""Endings that no export has beside its own files: what was sent stands below these."""
_BEGINS = 200_000  # bytes of a file by which it is told whether it holds a chat
_FIELD = re.compile(rb'"([\w.]{1,40})"\s*:')
_FIELDS = [{*form.marks} for form in FORMS] + [{"about", "personal_information"}, {"about", "chats"}, {"backupTimeMs"}]
_NO_MESSAGES = re.compile(rb'"messages"\s*:\s*\[\s*\]')
_INDEX = re.compile(rb'\A\s*\{\s*"\d{6,}"\s*:')  # of Discord's package: its channels by their numbers


def is_chat_folder(path: Path) -> bool:
    """Whether a folder is an unpacked export of chats, and no folder of documents in which an export lies."""
    try:
        found = (file for sign in _SIGNS for file in sorted(path.glob(sign))[:1])
        is_export = any(map(_holds_chat, found)) or _is_of_slack(path)
        return is_export and not any(file.suffix.lower() in _DOCUMENTS for file in path.iterdir())
    except OSError:
        return False


def _holds_chat(file: Path) -> bool:
    if not file.is_file():
        return False
    with file.open("rb") as opened:
        begin = opened.read(_BEGINS)
    if file.suffix == ".html":
        from readgraph.sources.formats.chat_pages import is_chat_page  # parsers that few folders need

        return is_chat_page(begin)
    named = {field.decode() for field in _FIELD.findall(begin)}
    if _NO_MESSAGES.search(begin) and ({"type", "id"} <= named or {"guild", "channel"} <= named):
        return True
    return any(fields <= named for fields in _FIELDS) or (file.name == "index.json" and bool(_INDEX.match(begin)))


def is_signal_file(path: Path) -> bool:
    """Whether a file is Signal's own export, which tells so on its first line."""
    try:
        with path.open("rb") as opened:
            return b'"backupTimeMs"' in opened.readline(_BEGINS)
    except OSError:
        return False


def _is_of_slack(path: Path) -> bool:
    if not any((path / name).is_file() for name in LISTS):
        return False
    return is_slack([file.relative_to(path).as_posix() for sign in ("*.json", "*/*.json") for file in path.glob(sign)])


def pack_folder(path: Path, name: str) -> bytes:
    """A folder's texts as a zip archive. Raises `BadInput` if one can't be read, or all have more than `most_bytes`."""
    return _pack(_texts_in(path, name), name)


def _texts_in(path: Path, name: str) -> Iterator[tuple[str, bytes]]:
    home = os.path.realpath(path)
    for inside, folders, names in os.walk(path):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for file in (Path(inside, each) for each in sorted(names) if not each.startswith(".")):
            if file.suffix.lower() in TEXTS and Path(os.path.realpath(file)).is_relative_to(home):
                below = file.relative_to(path).as_posix()
                yield below, read_bytes(file, f"{name}/{below}")


def pack_tar(data: bytes, name: str) -> bytes:
    """The texts of a tar archive as a zip archive; raises `BadInput` where it can't be read."""
    try:
        with tarfile.open(fileobj=BytesIO(data)) as archive:
            files = ((each, archive.extractfile(each)) for each in archive if each.isfile())
            texts = ((each.name, file.read()) for each, file in files if file and Path(each.name).suffix in TEXTS)
            return _pack(texts, name)
    except (tarfile.TarError, OSError, EOFError, ValueError):
        raise BadInput(f"{name} is not a valid tar file.") from None


def _pack(texts: Iterable[tuple[str, bytes]], name: str) -> bytes:
    """A zip archive whose bytes depend only on these files."""
    packed, left = BytesIO(), most_bytes()
    with zipfile.ZipFile(packed, "w") as archive:
        for member, data in texts:
            left -= len(data)
            if left < 0:
                raise too_large_error(name)
            archive.writestr(zipfile.ZipInfo(member.encode("utf-8", "replace").decode()), data)
    return packed.getvalue()
