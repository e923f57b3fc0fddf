/** A document: its memories, its pages with their notes, its tree, and what can be done with it. */
async function documentView(box, id, memory, signal, part = null) {
  const owner = await api.get(pathOf("documents", id), signal);
  const title = owner.title || owner.source || owner.id;
  entitled(title);
  const chosen = owner.memories.find((one) => one.id === memory) ?? newest(owner.memories);
  const told = [counted(owner.words, "word"), owner.parts.length ? counted(owner.parts.length, "document") : "", day(owner.added)];
  const head = element("div.heading", {}, prose("h1", title), prose("p.quiet", [...told, owner.source].filter(Boolean).join(" · ")));
  if (!chosen) head.append(...owner.notices.map((notice) => element("p.notice", {}, notice)));
  const body = element("div.body");
  const ways = element("div.buttons", {}, element("a.button.main", { href: placeOf("ask", id) }, "Ask about it"));
  ways.append(...makingWays(id));
  ways.append(deleting(title, () => toldLoss(owner, title), pathOf("documents", id), () => (location.hash = placeOf("library"))));
  const reading = readingPanel(owner, !chosen, signal);
  const collected = owner.parts.length ? null : await collectionsPanel(owner, signal);
  const asked = element("div.asked");
  const offered = element("div");
  box.replaceChildren(...[head, ways, offered, reading, collected, owner.memories.length > 1 ? memoryChoice(owner, chosen) : null, body, asked].filter(Boolean));
  askedOf(owner, asked, signal);
  suggestions(id, signal).then((list) => list && offered.replaceWith(list));
  if (!chosen) return;
  body.append(element("p.quiet", {}, "…"));
  const data = await withAllPages(await api.get(pathOf("documents", id, "memories", chosen.id), signal), id, chosen.id);
  if (!body.isConnected) return;
  showReport(body, data, { document: owner, memory: chosen.id }, readWith(chosen));
  if (part !== null && report.pages[part]) pages.open(part);
}

/** The ways to what else can be made of a text. */
const makingWays = (ids) => [["summarise", "Summarise"], ["table", "Make a table"], ["verify", "Check a text"], ["wiki", "Make a wiki"]].map(([way, label]) =>
  element("a.button", { href: placeOf(...[way, ids].filter(Boolean)) }, label));

/** What deleting a document loses. */
async function toldLoss(owner, title) {
  const { total } = await api.get(withQuery("/api/questions", { document: owner.id, limit: 1 }));
  const { joint } = await api.get(pathOf("documents", owner.id, "joint"));
  const lost = [owner.memories.length ? "its notes" : "", total ? counted(total, "question") : ""].filter(Boolean);
  const kept = (one) => (one.kept ? `, of which ${number(one.kept)} about the others alone ${one.kept === 1 ? "stays" : "stay"}` : "");
  const joined = joint.map((one) => ` Also deleted: what was read of “${shortened(one.title, LONGEST_TITLE)}” together, with ${counted(one.questions, "question")}${kept(one)}.`);
  return `Delete “${shortened(title, LONGEST_TITLE)}”${lost.length ? ` with ${lost.join(" and ")}` : ""}?${joined.join("")} This can't be undone.`;
}

const newest = (memories) => memories.reduce((best, one) => (!best || one.started > best.started ? one : best), null);

function readWith(memory) {
  const told = `Read with ${memory.method}${memory.purpose ? ` for ${memory.purpose}` : ""}, ${memory.model || "without a model"}, ${day(memory.started)}.`;
  return prose("p.quiet", memory.complete ? told : `${told} Not finished; reading goes on where it stopped.`);
}

function memoryChoice(owner, chosen) {
  const pairs = owner.memories.map((one) => [one.id, `${toldMemory(owner, one)} · ${memoryTitle(one)}`]);
  const select = choice(pairs, chosen.id);
  select.addEventListener("change", () => (location.hash = placeOf("document", owner.id, select.value)));
  return field("Read with", select);
}

/** The way to read a document with a method: what that will take is told first. */
function readingPanel(owner, isOpen, signal) {
  const settings = element("div");
  const body = () => ({ documents: [owner.id], method: method.select.value, settings: changedSettings(offeredFor(method.select.value)[0], true) });
  const estimate = estimating(body, signal);
  const draw = async () => {
    if (panel.open) estimate.renew();
    if (more.open) settings.replaceChildren(await settingsPanel(offeredFor(method.select.value), { isReading: true, onchange: estimate.renew }));
  };
  const method = methodChoice("", draw);
  const read = doing("Read", async () => (location.hash = placeOf("run", (await beginRun(body())).id)), { class: "main" });
  const more = opening("More", {}, method.box, settings);
  const line = element("p.quiet", {}, "A question reads what it needs. Read ahead, and later questions are answered sooner.");
  const panel = opening("Read it ahead", { class: "reading-panel", open: isOpen, "data-form": "" }, line, element("div.going", {}, read, estimate.box), more);
  for (const one of [panel, more]) one.addEventListener("toggle", draw);
  draw();
  return panel;
}

/** What was asked about a document. */
async function askedOf(owner, box, signal) {
  try {
    const { total, questions } = await api.get(withQuery("/api/questions", { document: owner.id, limit: 10 }), signal);
    if (!total) return;
    const more = total > questions.length ? element("p.quiet", {}, `The newest ${questions.length} of ${number(total)}.`) : null;
    box.replaceChildren(section("asked", "Asked about it", element("ul.questions", {}, questions.map(questionItem)), more));
  } catch (problem) {
    if (toldProblem(problem)) box.replaceChildren(element("p.trouble", {}, toldProblem(problem)));
  }
}
