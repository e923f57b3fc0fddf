"""`ask --review`: a person at the terminal decides where a step asks."""

import asyncio
import re
from collections.abc import Mapping
from contextlib import suppress
from threading import Thread
from typing import Any

from readgraph.api.answer_text import place_or_part
from readgraph.api.running import AskPerson
from readgraph.cli.terminal.progress import ReadingProgress
from readgraph.cli.terminal.safe_text import Console, SafeText
from readgraph.cli.terminal.screen import can_ask_user
from readgraph.state.errors import BadInput

ENDED = "The input ended before your reply. Ask again: what was paid for is kept."
_PARTS = re.compile(r"(\d{1,6})(?:[-–](\d{1,6}))?")


def check_terminal() -> None:
    """Raise `BadInput` where nobody can be asked."""
    if not can_ask_user():
        raise BadInput("--review asks you at a terminal, and standard input is none: leave it out.")


def person_at_terminal(progress: ReadingProgress) -> AskPerson:
    """The person who sees this progress, and types the replies."""

    async def ask(asked: Mapping[str, Any]) -> Mapping[str, Any]:
        loop = asyncio.get_running_loop()
        replied = loop.create_future()

        def ask_here() -> None:
            with suppress(RuntimeError):  # the command has ended
                try:
                    loop.call_soon_threadsafe(replied.set_result, _ask(asked))
                except EOFError:
                    loop.call_soon_threadsafe(replied.set_exception, BadInput(ENDED))

        with progress.pause():
            Thread(target=ask_here, daemon=True).start()  # which holds up no Ctrl-C
            return dict(await replied)

    return ask


def _ask(asked: Mapping[str, Any]) -> Mapping[str, Any]:
    console = Console(stderr=True)
    if asked["problem"]:
        console.print(SafeText(asked["problem"], style="red"))
    return {"choose_pages": _choose_pages, "confirm_plan": _confirm_plan, "review_answer": _review_answer}[
        asked["kind"]
    ](asked, console)


def _type(console: Console, line: str) -> str:
    console.print(SafeText(f"{line}: ", style="bold"), end="")
    try:
        return input().strip()
    except EOFError:  # Ctrl-D
        console.print()
        raise


def _choose_pages(asked: Mapping[str, Any], console: Console) -> Mapping[str, Any]:
    """Enter takes the parts that were chosen; numbers take others, and "-" none."""
    chosen = ", ".join(map(str, asked["pages"])) or "none"
    console.print(SafeText(f"Parts to be read again: {chosen} (of 0 to {asked['of'] - 1})"))
    while True:
        typed = _type(console, "Enter, or other numbers, or - for none")
        if not typed or typed == "-":
            return {"pages": [] if typed else asked["pages"]}
        parts = [_PARTS.fullmatch(each) for each in re.split(r"[\s,;]+", typed.strip(" ,;"))]
        spans = [(int(part[1]), int(part[2] or part[1])) for part in parts if part]
        if len(spans) == len(parts) and all(first <= last for first, last in spans):
            return {"pages": [number for first, last in spans for number in range(first, last + 1)]}
        console.print(SafeText("Write the numbers of parts, such as 3, 7-9.", style="red"))


def _confirm_plan(asked: Mapping[str, Any], console: Console) -> Mapping[str, Any]:
    """Enter takes the plan; what is typed are searches by words in place of all of it."""
    plan = asked["plan"]
    for name, what in (("keyword", "by words"), ("vector", "by meaning"), ("page", "parts to open")):
        if plan.get(name):
            console.print(SafeText(f"Search {what}: {'; '.join(map(str, plan[name]))}"))
    typed = _type(console, "Enter, or other words to search for, with ; between")
    words = [each.strip() for each in typed.split(";") if each.strip()]
    return {"accept": False, "keyword": words, "vector": [], "page": []} if words else {"accept": True}


def _review_answer(asked: Mapping[str, Any], console: Console) -> Mapping[str, Any]:
    """Enter takes the answer; what is typed takes its place, and "-" leaves the question without one."""
    console.print(SafeText(asked["answer"] or "No answer.", style="bold"))
    for quote in asked["quotes"]:
        where = place_or_part(quote["place"], quote["page"])
        console.print(SafeText(f"  {where}  “{' '.join(quote['quote'].split())}”", style="italic"))
    typed = _type(console, "Enter, or another answer, or - for none")
    return {"accept": False, "answer": None if typed == "-" else typed} if typed else {"accept": True}
