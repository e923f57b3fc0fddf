/** The agents of this library: readers with a memory of their own, which they edit themselves. */
async function agentsView(box, signal) {
  const { agents } = await api.get("/api/agents", signal);
  const items = agents.map((one) => element(
    "li.document", {},
    element("h2", {}, prose("a.title", one.name, { href: placeOf("agents", one.name) })),
    element("p.quiet", {}, [counted(one.events, "event"), day(one.created)].filter(Boolean).join(" · ")),
  ));
  const name = element("input", { type: "text", autocomplete: "off" });
  const make = doing("Make an agent", async () => {
    if (!name.value.trim()) throw new Problem("Give it a name first.", 0);
    await api.post("/api/agents", { name: name.value.trim() });
    location.hash = placeOf("agents", name.value.trim());
  });
  const line = element("p.quiet", {}, items.length ? counted(items.length, "agent") : "No agent lives here yet.");
  box.replaceChildren(element("div.heading", {}, element("h1", {}, "Agents"), line), element("ul.documents", {}, items), element("div.add", {}, field("Name", name), make));
}

/** One agent: the talk with it, and beside it its memory. */
async function agentView(box, name, signal) {
  entitled(name);
  const side = element("aside.agent-memory", { "aria-label": "Its memory" });
  const talk = element("ol.talk", { "aria-label": "The talk", tabindex: 0 });
  const text = element("textarea", { rows: 3, dir: "auto" });
  let stop = () => {};
  const renew = async () => {
    const agent = await api.get(pathOf("agents", name), signal);
    side.replaceChildren(...agentMemory(agent, renew));
    return agent;
  };
  const chat = (run) => {
    stop();
    const pieces = prose("li.piece", "", { "data-from": "agent" });
    const heard = (event) => {
      if (event.type === "event") {
        pieces.remove();
        pieces.textContent = "";
        talk.append(spokenEvent(event.event));
      } else if (event.type === "text") {
        pieces.append(event.text);
        talk.append(pieces);
      } else if (event.type === "end") {
        pieces.remove();
        if (event.run.problem) talk.append(element("li.trouble", {}, event.run.problem));
        renew().catch(() => {});
      }
      talk.scrollTop = talk.scrollHeight;
    };
    stop = follow(run.id, { events: (list) => list.forEach(heard), lost: () => talk.append(element("li.trouble", {}, "The server was started anew; say it once more.")) });
  };
  const send = doing("Send", async () => {
    if (!text.value.trim()) return text.focus();
    const run = await api.post(pathOf("agents", name, "messages"), { text: text.value.trim() });
    talk.append(prose("li", text.value.trim(), { "data-from": "user" }));
    text.value = "";
    text.focus();
    chat(run);
  }, { class: "main" });
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send.querySelector("button").click();
  });
  const undo = doing("Take back the last turn", async () => {
    await api.post(pathOf("agents", name, "undo"));
    talk.replaceChildren(...(await renew()).messages.map(talkLine));
  });
  const agent = await renew();
  talk.append(...agent.messages.map(talkLine));
  const said = element("section.talking", { "aria-label": `Talk with ${name}` }, talk, field("Your message", text), element("div.buttons", {}, send, undo));
  box.replaceChildren(prose("h1", name), element("div.agent", {}, said, side));
  talk.scrollTop = talk.scrollHeight;
  return () => stop();
}

const talkLine = (message) => prose("li", message.text, { "data-from": message.from, title: day(message.at) });

/** An event of a turn: what the agent says as speech, what it thinks and does in small. */
function spokenEvent(event) {
  const speaks = event.kind === "call" && event.function === "send_message" && !event.failed;
  if (speaks && event.result !== null) return prose("li", String(event.arguments.message ?? ""), { "data-from": "agent" });
  if (event.kind === "user") return prose("li.unseen", event.text);
  const line = agentEvent(event);
  line.dataset.from = "system";
  return line;
}

/** What an agent remembers: its blocks, how full its window is, its storage, the documents that it was given. */
function agentMemory(agent, renew) {
  const { used, window: size } = agent.memory;
  const meter = element("meter", { min: 0, max: size, value: used, high: agent.memory.warned ? used : size, "aria-label": "How full its window is" });
  const blocks = agent.blocks.map((block) => agentBlock(agent, block, renew));
  const words = element("input", { type: "search", autocomplete: "off" });
  const store = choice([["recall", "what happened"], ["archival", "what it keeps"]], "recall");
  const results = element("ol.talk");
  const look = doing("Search", async () => {
    const path = withQuery(pathOf("agents", agent.name, "search"), { store: store.value, query: words.value.trim() });
    const { found, events, passages } = await api.get(path);
    const items = (events ?? passages ?? []).map((one) => prose("li", one.text ?? String(one), { "data-from": "system" }));
    results.replaceChildren(...(items.length ? items : [element("li.quiet", {}, `${number(found ?? 0)} found.`)]));
  });
  return [
    element("h2", {}, "Memory"),
    element("p.quiet", {}, `${number(used)} of ${number(size)} words in its window`), meter,
    ...blocks,
    element("p.quiet", {}, `${counted(agent.events, "event")}, ${counted(agent.passages, "passage")}, ${counted(agent.documents.length, "document")}.`),
    opening("Search its storage", {}, field("Words", words), field("In", store), look, results),
    opening("Give it a text", {}, givingField(agent, renew)),
  ];
}

function agentBlock(agent, block, renew) {
  const text = element("textarea", { rows: 4, dir: "auto", maxlength: block.limit ?? null });
  text.value = block.text;
  const save = doing("Save", async () => {
    await api.put(pathOf("agents", agent.name, "blocks", block.label), { text: text.value });
    await renew();
    speak("Saved.");
  });
  return element("div.block", {}, field(capital(block.label), text), save);
}

function givingField(agent, renew) {
  const end = new AbortController();
  const texts = picking([], () => {}, end.signal);
  texts.begin();
  const give = doing("Give it these", async () => {
    for (const id of texts.ids()) await api.post(pathOf("agents", agent.name, "documents"), { document: id });
    await renew();
  });
  return element("div", {}, texts.box, give);
}
