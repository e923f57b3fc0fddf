"""Properties of the working context and of what leaves the queue."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readgraph.features.agents.evict import KEEP, first_to_stay
from readgraph.features.agents.memory import append_to_block, blocks_text, cut_to, replace_in_block, rewrite_block
from readgraph.features.agents.state import Block
from readgraph.features.agents.store import Event
from readgraph.state.errors import BadInput
from readgraph.state.words import count_words

texts = st.text(st.sampled_from("ab c\n.<>block日"), max_size=60)
LIMIT = 12


def blocks(text: str = "") -> list[Block]:
    return [
        {"label": "persona", "about": "who you are", "limit": LIMIT, "text": "A lamplighter."},
        {"label": "human", "about": "who you talk with", "limit": LIMIT, "text": text},
    ]


@given(st.lists(st.tuples(st.sampled_from(["append", "replace", "rewrite"]), texts, texts), max_size=12))
def test_no_edit_takes_a_block_over_its_limit_or_touches_another(edits: list[tuple[str, str, str]]) -> None:
    held = blocks()
    for kind, one, other in edits:
        before = held
        try:
            if kind == "append":
                held = append_to_block(held, "human", one)
            elif kind == "replace":
                held = replace_in_block(held, "human", one, other)
            else:
                held = rewrite_block(held, "human", one)
        except BadInput as problem:
            assert held == before and str(problem).endswith(".")
        assert count_words(held[1]["text"]) <= LIMIT and held[0] == blocks()[0]


@given(texts.filter(str.strip), texts, texts)
def test_a_replacement_is_exact(old: str, before: str, new: str) -> None:
    text = f"{before}|{old}|".strip()
    if old in text and count_words(text) <= LIMIT and count_words(text.replace(old, new, 1)) <= LIMIT:
        assert replace_in_block(blocks(text), "human", old, new)[1]["text"] == text.replace(old, new, 1).strip()
    with pytest.raises(BadInput, match="copy it from the block"):
        replace_in_block(blocks(text), "human", f"{old}#", new)


def test_labels_are_found_whatever_their_case() -> None:
    assert append_to_block(blocks(), " Human", "Keeps goats.")[1]["text"] == "Keeps goats."
    assert "<block human: 2/12 words, who you talk with>\nKeeps goats." in blocks_text(blocks("Keeps goats."))


@given(texts, st.integers(1, 9))
def test_a_cut_text_says_how_much_is_missing(text: str, words: int) -> None:
    cut = cut_to(text, words)
    rest = count_words(text) - words
    assert cut == text if rest <= 0 else cut.endswith(f" … ({rest} more words)")
    assert count_words(cut) <= max(words + 4, count_words(text))


@given(st.lists(st.tuples(st.integers(1, 150), st.booleans()), min_size=1, max_size=60), st.integers(400, 900))
def test_what_stays_in_the_queue(sizes: list[tuple[int, bool]], room: int) -> None:
    events = [Event(n, "user" if user else "call", "", "") for n, (_, user) in enumerate(sizes)]
    words = [size for size, _ in sizes]
    cut = first_to_stay(events, words, room)
    assert 0 <= cut < len(events) and (cut > 0 or len(events) == 1)
    assert sum(words[cut:]) <= room * 3 / 4
    assert len(events) - cut >= min(KEEP, len(events) - 1) or sum(words[-KEEP:]) > room * 3 / 4
