"""Prompts in the user's own words: a folder with a file for each prompt that is replaced, as `export_words` writes it.

A file must have the same places for values as ours: one left out would hide from the model what it is asked about.
"""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from readgraph.models.prompt import Prompt, Wording, list_wordings, places_in
from readgraph.state.errors import BadInput
from readgraph.state.files import read_toml, replace_file
from readgraph.state.records import digest

MOST_BYTES = 100_000

HEADING = """\
# The words of the prompt '{name}'. What stands in braces is put in when the model is asked: keep each of these.
# 'task' comes last, after the texts that it is about; a part stands only where it is needed.
"""


def apply_own_words(prompt: Prompt, folder: str) -> Prompt:
    """The prompt in the words of the folder, if it has a file for it; "" is no folder."""
    if not (folder and prompt.worded):
        return prompt
    own = own_words(prompt.worded.words, folder)
    return prompt if own is prompt.worded.words else prompt.in_words_of(own)


def own_words(ours: Wording, folder: str) -> Wording:
    """The words of the folder's file for a prompt; ours where it has none. Raises `BadInput` for a wrong file."""
    place = Path(folder).expanduser()
    file = place / f"{ours.name}.toml"
    try:
        status = file.stat()
    except FileNotFoundError:
        if not place.is_dir():
            raise BadInput(f"There is no folder {folder} of prompts: 'readgraph prompts export' makes one.") from None
        return ours
    except OSError as problem:
        raise BadInput(f"{file} can't be read: {problem.strerror}.") from None
    return _read(ours.name, file, status.st_mtime_ns, status.st_size)


def replacement_digests(folder: str, prompts: frozenset[str]) -> dict[str, str]:
    """Digests of those of these prompts that the folder replaces, by files' names; `BadInput` for any wrong file."""
    known = {words.name: words for words in list_wordings()}
    place = Path(folder).expanduser()
    if unknown := sorted(file.name for file in place.glob("*.toml") if file.stem not in known):
        raise BadInput(f"{place / unknown[0]} replaces no prompt: 'readgraph prompts export' shows their names.")
    own = {words.name: own_words(words, folder).texts for words in known.values()}
    changed = [words for words in known.values() if words.prompt in prompts and own[words.name] != words.texts]
    return {words.name: digest(own[words.name]) for words in changed}


@lru_cache(256)
def _read(name: str, file: Path, *_: int) -> Wording:
    """The words of a file, read once as long as it stays as it is."""
    ours = next(words for words in list_wordings() if words.name == name)
    written = read_toml(file, str(file), MOST_BYTES)
    parts = written.pop("parts", {})
    if (version := written.pop("version", None)) != ours.version:
        raise BadInput(f"{file} is of version {version} of its prompt, which is now {ours.version}: export it anew.")
    texts = {**written, **parts} if isinstance(parts, dict) else {"parts": parts}
    for key, text in texts.items():
        if key not in ours.texts:
            raise BadInput(f"{file} has '{key}', which this prompt has not: it has {', '.join(ours.texts)}.")
        if not isinstance(text, str):
            raise BadInput(f"{file} has a '{key}' that is no text: write it between quotes.")
        places, needed = places_in(text), places_in(ours.texts[key])
        if lacking := sorted(needed - places):
            raise BadInput(f"{file} lacks {{{lacking[0]}}} in '{key}': put it where it belongs.")
        if unknown := sorted(places - needed):
            known = ", ".join(f"{{{place}}}" for place in sorted(needed)) or "no places"
            raise BadInput(f"{file} has an unknown {{{unknown[0]}}} in '{key}', which has {known}.")
    whole = ours.texts | texts
    parts = {key: text for key, text in whole.items() if key in ours.parts}
    return replace(ours, system=whole["system"], task=whole["task"], parts=parts)


def export_words(words: Wording, file: Path) -> None:
    """Write a file with our words. Raises `OSError`."""
    lines = [HEADING.format(name=words.name), f"version = {words.version}\n"]
    lines += [f"{key} = '''\n{text}'''\n" for key, text in (("system", words.system), ("task", words.task))]
    lines += ["[parts]\n"] if words.parts else []
    lines += [f"{key} = '''\n{text}'''\n" for key, text in words.parts.items()]  # the first line end is not the text's
    with replace_file(file) as opened:
        opened.write("\n".join(lines))
