"""Notices of a conversion: what of a file does not become text, how much of each kind and where; and what is unsure."""

from readgraph.state.words import format_count

MOST_NAMED = 3  # places that a notice names


class LeftOut:
    """Counts what is left out, by its kind and with its places."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}
        self._kept: dict[str, list[str]] = {}
        self._said: list[str] = []

    def say(self, notice: str) -> None:
        """Take a notice about the whole file."""
        self._said.append(notice)

    def add(self, kind: str, place: str = "") -> None:
        """Count one thing of a kind ("deleted passage") that is left out at a place ("" where that has no name)."""
        self._places.setdefault(kind, []).append(place)

    def tell(self, kind: str, place: str = "") -> None:
        """Count one thing of a kind that is kept, but stands elsewhere than in the file."""
        self._kept.setdefault(kind, []).append(place)

    def problems(self, name: str) -> tuple[str, ...]:
        """The notices, and a line for each kind: how many there are, and where."""
        counted = (f"left out: {_count(len(at), kind)}{_listed(at)}" for kind, at in self._places.items())
        kept = (f"{_count(len(at), kind)}{_listed(at)}" for kind, at in self._kept.items())
        return tuple(f"{name}: {notice}." for notice in (*dict.fromkeys(self._said), *counted, *kept))


def _count(number: int, kind: str) -> str:
    """So many of a kind: "2 values that are hidden"."""
    noun, that, said = kind.partition(" that ")
    verb, _, which = said.partition(" ")
    several = {"is": "are", "has": "have"}.get(verb, verb.removesuffix("s"))
    return format_count(number, noun) + (f" that {verb if number == 1 else several} {which}" if that else "")


def _listed(places: list[str]) -> str:
    """The first places, in brackets."""
    distinct = list(dict.fromkeys(filter(None, places)))
    more = f" and {len(distinct) - MOST_NAMED:,} more" if len(distinct) > MOST_NAMED else ""
    return f" ({', '.join(distinct[:MOST_NAMED])}{more})" if distinct else ""
