"""A line for every option that is no setting: with the option something else can be seen than without it."""

from collections.abc import Iterator
from typing import NamedTuple

from tests.support.examples import STORY
from tests.support.options import OPTIONS, command_of, each_option


class Probe(NamedTuple):
    """A line, and what is added to it to see what the option does; before both, other lines are run.

    `anew`: each in a library of its own. `fails`: the model server refuses all.
    """

    line: str
    option: str
    before: tuple[str, ...] = ()
    anew: bool = False
    fails: bool = False


def probes(
    line: str, *options: str, before: tuple[str, ...] = (), anew: bool = False, fails: bool = False
) -> Iterator[tuple[str, Probe]]:
    """A probe for each of these options of the line's command, by "command --option"."""
    for option in options:
        flag = option.split()[0].removeprefix("--").removeprefix("no-")
        yield f"{command_of(line)} --{flag}", Probe(line, option, before, anew, fails)


READ = "read {text}"
CORPUS = "corpus {folder}"
DOUBLE = "--model openai:double"
TALKED = (f"chat --agent ada {DOUBLE}",)
EXPORTED = (*TALKED, "agents export ada {tmp}/ada")
REPRODUCE = "reproduce read-agent-table-5 --data {own} --out {tmp}/out"
BOARD = "board --tokens 80000 --methods bm25 --out {tmp}/board"
EVALUATE = "evaluate {own} --methods bm25 --out {tmp}/out"
PAID_TWICE = (f"{READ} {DOUBLE}", f"read {{folder}}/b.md {DOUBLE}")
ASK = "ask Who? {text} --method bm25"
SUMMARISE = "summarise {text} --words 20"
TABLE = "table {text} names"
VERIFY = "verify {draft} {text}"
SAVED = f"{ASK} --save {{tmp}}/answer.json"
CHANGES = "changes {draft} {text}"
CORRECT = "correct {text} --part 0 --text Lamp"
BROWSE = f"browse http://127.0.0.1:9/ Order. --yes --json {DOUBLE}"
COLLECTED = (READ, "collection add dry text")

ROWS = [
    *probes("read {folder}", "--glob *.md"),
    *(
        each
        for line in (
            "read {linked}",
            "corpus {linked}",
            "remember days {linked}",
            "ask goat? {linked}",
            "summarise {linked} --words 20",
            "verify {draft} {linked}",
            "wiki {tmp}/wiki {linked}",
            "table {linked} gander",
            "compress {linked} --budget 99",
            "compare gander? {linked} --methods bm25",
        )
        for each in probes(line, "--follow-links")
    ),
    *probes(READ, "--method bm25", "--estimate", "--profile nested-keys", "--date 2024-03-01"),
    *probes(READ, "--supersedes b", before=("read {folder}",)),
    *probes(CORPUS, "--glob *.md", "--method bm25", "--estimate", "--profile nested-keys"),
    *probes(CORPUS, "--on ray", "--list", anew=True),
    *probes(f"{CORPUS} --workers 1 {DOUBLE} --max-calls-in-all 0", "--watch", anew=True),
    *probes(f"{CORPUS} --workers 1", "--workers 2", anew=True),
    *probes(f"{CORPUS} --on ray", "--address auto"),
    *probes(f"{CORPUS} {DOUBLE}", "--max-calls-in-all 0", anew=True),
    *probes(f"remember days {{text}} --json {DOUBLE}", "--price 1/2", anew=True),
    *probes("remember days {folder}", "--glob *.md"),
    *probes("remember days {text}", "--sessions-at ^The"),
    *probes("remember days {chat}", "--gap 9"),
    ("remember --no-secrets", Probe("remember days {chat} --json", "--no-secrets", anew=True)),
    *probes("ask gander? {folder}", "--glob *.md"),
    *probes("ask Why?", "--continue", before=(ASK,)),
    *probes(ASK, "--review", "--save {tmp}/saved.json"),
    *probes("replay {tmp}/answer.json", "--json", "--quiet", "--method read-agent", before=(SAVED,)),
    *probes("replay {folder}/answer.json", "--library {tmp}/another", before=(f"{ASK} --save {{folder}}/answer.json",)),
    *probes(f"{ASK} --report {{tmp}}/report.html", "--open"),
    *probes("ask goat,gander?", "--documents 1", before=("read {folder}",)),
    *probes("ask goat,gander?", "--collection dry", before=("read {folder}", "collection add dry b")),
    *probes(ASK, "--option goat --option gander", "--estimate", "--show-steps", "--report {tmp}/report.html"),
    *probes("ask Who? {text} --show-steps", "--method bm25"),
    *probes("ask keeper? {text}", "--profile nested-keys"),
    *probes(f"summarise {STORY} --estimate {DOUBLE}", "--words 20"),  # of a short text all lengths take the same
    *probes(SUMMARISE, "--part 0", "--about goat", "--estimate", "--show-steps", "--report {tmp}/report.html"),
    *probes(f"{SUMMARISE} --json {DOUBLE}", "--no-check", anew=True),
    *probes("summarise {folder} --words 20", "--glob *.md"),
    *probes(f"{SUMMARISE} --report {{tmp}}/report.html", "--open"),
    *probes("verify {draft} {folder}", "--glob *.md"),
    *probes("verify {draft}", "--collection dry", before=("read {folder}", "collection add dry b")),
    *probes(VERIFY, "--as-of 2020", before=(f"{READ} --date 2024",)),
    *probes("ask goat? {text}", "--as-of 2020", before=(f"{READ} --date 2024",)),
    *probes("compare goat? {text}", "--as-of 2020", before=(f"{READ} --date 2024",)),
    *probes(SUMMARISE, "--as-of 2020", before=(f"{READ} --date 2024",)),
    *(
        each
        for line in ("ask goat? {text}", "compare goat? {text}", "search goat {text}", SUMMARISE, VERIFY)
        for each in probes(line, "--up-to Nowhere", before=(READ,))
    ),
    *probes(TABLE, "--as-of 2020", before=(f"{READ} --date 2024",)),
    *probes("compress {text} --budget 50", "--as-of 2020", before=(f"{READ} --date 2024",)),
    *probes("wiki {tmp}/vault {text}", "--as-of 2020", before=(f"{READ} --date 2024",)),
    *probes("search goat", "--as-of 2020", before=("read {folder}/b.md", f"{READ} --date 2024")),
    *probes(VERIFY, "--out {tmp}/checked.md", "--strict", "--estimate", "--show-steps"),
    *probes(VERIFY, "--report {tmp}/report.html"),
    *probes(f"{VERIFY} --report {{tmp}}/report.html", "--open"),
    *probes(CHANGES, "--estimate", "--show-steps", "--report {tmp}/report.html"),
    *probes(f"{CHANGES} --report {{tmp}}/report.html", "--open"),
    *probes("wiki {tmp}/wiki {folder}", "--glob *.md"),
    *probes("wiki {tmp}/wiki", "--collection dry", before=("read {folder}", "collection add dry b")),
    *probes("wiki {tmp}/wiki {text}", "--estimate", "--show-steps"),
    *probes("table {folder} gander", "--glob *.md"),
    *probes(TABLE, "--out {tmp}/out.csv", "--estimate", "--report {tmp}/report.html"),
    *probes(f"{TABLE} --report {{tmp}}/report.html", "--open"),
    *probes("compress {folder} --budget 99", "--glob *.md"),
    *probes("compress {text} --budget 99", "--budget 9", "--question lamp?", "--trace {tmp}/trace.json"),
    *probes("compress {text} --budget 9", "--engine extractive"),
    *probes(f"compress {{text}} --budget 9 --json {DOUBLE}", "--price 1/2", anew=True),
    *probes("show {text} --report {tmp}/report.html", "--open", before=(READ,)),
    *probes(
        "show {text}", "--page 0", "--part 0", "--at line", "--quote lamp", "--report {tmp}/report.html", before=(READ,)
    ),
    *probes("show {text}", "--method bm25", before=(f"{READ} --method bm25", READ)),
    *probes("show {text}", "--purpose code", before=(f"{READ} --preset code", READ)),
    *probes("correct {text} --text Lamp", "--page 0", "--part 0", "--at nowhere", before=(READ,)),
    *probes("correct {text} --part 0", "--text Lamp", before=(READ,)),
    *probes("correct {text} --part 0", "--restore", before=(READ, CORRECT)),
    *probes(CORRECT, "--method bm25", before=(READ,)),
    *probes("search gander", "--collection dry", before=("read {folder}", "collection add dry a")),
    *probes("collection list", "--json", "--library {tmp}/another", before=COLLECTED),
    *probes("collection add dry text", "--json", "--library {tmp}/another", before=(READ,)),
    *probes("collection remove dry", "--json", "--library {tmp}/another", before=COLLECTED, anew=True),
    *probes("search goat,gander", "--limit 1", before=("read {folder}",)),
    *probes("forget text", "--yes", before=(READ,)),
    *probes("forget text --yes", "--json", before=(READ,), anew=True),
    *probes(f"chat {DOUBLE}", "--agent bob", "--every 10x hello", "--json"),
    *probes("models check openai:slow", "--timeout 0.1"),
    *probes("models check openai:double", "--json"),
    *probes("models", "--json"),
    *probes("models use openai:double", "--json", "--key-env DESK_KEY", "--base-url http://desk:1/v1"),
    *probes("models use", "--none"),
    *probes("agents", "--json", before=TALKED),
    *probes("agents list", "--json", before=TALKED),
    *probes("agents export ada {tmp}/{run}", "--library {tmp}/another", before=TALKED),
    *probes("agents repair ada", "--library {tmp}/another", before=TALKED),
    *probes("agents import {tmp}/ada", "--library {tmp}/another", "--as bob", before=EXPORTED),
    *probes("agents forget ada", "--yes", before=TALKED),
    *probes("compare Who? {text} --methods bm25", "--methods last-words", "--option goat --option gander"),
    *probes(f"compare Who? {{text}} --methods bm25 --json {DOUBLE}", "--price 1/2", anew=True),
    *probes("compare gander? {folder} --methods bm25", "--glob *.md"),
    *probes("compare keeper? {text} --methods read-agent", "--profile nested-keys"),
    *probes("methods gam", "--mermaid", "--json"),
    *probes("methods", "--shared"),
    *probes("studio", "--port 2025", "--open", "--local", "--profile nested-keys"),
    *probes("studio --local", "--method gam"),
    *probes("mcp", "--allow {folder}", "--http", "--profile nested-keys"),
    *probes("mcp --http", "--host localhost", "--port 8422", "--allow-host library.example"),
    *probes(
        "serve",
        "--host localhost",
        "--port 8425",
        "--allow-host library.example",
        "--no-open",
        "--method gam",
        "--price 1/2",
        "--profile nested-keys",
    ),
    *probes(
        EVALUATE,
        "--dataset quality",
        "--methods last-words",
        "--method bm25@max_pages=1",
        "--answers {tmp}/none.jsonl",
        "--half report",
        "--sweep gam-modules",
        "--limit 1",
        "--inspect {tmp}/logs",
        "--replies {tmp}/none",
        "--sample 1",
        "--runs 2",
        "--metrics rouge_1,f1",
        "--judge openai:double",
        "--out {tmp}/other",
        "--estimate",
        "--publish {tmp}/published",
        "--replay {tmp}/none",
        "--profile nested-keys",
    ),
    *probes(f"{EVALUATE} --estimate {DOUBLE}", "--no-full-text"),
    *probes(f"{EVALUATE} --sample 1", "--seed 3"),
    *probes(f"{EVALUATE} --judge openai:double", "--calibrate"),
    *probes("evaluate", "--diff {tmp}/out {tmp}/out", before=(EVALUATE,)),
    *probes(f"{EVALUATE} {DOUBLE}", "--verbose", fails=True),
    *probes("board --tokens 80000 --methods none --out {tmp}/board", "--seed 2"),
    *probes("board --methods none --out {tmp}/board", "--tokens 80000", "--answers {tmp}/none.jsonl"),
    *probes("board --tokens 80000 --methods none --out {tmp}/board", "--methods bm25", "--out {tmp}/other"),
    *probes(BOARD, "--estimate", "--profile nested-keys"),
    *probes(f"{BOARD} {DOUBLE}", "--verbose", fails=True),
    *probes("reproduce read-agent-table-5 --out {tmp}/out", "--data {own}"),
    *probes(
        REPRODUCE,
        "--limit 1",
        "--replies {tmp}/none",
        "--sample 1",
        "--runs 2",
        "--judge openai:double",
        "--publish {tmp}/published",
        "--replay {tmp}/none",
        "--out {tmp}/other",
        "--estimate",
        "--profile nested-keys",
    ),
    *probes(f"{REPRODUCE} --sample 1", "--seed 3"),
    *probes(f"{REPRODUCE} {DOUBLE}", "--verbose", fails=True),
    *probes("trajectories {tmp}/out", "--format reward", before=(f"{EVALUATE} {DOUBLE}",)),
    *probes("trajectories {tmp}/out", "--out {tmp}/examples", "--quiet", before=(EVALUATE,)),
    *probes(BROWSE, "--driver netscape", "--max-steps 1", "--library {tmp}/another"),
    *probes(BROWSE.replace("--yes ", ""), "--yes"),
    *probes(BROWSE.replace("--json ", ""), "--json", "--quiet", "--verbose"),
    *probes(BROWSE, "--price 1/2", anew=True),
    *probes("library batches", "--cancel", "--library {tmp}/another", "--json"),
    *probes("library check", "--library {tmp}/another", before=(READ,)),
    *probes("library check", "--json"),
    *probes("library repair", "--library {tmp}/another", before=(READ,)),
    *probes("library repair", "--json"),
    *probes("library backup {tmp}/{run} --json", "--library {tmp}/another", before=(READ,)),
    *probes("library backup {tmp}/{run}", "--json"),
    *probes("library copy {tmp}/library {tmp}/{run}", "--json", before=(READ,)),
    *probes("doctor", "--library {tmp}/another", before=(READ,)),
    *probes("doctor", "--json"),
    *probes("skill", "--to {tmp}/skills"),
    *probes("library compact --json", "--library {tmp}/another"),
    *probes("library compact", "--json"),
    *probes("replies export {tmp}/{run}", "--document text", "--library {tmp}/another", before=PAID_TWICE),
    *probes(
        "replies import {tmp}/replies", "--library {tmp}/another", before=(*PAID_TWICE, "replies export {tmp}/replies")
    ),
    *probes("", "--version"),
]
PROBES = dict(ROWS)
"""How each option shows that it does something; "--library", "--json", "--quiet" and the like have one way for all."""

SHARED = {"--library": "{tmp}/another", "--json": "", "--quiet": "", "--verbose": "", "--price": "1/2"}

BASES = {
    "read": READ,
    "corpus": CORPUS,
    "remember": "remember days {text}",
    "ask": ASK,
    "show": "show",
    "search": "search goat",
    "correct": CORRECT,
    "forget": "forget text --yes",
    "chat": f"chat {DOUBLE}",
    "agents": "agents",
    "agents list": "agents list",
    "agents forget": "agents forget ada --yes",
    "compare": "compare Who? {text} --methods bm25",
    "board": BOARD,
    "evaluate": EVALUATE,
    "reproduce": REPRODUCE,
    "studio": "studio",
    "mcp": "mcp",
    "serve": "serve",
    "compress": "compress {text} --budget 9",
    "summarise": SUMMARISE,
    "verify": VERIFY,
    "changes": CHANGES,
    "wiki": "wiki {tmp}/wiki {text}",
    "table": TABLE,
}
"""A line of each command that takes an option of `SHARED`."""


def probed() -> dict[str, Probe]:
    """The probe of each option that is no setting; those that have none are left out."""
    probes = {}
    for name, option in each_option():
        command, flag = name.rsplit(" ", 1)
        if name in PROBES:
            probes[name] = PROBES[name]
        elif option.name not in OPTIONS and flag in SHARED and command in BASES:
            before = (READ, *TALKED) if flag == "--library" else (READ,)
            more = " --estimate --model openai:double" if flag == "--price" and command != "remember" else ""
            probes[name] = Probe(BASES[command] + more, f"{flag} {SHARED[flag]}", before)
    return probes
