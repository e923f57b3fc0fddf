"""Ordinary replies, of every kind of text, are neither refused nor altered, whatever in them resembles a mark."""

import pytest
from pydantic import BaseModel

from readgraph.models.replies.forms import parse_reply, plain_text


class Said(BaseModel):
    reasoning: str
    notes: list[str]


TEXTS = r"""
The lamp was lit at nine.\n# Summary\n\n- **Ada** lit the lamp.\n- The keeper slept.
1. First, he left.\n2. Then she came. ¦ Answer: The keeper did it. ¦ **Answer:** 42 ¦ Response: He nodded.
Thought: it is better to wait, he wrote. ¦ Thinking fast and slow is a book by Kahneman.
Thinking about it, the keeper left the island. ¦ Reasoning: the court held that the statute applies.
The reasoning: unclear. ¦ Analysis shows that prices rose. ¦ Analysis: prices rose by 3%.
Commentary by the editor follows. ¦ Thoughts on the sea\n\nThe narrator thinks of it.
Thoughts:\n\nThe narrator lists three of them: sea, sky, sand.
## Reasoning\n\nThe court reasoned that the contract was void.\n\n## Decision\n\nThe appeal was dismissed.
## Thinking\n\nThe chapter is about thinking in birds. ¦ Final answer: B ¦ <p>The lamp was <b>lit</b>.</p>
<details><summary>Plot</summary>The lamp was lit.</details>\n\nHe slept. ¦ <div class="note">The lamp</div> was lit.
<table><tr><td>1</td></tr></table> ¦ <summary>The lamp was lit by Ada.</summary> ¦ <note>The lamp was lit.</note>
<gist>The keeper lit it.</gist> And the ship came. ¦ <T> is a type parameter; `Vec<T>` holds many.
Vec<String> and HashMap<K, V> are used. ¦ if a < b and c > d: pass ¦ The page shows x<y>z.
`git commit -m "think"` is run. ¦ ```python\ndef think(x):\n    return {"a": [1, 2]}\n```
```json\n{"thought": "none", "a": 1}\n``` ¦ ```\nplain\n``` ¦ ```mermaid\ngraph TD; A-->B\n```
Config: {"a": {"b": [1, 2, {"c": null}]}} ¦ {name} is replaced by {value}. ¦ [1] The first. [2] The second.
[The keeper sighs] I am tired. ¦ [START] begins it, [END] ends it. ¦ «Pensée» est le mot du jour.
«Мысли» — так называется глава. ¦ «Мысль» Толстого ясна. ¦ “Thinking” is what he called it. ¦ 《思考》是一本书。
《思想录》是帕斯卡的著作。 ¦ 【思考】本章讨论思考的过程。 ¦ 【分析】价格上涨了。 ¦ 【推理小说】这类小说流行。
思考：作者认为海是自由的。 ¦ 他想了想，然后走了。 ¦ 老人は海を見た。 ¦ 《考え》という本がある。
Der Wärter zündete die Lampe an; „Denken“ heißt das Kapitel. ¦ Überlegungen: keine.
Gedanken:\n- Das Meer\n- Der Himmel ¦ Raisonnement : le tribunal a jugé. ¦ El farero encendió la lámpara.
الحارس أشعل المصباح. ¦ Смотритель зажёг лампу. ¦ 등대지기가 불을 켰다. 생각: 없음.
O sea,\n  the lamp,\n    the night. ¦ Two roads diverged / in a wood ¦ He said: "I think, therefore I am."
"Let me think," she said, and left. ¦ Let me think: the keeper is Ada. ¦ Okay, so the keeper is Ada.
Here is my answer: the keeper. ¦ Here's the answer: Ada. ¦ Here is the summary:\n\nAda lit the lamp.
Output: 3 files were changed. ¦ Reply: "We are coming." ¦ The reply:\nWe come.
Her response: silence.\n\nHis reply: anger. ¦ Response:\nThe patient responded to treatment.
Assistant: the role of Maria in the lab. ¦ assistant professor Maria taught there.
User: hello. Bot: hi. This is the dialogue. ¦ Human: a being. System: a whole.
User: what is it?\nAssistant: it is a lamp. ¦ <user@example.org> wrote to <bob@example.org>.
From: <a@b.c>\nTo: <d@e.f> ¦ <https://example.org/think> is the link. ¦ See <https://example.org>.
<model> is the root element of the XML. ¦ <reply-to> is a header. ¦ A </div> closes it.
$x^2 < y$ and $\langle\psi|\phi\rangle$ ¦ |a|b|\n|-|-|\n|1|2| ¦ <|> is an operator in Haskell; <$> too.
a <|> b <|> c ¦ f <| g |> h ¦ x |> f <| y ¦ if (x <think) then ¦ std::vector<think::Node> v;
List<Thought> thoughts = new ArrayList<>(); ¦ Map<Reasoning, Answer> m; ¦ Promise<Response> fetch(url)
import type { Output } from 'x'; const a: Array<Output> = []; ¦ public Optional<Model> find(User<System> u)
Result<Answer, Error> ¦ Task<Thought> ThinkAsync() ¦ Done thinking, he slept. ¦ ...done thinking. He slept.
He was done thinking. ¦ End of thought. He slept. ¦ --- \ntitle: A\n---\nText ¦ ***\nThe lamp\n*** ¦ > Quote: the lamp
* Thinking: a chapter\n* Acting: another ¦ - Reasoning: chapter 1\n- Answer: chapter 2 ¦ Q: Who lit it?\nA: Ada.
Scratchpad:\nan old pad in the drawer. ¦ Scratchpad notes were found in the drawer.
Inner monologue: the device Joyce used. ¦ Chain of thought: a term of psychology. ¦ The chain of thought is broken.
Thought\nIs a bird. ¦ THINK\nis IBM's motto. ¦ THINK. That is IBM's motto. ¦ Step 1: light. Step 2: wait.
{"answer": "It was lit."} ¦ {"a": 1} and {"b": 2} ¦ &lt;b&gt;bold&lt;/b&gt; ¦ 5 &lt; 6 ¦ <!-- a comment --> The lamp.
<?xml version="1.0"?><doc/> ¦ <doc>Text</doc> ¦ <chapter>One</chapter> The lamp was lit.
<speaker>Ada</speaker> lit it. ¦ <Ada>: I lit it.\n<Bob>: No. ¦ <poem>The sea</poem>\nby Ada ¦ <ul><li>One</li></ul>
<quote>It was lit.</quote> [1] ¦ <b>Thinking:</b> is the heading ¦ C# uses <summary>docs</summary> above methods.
\boxed{42} ¦ ∴ x = 3 ¦ 😀 The lamp 🕯️ ¦ No. ¦ N/A ¦ none ¦ ... ¦ The model's final answer: none was given.
The final answer is B. ¦ **Final Answer**\n\nB ¦ **Conclusion:** He slept. ¦ **Thought experiment:** a cat in a box.
Thought experiment: a cat. ¦ Reasoning skills: chapter three. ¦ Thinking machines: a company.
Reflection: light bounces. ¦ Reflections:\nthe sea mirrors the sky. ¦ Analysis:\n\n1. Prices\n2. Wages
Final: Italy 3, France 1. ¦ To: all. Reasoning attached. ¦ thinkpad x1 is a laptop ¦ act/think>feel ¦ a->think->b
x=>think=>y
"""
REPLIES = TEXTS.strip("\n").replace("\n", " ¦ ").replace(r"\n", "\n").split(" ¦ ")
"""Each ends at ¦ or with its line; \\n is a line break inside of one."""


@pytest.mark.parametrize("source", ["", "He said: {} And left."])
def test_an_ordinary_reply_stays_as_it_is(source: str) -> None:
    for text in REPLIES:
        about = source.format(text) if source else ""
        assert plain_text(text, about) == text
        said = Said(reasoning=text, notes=[text])
        for reply in (said.model_dump_json(), f"```json\n{said.model_dump_json(indent=1)}\n```"):
            assert parse_reply(reply, Said, about) == said, text
