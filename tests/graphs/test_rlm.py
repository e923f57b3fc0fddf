"""Programs that a model writes: what they may do, what their sub-calls cost, and how a reading by them goes on."""

import asyncio
import re
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.store.memory import InMemoryStore

from readgraph.features.rlm import sandbox
from readgraph.features.rlm.graph import build
from readgraph.features.rlm.programs import format_programs, program_in
from readgraph.features.rlm.sandbox import ProgramEnd, SubCallRefused, run_program
from readgraph.features.rlm.sandbox_process import OWN_BYTES, PROCESS_BYTES
from readgraph.features.rlm.state import ProgramRun
from readgraph.library.opening import Library
from readgraph.state.context import ReaderContext
from readgraph.state.errors import BadInput, ModelUnavailable
from readgraph.state.words import count_words
from tests.doubles.model_server import ChatRequest, Fault, ModelServer
from tests.doubles.reader import between
from tests.support.command import DOUBLE
from tests.support.forking import ended, forked

CONTEXT = ReaderContext(model="openai:double", retrieval_words=50)
CALLS = [("Ada", "Monday"), ("Ben", "Friday"), ("Ada", "Friday"), ("Cleo", "Monday"), ("Ada", "Sunday")]
TEXT = "\n\n".join(
    f"{name} rang the mill on {day}. {'The wheel went round and round again. ' * 6}" for name, day in CALLS
)
ASKED = "How often did Ada ring the mill?"
COUNT = 'const n = text.match(/Ada rang/g).length; finish(String(n), ["Ada rang the mill on Sunday."]);'


def writes(*programs: str, says: Callable[[ChatRequest], str] = lambda request: "Ada") -> Callable[[ChatRequest], str]:
    """A model that writes these programs one after the other, the last one again and again, and answers sub-calls."""

    def respond(request: ChatRequest) -> str:
        if "Write the next program" not in request.text:
            return says(request)
        shown = len(re.findall(r"^Program \d+:", between(request, "programs"), re.M))
        return f"```js\n{programs[min(shown, len(programs) - 1)]}\n```"

    return respond


async def ask(library: Library, context: ReaderContext = CONTEXT, **more: Any) -> dict[str, Any]:
    graph = build().compile(store=library.store)
    return dict(await graph.ainvoke({"text": TEXT, "question": ASKED, **more}, context=context))  # type: ignore[call-overload]


async def test_a_program_counts_over_the_whole_text_and_quotes_it(server: ModelServer, library: Library) -> None:
    server.respond = writes(COUNT)
    found = await ask(library)
    assert (found["status"], found["answer"], found["usage"]["calls"]) == ("answered", "3", 1)
    assert [quoted["quote"] for quoted in found["citations"]] == ["Ada rang the mill on Sunday."]
    assert found["programs"] == [ProgramRun(program=COUNT, shown="", fault="", asked=0, words=0)]
    assert not found["by_rule"] and "kept" not in found and "Monday" in server.requests[0].text, (
        "the beginning is shown"
    )


async def test_sub_calls_run_together_and_what_is_kept_reaches_the_next_program(
    server: ModelServer, library: Library
) -> None:
    first = 'kept.names = await Promise.all(cut(text, 50).map(piece => ask("Who rings?", piece))); show(kept.names)'
    server.respond = writes(
        first, 'finish(kept.names.join("; "), [])', says=lambda request: request.text.split("<piece>\n")[1][:4]
    )
    found = await ask(library, replace(CONTEXT, reading_model="openai:small"))
    assert [name.strip() for name in found["answer"].split(";")] == ["Ada", "Ben", "Ada", "Cleo", "Ada"]
    asked = [request for request in server.requests if "<piece>" in request.text]
    assert len(asked) == found["programs"][0]["asked"] == 5 and {request.body["model"] for request in asked} == {
        "small"
    }
    assert found["pages_read"] == [0, 1, 2, 3, 4] and found["percent_read"] == 100
    assert '"Ada' in between(server.requests[-1], "programs")


async def test_a_fault_is_shown_and_the_next_program_mends_it(server: ModelServer, library: Library) -> None:
    server.respond = writes("show(1);\nmissing.thing()", COUNT)
    found = await ask(library)
    assert found["answer"] == "3" and "ReferenceError: missing is not defined" in found["programs"][0]["fault"]
    assert "It ended early: ReferenceError" in server.requests[1].text


@pytest.mark.parametrize("answer", ['"B"', '"three times"', '"b) three times"'])
async def test_an_option_is_taken_by_its_letter_or_its_words(
    server: ModelServer, library: Library, answer: str
) -> None:
    server.respond = writes(f"finish({answer})")
    found = await ask(library, options=["twice", "three times"])
    assert (found["choice"], found["answer"], len(server.requests)) == ("B", "three times", 1)


async def test_what_is_no_option_ends_nothing(server: ModelServer, library: Library) -> None:
    server.respond = writes('finish("Z")', 'finish("A")')
    found = await ask(library, options=["twice", "three times"])
    assert found["choice"] == "A" and "finish wants one of the letters A, B" in server.requests[1].text


async def test_where_no_program_finishes_nothing_is_called_an_answer(server: ModelServer, library: Library) -> None:
    server.respond = writes("show(text.length)")
    found = await ask(library, replace(CONTEXT, max_programs=2))
    assert (found["status"], found["fallbacks"], len(found["programs"])) == (
        "nearest",
        {"unfinished": 1, "answer": 1},
        2,
    )
    assert "This is the last one" in server.requests[1].text and "This is the last one" not in server.requests[0].text
    server.respond = writes("finish(null)")
    assert (await ask(library, question="Who is Dora?"))["status"] == "no_answer"


async def test_a_reply_without_a_program_is_asked_for_again(server: ModelServer, library: Library) -> None:
    server.respond = lambda request: "I would rather not."
    found = await ask(library)
    assert (found["status"], found["usage"]["refused"]) == ("nearest", 3)
    assert found["fallbacks"] == {"write_program": 1, "answer": 1} and not found["programs"]
    assert program_in("finish(3)") == "finish(3)" and program_in("```\na\n```\nthen\n```js\nb") == "a\nb"


async def test_sub_calls_are_bounded_in_number_and_size(server: ModelServer, library: Library) -> None:
    greedy = "for (let i = 0; i < 9; i++) try { await ask('no ' + i, 'x') } catch (e) { show(e.message); break }"
    server.respond = writes(
        f"{greedy}\ntry {{ await ask('all', 'word '.repeat(9000)) }} catch (e) {{ show(e.message) }}", COUNT
    )
    found = await ask(library, replace(CONTEXT, max_sub_calls=4, window_words=2000))
    assert found["programs"][0]["asked"] == 4 and found["usage"]["calls"] == 6
    assert "no call of ask is left" in found["programs"][0]["shown"]
    assert "the piece has 9,000 words" in found["programs"][0]["shown"]
    assert "which may call ask 0 times" in server.requests[-1].text


async def test_a_spent_budget_ends_the_programs_and_is_said(server: ModelServer, library: Library) -> None:
    server.respond = writes("for (const p of cut(text, 50)) try { await ask('who', p) } catch {}\nfinish('all', [])")
    found = await ask(library, replace(CONTEXT, max_calls=3))
    assert (found["status"], found["usage"]["calls"], found["by_rule"]) == ("budget", 3, True)
    assert found["answer"] != "all", "a program whose calls were cut off is not believed"
    assert (await ask(library))["answer"] == "all" and server.calls == 1 + 5, "what was paid for is kept"


async def test_a_server_that_fails_is_an_error_also_where_a_program_catches_it(
    server: ModelServer, library: Library
) -> None:
    server.respond = writes("try { await ask('who', text) } catch { finish('caught') }")
    server.fault_for = lambda request, call: Fault.unauthorized() if "<piece>" in request.text else None
    with pytest.raises(ModelUnavailable):
        await ask(library)


@pytest.mark.slow
def test_a_killed_command_pays_for_nothing_twice(server: ModelServer, tmp_path: Path) -> None:
    book, asked = tmp_path / "book.txt", list[str]()
    book.write_text(TEXT)
    program = "for (const p of cut(text, 50)) kept[p] = await ask('who ' + Math.random(), p)"
    answering = writes(program, program, "finish(Object.values(kept).join())")

    def killing(request: ChatRequest) -> str:
        if len(asked) in (3, 8):
            process.kill()
        asked.append(request.key)
        return answering(request)

    server.respond, ends = killing, list[int | None]()
    while not ends or ends[-1] != 0:
        more = ("--method", "rlm", "--library", tmp_path / "library")
        process = forked("ask", ASKED, book, *DOUBLE, *more)
        ends.append(ended(process))
    assert ends == [-signal.SIGKILL] * 2 + [0]
    assert len({*asked}) <= len(asked) <= len({*asked}) + 2


async def test_without_a_model_the_nearest_passages_are_quoted(server: ModelServer, library: Library) -> None:
    found = await ask(library, replace(CONTEXT, model=""), question="Who rang on Sunday?")
    assert (found["status"], server.calls, found["programs"]) == ("nearest", 0, [])
    assert any("Ada rang the mill on Sunday." in quoted["quote"] for quoted in found["citations"])


async def test_where_the_engine_is_missing_one_line_says_so_before_anything_is_paid(
    server: ModelServer, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "find_spec", lambda name: None)
    with pytest.raises(BadInput, match=r"readgraph\[rlm\]"):
        await ask(library)
    assert not server.calls


async def _no_model(question: str, piece: str) -> str:
    if not question:
        raise SubCallRefused("ask something")
    return question + piece


FAULTS = {
    "while (true) {}": "seconds of its own time",
    "/(a+)+$/.test('a'.repeat(40) + 'b')": "seconds of its own time",
    "'a'.repeat(5e7).split('')": "too much memory",
    "'a'.repeat(3e7).indexOf('a'.repeat(1e7) + 'b')": "seconds of its own time",
    "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))": "too much memory",
    "const a = []; for (;;) a.push(new ArrayBuffer(1 << 24))": "too much memory",
    "const a = []; for (;;) a.push(a.length)": "too much memory",
    "const a = []; for (;;) a.push('x'.repeat(1e6) + a.length)": "too much memory",
    "const m = new Map(); for (let i = 0; ; i++) m.set(i, {i})": "memory",
    "kept.deep = []; for (let i = 0; i < 1e5; i++) kept.deep = [kept.deep]": "kept could not be read",
    "finish(1, Array(1e5).fill('q'))": "an answer and its quotes may have 200000 characters",
    "for (let i = 0; i < 1e6; i++) ask('q' + i)": "seconds of its own time",
    "for (let i = 0; ; i++) try { await ask('', String(i)) } catch {}": "asked again and again",
    "const f = () => f() + 1; f()": "it called itself too deep",
    "await new Promise(() => {})": "only ask can be awaited",
    "(0, eval)('let x = ;')": "SyntaxError",
    "kept = 3": "read-only",
    "kept.self = kept": "circular reference",
    "kept.large = 'x'.repeat(300000)": "kept may have 200,000 characters",
    "await import('fs')": "Error loading module",
    "await ask('')": "ask something",
    "cut(text)": "cut wants a text and a number of words",
    "throw null": "",
}


@pytest.mark.parametrize("program", FAULTS)
@pytest.mark.slow
async def test_what_a_program_may_not_do_ends_it_and_leaves_what_was_kept(
    program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "SECONDS", 0.5 if "seconds" in FAULTS[program] else 5.0)
    monkeypatch.setattr(sandbox, "GRACE", 1.0)
    end = await run_program(f"show('before');\n{program}", "some text", '{"from":"before"}', _no_model)
    assert FAULTS[program] in end.fault and end.shown in ("before\n", "") and end.kept == '{"from":"before"}'
    assert not end.finished and (end.fault or program == "throw null")


ENDLESS = (
    "'a'.repeat(3e7).indexOf('a'.repeat(1e7) + 'b')"  # within one call of the engine, which looks at no clock then
)


async def test_after_a_program_that_was_ended_the_next_ones_run_in_a_fresh_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sandbox, "SECONDS", 0.1)
    monkeypatch.setattr(sandbox, "GRACE", 0.1)
    ended, *_ = await asyncio.gather(*(run_program(each, "", "{}", _no_model) for each in (ENDLESS, "1")))
    assert "seconds of its own time" in ended.fault
    monkeypatch.undo()
    programs = (run_program(f"finish({number})", "", "{}", _no_model) for number in range(2))
    assert [(end.fault, end.answer) for end in await asyncio.gather(*programs)] == [("", "0"), ("", "1")]


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of a process where Linux tells it")
@pytest.mark.parametrize("made", ["new Uint8Array(1 << 20).fill(1)", "new ArrayBuffer(1 << 24)", "a.length", "[]"])
async def test_a_program_takes_no_more_memory_than_is_said(made: str) -> None:
    end = await run_program(f"const a = []; for (;;) a.push({made})", "", "{}", _no_model)
    (engine,) = sandbox._waiting
    status = Path(f"/proc/{engine.process.pid}/status").read_text()
    peak = int(re.findall(r"VmHWM:\s*(\d+) kB", status)[0]) * 1024
    assert "memory" in end.fault and peak < OWN_BYTES + PROCESS_BYTES


async def test_a_program_sees_the_language_its_functions_and_nothing_else() -> None:
    names = "fetch require process std os XMLHttpRequest WebSocket setTimeout hostAsk hostCut".split()
    probe = f"show({names}.filter(name => name in globalThis)); show(Math.random() < 1, Date.now())".replace("'", '"')
    ends = [await run_program(probe, "ß 日本 \U0001f40b\0", "{}", _no_model) for _ in range(2)]
    assert ends[0] == ends[1] == ProgramEnd("{}", "[]\ntrue 0\n")
    shown = await run_program(
        'show(text.length, new Map([["a", 1]]), 3n, undefined)', "ß 日本 \U0001f40b", "{}", _no_model
    )
    assert shown.shown.split() == ["7", "[", "[", '"a",', "1", "]", "]", '"3"', "undefined"]
    broken = await run_program('show(text[0]); finish("a\\0" + text[0], text[0])', "\U0001f40b", "{}", _no_model)
    assert (broken.shown, broken.answer, broken.quotes) == ("\ufffd\n", "a\ufffd\ufffd", ["\ufffd"])


@pytest.mark.parametrize(
    "changed",
    [
        "Object.prototype.toJSON = () => 'x'",
        "Array.prototype.map = () => [1, null]",
        "JSON.stringify = () => 123",
        "JSON.stringify = () => 'no JSON'; JSON.parse = () => 1",
    ],
)
async def test_a_program_that_changes_what_its_functions_are_made_of_spoils_nothing(changed: str) -> None:
    program = f"kept.a = 1; {changed}; finish('yes', ['a'])"
    end = await run_program(program, "", "{}", _no_model)
    assert end.fault or all(isinstance(quote, str) for quote in end.quotes)
    after = await run_program("finish(typeof kept)", "", end.kept, _no_model)
    assert after.finished and after.fault == ""


RUNS = st.builds(
    ProgramRun,
    program=st.text(max_size=300),
    shown=st.text(max_size=300),
    fault=st.just(""),
    asked=st.just(0),
    words=st.just(0),
)


@given(st.lists(RUNS, min_size=1, max_size=9), st.integers(20, 200))
def test_the_newest_programs_are_shown_within_their_room(runs: list[ProgramRun], room: int) -> None:
    shown = format_programs(runs, room)
    assert f"Program {len(runs)}:" in shown
    newest = count_words(format_programs(runs[-1:], room))
    assert count_words(shown) <= max(room, newest) + 5


def test_programs_need_no_store_of_ones_own(server: ModelServer) -> None:
    server.respond = writes(COUNT)
    graph = build().compile(store=InMemoryStore())
    asked: Any = {"text": TEXT, "question": ASKED}
    assert graph.invoke(asked, context=CONTEXT)["answer"] == "3"
