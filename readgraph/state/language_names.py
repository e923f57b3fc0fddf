"""Languages by their ISO 639-1 codes and English names."""

import re
from difflib import get_close_matches
from importlib.resources import files

from readgraph.state.errors import BadInput

_LINES = files(__package__).joinpath("languages.txt").read_text(encoding="utf-8").splitlines()
NAMES: dict[str, str] = {line[:2]: line[3:] for line in _LINES}  # the English name of each language, by its code
_CODES = {name.casefold(): code for code, name in NAMES.items()}


def language_code(typed: str) -> str:
    """The ISO 639-1 code for itself, also with a region ("pt-BR"), or an English name; "" for ""; raises `BadInput`."""
    wanted = typed.strip().casefold()
    if not wanted or wanted in NAMES:
        return wanted
    if wanted in _CODES:
        return _CODES[wanted]
    if (code := re.split("[-_]", wanted)[0]) in NAMES:
        return code
    near = get_close_matches(wanted, _CODES, 1)
    hint = f"do you mean '{NAMES[_CODES[near[0]]]}'? Give" if near else "give"
    raise BadInput(
        f"There is no language '{typed}': {hint} an ISO 639-1 code or an English name, such as de or German."
    )
