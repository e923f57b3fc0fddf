/** The agents of this library: readers with a memory of their own, which they edit themselves. */
async function agentsView(box, signal) {
  const { agents } = await api.get("/api/agents", signal);
  const items = agents.map((one) => element(
    "li.document", {},
    element("h2", {}, prose("a.title", one.name, { href: placeOf("agents", one.name) })),
    element("p.quiet", {}, [counted(one.events, "event"), day(one.created)].filter(Boolean).join(" · ")),
    deleting(one.name, `Delete “${one.name}” and all that it remembers? This can't be undone.`, pathOf("agents", one.name), () => router.go()),
  ));
  const name = element("input", { type: "text", autocomplete: "off" });
  const begin = doing("Talk with it", async () => {
    if (!name.value.trim()) throw new Problem("Give it a name first.", 0);
    location.hash = placeOf("agents", name.value.trim());
  }, { class: "main" });
  const line = element("p.quiet", {}, items.length ? counted(items.length, "agent") : "No agent lives here yet.");
  const heading = element("div.heading", {}, element("h1", {}, "Agents"), line);
  const help = "An agent of a new name begins with your first message, and remembers what you talk about.";
  box.replaceChildren(heading, element("ul.documents", {}, items), element("div.add", { "data-form": "" }, field("Name", name, help), begin));
}

/** One agent: the talk with it, and beside it its memory. */
async function agentView(box, name, signal) {
  entitled(name);
  const side = element("aside.agent-memory", { "aria-label": "Its memory" });
  const talk = element("ol.talk", { "aria-label": "The talk", tabindex: 0 });
  let stop = () => {};
  const renew = async () => {
    const agent = await api.get(pathOf("agents", name), signal);
    renewed(side, agentMemory(agent, turn));
    return agent;
  };
  const draw = async () => {
    talk.replaceChildren(...(await renew()).newest.map(spokenEvent).filter(Boolean));
    talk.scrollTop = talk.scrollHeight;
  };
  const turn = (run, after = 0) => {
    stop();
    stop = followTurn(run, talk, after, () => draw().catch((problem) => talk.append(element("li.trouble", {}, toldProblem(problem)))));
  };
  const undo = doing("Take back the last turn", async () => {
    const { undone } = await api.post(pathOf("agents", name, "undo"));
    await draw();
    speak(undone.length ? "Taken back." : "There is nothing to take back.");
  });
  const { runs } = await api.get("/api/runs", signal); // first: a turn may end before the agent is drawn
  await draw();
  const said = element("section.talking", { "aria-label": `Talk with ${name}` }, talk, writing(name, talk, turn, undo));
  box.replaceChildren(prose("h1", name), element("div.agent", {}, said, side));
  talk.scrollTop = talk.scrollHeight;
  const going = runs.find((one) => one.kind === "chat" && one.title === name && ["waiting", "working"].includes(one.state));
  if (going) turn(going, going.last_event);
  return () => stop();
}

/** Draw the memory anew; what is being written in it, what is open and where the focus is stay. */
function renewed(side, parts) {
  const fields = () => [...side.querySelectorAll(".block textarea")];
  const drafts = new Map(fields().map((text) => [text.name, text]));
  const focused = side.contains(document.activeElement) ? document.activeElement : null;
  const storage = [...side.children].filter((part) => part.localName === "details");
  const fresh = parts.map((part) => (part.localName === "details" ? storage.shift() ?? part : part));
  side.replaceChildren(...fresh);
  for (const text of fields()) {
    const draft = drafts.get(text.name);
    if (!draft) continue;
    if (draft.value !== draft.defaultValue) text.value = draft.value;
    if (draft !== focused) continue;
    text.focus({ preventScroll: true });
    text.setSelectionRange(draft.selectionStart, draft.selectionEnd);
  }
  if (focused?.isConnected) focused.focus({ preventScroll: true });
}

/** The field for a message, and the button that sends it. */
function writing(name, talk, turn, undo) {
  const text = element("textarea", { rows: 3, dir: "auto", "data-enter": "" });
  const send = doing("Send", async (button) => {
    const said = text.value.trim();
    if (!said) return text.focus();
    const run = await api.post(pathOf("agents", name, "messages"), { text: said });
    talk.append(prose("li", said, { "data-from": "user" }));
    text.value = "";
    if ([document.body, button].includes(document.activeElement)) text.focus(); // else the reader is elsewhere by now
    turn(run);
  }, { class: "main" });
  return element("div", { "data-form": "" }, field("Your message", text, "Enter sends it, Shift+Enter begins a new line."), element("div.buttons", {}, send, undo));
}

/** Show a turn as it happens: thoughts and speech while they are written, calls once they are made. */
function followTurn(run, talk, after, ended) {
  const thoughts = prose("span.thoughts", "");
  const text = prose("span", "");
  const piece = element("li.piece", { "data-from": "system" }, thoughts, text);
  const clear = () => {
    piece.remove();
    thoughts.replaceChildren();
    text.replaceChildren();
  };
  let id = null;
  const take = (event) => {
    if (event.type === "text") {
      if (event.id !== id) clear();
      id = event.id;
      thoughts.append(event.thoughts ?? "");
      text.append(event.text ?? "");
      talk.append(piece);
    } else if (event.type === "event" && event.event.kind !== "user" && (event.event.kind !== "call" || event.event.result !== null)) {
      clear();
      const line = spokenEvent(event.event);
      if (line) talk.append(line);
      if (line?.dataset.from === "agent") speak(line.textContent);
    } else if (event.type === "end") {
      clear();
      ended();
      if (event.run.problem) talk.append(element("li.trouble", {}, event.run.problem));
    }
    talk.scrollTop = talk.scrollHeight;
  };
  const lost = () => talk.append(element("li.trouble", {}, "The server was started anew; say it once more."));
  const break_ = element("li.trouble.broken", { role: "alert" });
  const broken = (seconds) => {
    break_.remove();
    break_.textContent = `The connection to the server broke. The next try is in ${seconds} s.`;
    if (seconds !== null) talk.append(break_);
  };
  return follow(run.id, { events: (list) => list.forEach(take), lost, broken, after });
}

/** An event of a turn: what was said as speech, what the agent thinks and does in small. */
function spokenEvent(event) {
  if (event.kind === "user") return prose("li", event.text, { "data-from": "user", title: day(event.at) });
  const speaks = event.kind === "call" && event.function === "send_message" && !event.failed && event.result !== null;
  if (speaks) return prose("li", String(event.arguments.message ?? ""), { "data-from": "agent", title: day(event.at) });
  const line = agentEvent(event);
  line.dataset.from = "system";
  return line;
}

/** What an agent remembers: its blocks, how full its view is, its storage, the documents that it was given. */
function agentMemory(agent, turn) {
  const { used, room: size, warned } = agent.pressure;
  const about_ = size ? `${number(used)} of ${number(size)} words in its view` : "Its view is empty.";
  const meter = size ? element("meter", { min: 0, max: size, value: used, "aria-label": "How full its view is" }) : null;
  const told = [counted(agent.events, "event"), counted(agent.passages, "passage"), counted(agent.documents.length, "document")];
  const documents = agent.documents.map((one) => element("li", {}, prose("a", one.title || one.id, { href: placeOf("document", one.id) })));
  return [
    element("h2", {}, "Memory"),
    element("p.quiet", {}, about_),
    meter,
    warned ? element("p.quiet", {}, "It was told to save what matters.") : null,
    ...agent.blocks.map((block) => agentBlock(agent, block)),
    element("p.quiet", {}, `${told.join(", ")}.`),
    documents.length ? element("ul", { "aria-label": "Its documents" }, documents) : null,
    opening("Search its storage", {}, ...storageSearch(agent)),
    opening("Give it a text", {}, givingField(agent, turn)),
  ].filter(Boolean);
}

function storageSearch(agent) {
  const words = element("input", { type: "text", autocomplete: "off" });
  const store = choice([["recall", "what happened"], ["archival", "what it keeps"]], "recall");
  const results = element("ol.talk");
  const look = doing("Search", async () => {
    const path = withQuery(pathOf("agents", agent.name, "search"), { store: store.value, query: words.value.trim() });
    const { found, items } = await api.get(path);
    const lines = items.map((one) => prose("li", one.text || String(one.arguments?.message ?? ""), { "data-from": "system" }));
    results.replaceChildren(element("li.quiet", {}, `${number(found)} ${words.value.trim() ? "found" : "in all"}.`), ...lines);
  }, { "data-go": "" });
  return [element("div", { "data-form": "" }, field("Words", words), field("In", store), look), results];
}

/** A block of what the agent always sees; a person may write it, too. */
function agentBlock(agent, block) {
  const text = element("textarea", { rows: 4, dir: "auto", name: block.label }, block.text);
  const save = doing("Save", async () => {
    await api.put(pathOf("agents", agent.name, "blocks", block.label), { text: text.value });
    text.defaultValue = text.value;
    speak("Saved.");
  }, { "data-go": "" });
  const help = [block.about ? `${capital(block.about)}.` : "", block.limit ? `Up to ${counted(block.limit, "word")}.` : ""].filter(Boolean).join(" ");
  return element("div.block", { "data-form": "" }, field(capital(block.label), text, help), save);
}

function givingField(agent, turn) {
  const end = new AbortController();
  const texts = picking([], () => {}, end.signal, "No text is chosen.", false);
  texts.begin();
  const give = doing("Give it these", async () => {
    for (const id of texts.ids()) turn(await api.post(pathOf("agents", agent.name, "documents"), { document: id }));
  });
  return element("div", {}, texts.box, give);
}
