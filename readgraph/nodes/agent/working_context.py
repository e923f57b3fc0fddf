"""The working context: labelled blocks that the agent edits (MemGPT, section 2.1).

Pure functions over blocks. An edit that can't be made raises `BadInput`, whose text says to the model what to do.
"""

from collections.abc import Sequence

from readgraph.models.prompt import unused_name
from readgraph.state.channels.living import Block
from readgraph.state.errors import BadInput
from readgraph.state.words import count_words

__all__ = ["append_to_block", "blocks_text", "replace_in_block"]


def append_to_block(blocks: Sequence[Block], label: str, text: str) -> list[Block]:
    """The blocks, with a line added to one of them."""
    if not text.strip():
        raise BadInput("There is nothing to append: give the text.")
    block = block_named(blocks, label)
    return _with_text(blocks, block, f"{block['text']}\n{text.strip()}".strip())


def replace_in_block(blocks: Sequence[Block], label: str, old: str, new: str) -> list[Block]:
    """The blocks, with the first occurrence of an exact text in one of them replaced."""
    block = block_named(blocks, label)
    if not old.strip():
        raise BadInput("The old text is empty: give the exact text to replace, or append the new one.")
    if old not in block["text"]:
        raise BadInput(f"Block '{label}' does not hold exactly that text: copy it from the block as it stands.")
    return _with_text(blocks, block, block["text"].replace(old, new, 1).strip())


def rewrite_block(blocks: Sequence[Block], label: str, text: str) -> list[Block]:
    """The blocks, with the whole text of one of them replaced; an empty text is refused, as a likely mistake."""
    if not text.strip():
        raise BadInput("A rewrite with no text would empty the block: replace the parts that should go.")
    return with_block(blocks, label, text)


def with_block(blocks: Sequence[Block], label: str, text: str) -> list[Block]:
    """The blocks, with this text, which may be empty, in one of them."""
    return _with_text(blocks, block_named(blocks, label), text.strip())


def block_named(blocks: Sequence[Block], label: str) -> Block:
    """The block with this label."""
    for block in blocks:
        if block["label"].casefold() == label.strip().casefold():
            return block
    raise BadInput(f"There is no block '{label}': choose one of {', '.join(block['label'] for block in blocks)}.")


def blocks_text(blocks: Sequence[Block]) -> str:
    """The blocks as the model sees them, each after its label and size, "n/limit" words."""
    tag = unused_name("block", [block["text"] for block in blocks])
    return "\n".join(
        f"<{tag} {block['label']}: {size_of(block)} words, {block['about']}>\n{block['text']}".rstrip()
        for block in blocks
    )


def size_of(block: Block) -> str:
    """How full a block is."""
    return f"{count_words(block['text'])}/{block['limit']}"


def _with_text(blocks: Sequence[Block], changed: Block, text: str) -> list[Block]:
    words = count_words(text)
    if words > changed["limit"]:
        raise BadInput(
            f"Block '{changed['label']}' would hold {words} words, and its limit is {changed['limit']}: shorten what "
            "it holds first, or insert the details into archival storage. Nothing was changed."
        )
    return [Block(**{**block, "text": text}) if block is changed else block for block in blocks]
