"""Judging whether an answer is right, by rules that depend on the kind of question.

The rules for histories follow LongMemEval's official script, which has one for each type of question (Wu et al., 2025),
and the judge that Mem0 introduced for LoCoMo (Chhikara et al., 2025); the words are our own.
"""

from collections.abc import Mapping

from readgraph.models.prompt import DATA_RULE, Prompt, fenced
from readgraph.models.wording import wording
from readgraph.nodes.prompts.parts import question_part

VERSION = 1

_SYSTEM = (
    "You judge answers to questions. What you are given beside the question is right, whatever you know of the matter "
    "yourself. A long answer is no better than a short one that says the same, and no worse. " + DATA_RULE
)

_STEPS = (
    "Is the answer right, judged by the reference? Say yes if it says what the reference says, or names every step "
    "from which that follows. Say no if it has only a part of what the reference asks for, or none of it."
)

RULES = {
    "right": (
        "Is the answer right, judged by the reference? Say yes if it gives all that the reference gives, in whatever "
        "words, numbers or form of date, and with whatever else that doesn't contradict it. Say no if a part is "
        "missing, if anything in it contradicts the reference, if it leaves open which of several things is so, or if "
        "it declines to answer."
    ),
    "steps": _STEPS,
    "temporal": (
        _STEPS + " Where the question asks for a number of days, weeks, months or the like, a number that is wrong by "
        "one is still right: 19 days where the reference has 18."
    ),
    "update": (
        "What the question asks for has changed in the course of time, and the reference has what holds now. Is the "
        "answer right? Say yes if what it gives as holding now is what the reference has, even where it also tells "
        "what was so before. Otherwise say no."
    ),
    "preference": (
        "The rubric describes a reply that suits the person who asked. Does the answer suit this person? Say yes if it "
        "rightly recalls and uses what is known of the person; it need not meet each point of the rubric. Otherwise "
        "say no."
    ),
    "abstention": (
        "The question can't be answered from what is known; the explanation says why. Does the answer see that? Say "
        "yes if it says that it can't be answered or that what is asked for is not known, even where it tells other "
        "things that are known. Say no if it answers the question all the same."
    ),
    "generous": (
        "The question is about what two people told each other; the reference is short, the answer may be long. Judge "
        "generously: say yes if the answer speaks of the same thing as the reference. Where a time is asked for, say "
        "yes if it is the same day or period, in whatever form, also one told from another day, such as last Tuesday. "
        "Otherwise say no."
    ),
}
"""What is asked for, by the rule."""

_PROMPTS = {
    rule: wording(f"judge_{rule}", f"judge_{rule}", VERSION, _SYSTEM, f"{task} Answer with yes or no.")
    for rule, task in RULES.items()
}

_BESIDE: Mapping[str, str] = {"preference": "rubric", "abstention": "explanation"}
"""What stands in the reference's place, by the rule."""


def judge_prompt(rule: str, question: str, answer: str, reference: str) -> Prompt:
    """Ask whether the answer is right by this rule (`readgraph.evaluation.records.Rule`)."""
    beside = fenced(_BESIDE.get(rule, "reference"), reference)
    return _PROMPTS[rule].ask(beside, question_part(question, {}), fenced("answer", answer))
