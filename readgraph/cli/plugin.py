"""The commands of the core, as the hook `commands` gives them."""

from readgraph.cli.declaring import Command
from readgraph.plugins import give

CORE_COMMANDS = [
    Command(
        "readgraph.cli.commands.reading:ask",
        "Answer a question about documents, and quote the passages that support the answer.",
        panel="Start",
        order=1,
    ),
    Command(
        "readgraph.cli.commands.reading:read",
        "Read documents: cut them into parts and keep a short note on each. An interrupted reading is continued.",
        panel="Start",
        order=2,
    ),
    Command(
        "readgraph.cli.commands.library:show",
        "List what the library holds, or a document's parts with their notes, or the text where a citation stands.",
        panel="Start",
        order=4,
    ),
    Command(
        "readgraph.cli.commands.library:search",
        "Search the texts of the library by words, and show the passages with their places. No model is asked.",
        panel="More with texts",
        order=1,
    ),
    Command(
        "readgraph.cli.commands.methods:compare",
        "Ask several methods the same question, each under the same budget, and show their answers side by side.",
        panel="More with texts",
        order=7,
    ),
    Command(
        "readgraph.cli.commands.reading:remember",
        "Append sessions to a history and keep notes on what is new.",
        panel="More with texts",
        order=8,
    ),
    Command(
        "readgraph.cli.commands.library:collection",
        "Keep documents under a name, for ask and search.",
        panel="More with texts",
        order=9,
    ),
    Command(
        "readgraph.cli.commands.library:correct",
        "Replace the note on a part by your own words, which are kept when the document is read again.",
        panel="More with texts",
        order=10,
    ),
    Command(
        "readgraph.cli.commands.library:forget",
        "Delete a document from the library, with all notes and questions. Your file stays.",
        panel="More with texts",
        order=11,
    ),
    Command(
        "readgraph.cli.commands.methods:doctor",
        "Look whether all is well: versions, SQLite, settings, library, disk, model (one short call), "
        "embeddings, extras.",
        panel="Looking after",
        order=1,
    ),
    Command(
        "readgraph.cli.commands.library:library", "Look after the library's files.", panel="Looking after", order=2
    ),
    Command(
        "readgraph.cli.commands.methods:models",
        "Show which model is used, choose another one, or check one with a short call.",
        panel="Looking after",
        order=3,
    ),
    Command(
        "readgraph.cli.commands.methods:list_methods",
        "List the methods, or show one of them: its nodes with what they read and write, or its drawing.",
        name="methods",
        panel="Looking after",
        order=4,
    ),
    Command(
        "readgraph.cli.commands.methods:prompts",
        "Write the prompts' words to files, to change them (see --prompts).",
        panel="Looking after",
        order=6,
    ),
    Command(
        "readgraph.cli.commands.library:replies",
        "Export and import saved replies of models, so that a run can be repeated without paying again.",
        panel="Looking after",
        order=7,
    ),
    Command(
        "readgraph.cli.commands.skill:skill",
        "Tell coding agents how to use this command: a skill, as their programs read it (SKILL.md).",
        panel="For programs",
        order=2,
    ),
]
"""The commands of the core, with their places in the help."""

commands = give(*CORE_COMMANDS)
