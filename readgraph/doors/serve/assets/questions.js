/** An answer with its report, and what may follow: to copy it, to keep it, to ask on. */
function showAnswer(box, { report: data, document: id, memory, thread }, run, owner) {
  const ways = element("div.buttons.ways-on");
  const asking = element("div");
  ways.append(doing("Copy as Markdown", async (button) => {
    await copied(markdownOf(data));
    button.textContent = "Copied";
  }));
  const file = run ? pathOf("runs", run.id, "report.html") : pathOf("questions", thread, "report.html");
  ways.append(element("a.button", { href: file, download: "" }, "Download the report"));
  if (run && data.found?.table) ways.append(element("a.button", { href: pathOf("runs", run.id, "table.csv"), download: "" }, "Download the table"));
  if (thread) ways.append(followUpButton(id, thread, data, asking));
  if (data.found?.status === "no_answer" && !data.found.absence && about.model) ways.append(everyPartButton(id, data));
  ways.append(element("a.button", { href: placeOf("document", id, memory) }, "Open the document"));
  showReport(box, data, { document: owner, memory });
  const links = thread ? about.links.map(([label, path]) => element("a", { href: `${path}#${encodeURIComponent(thread)}` }, label)) : [];
  if (links.length) box.querySelector(".how-read > summary")?.after(element("p", {}, links));
  const told = box.querySelector(".told");
  told?.querySelector(".answer > :is(.said, .context, .wide)").after(element("div", {}, ways, asking));
}

/** The method for what is asked next: a way that was chosen is chosen again. */
const methodNamed = (data) => (data.way ? {} : { method: data.method });

/** Where no answer was found: ask again, and let the model judge each part that was not read. */
function everyPartButton(document_, data) {
  const settings = { ...changedSettings(data.method), prove_absence: true };
  const body = { documents: [document_], ...methodNamed(data), question: data.question, options: data.options, settings };
  return doing("Look in every part", async () => (location.hash = placeOf("run", (await beginRun(body)).id)));
}

/** Ask on in the same thread. */
function followUpButton(document_, thread, data, box) {
  const open = () => {
    if (box.childElementCount) return box.querySelector("textarea").focus();
    const question = element("textarea", { rows: 2, dir: "auto", "data-enter": "" });
    const body = () => question.value.trim() ? {
      documents: [document_], ...methodNamed(data), question: question.value.trim(), options: [],
      settings: changedSettings(data.method), follow_up: thread,
    } : null;
    const estimate = estimating(body);
    question.addEventListener("input", estimate.renew);
    const go = doing("Ask", async () => {
      if (!body()) throw new Problem("Write a question first.", 0);
      location.hash = placeOf("run", (await beginRun(body())).id);
    }, { class: "main" });
    question.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") event.stopPropagation();
      if (event.key === "Escape") box.replaceChildren();
    });
    box.replaceChildren(element("div.follow-up", { "data-form": "" }, field("A further question", question, "It may lean on what was asked before."), estimate.box, go));
    question.focus();
  };
  return element("button", { type: "button", onclick: open }, "Ask on");
}

/** Put a text on the clipboard; where the browser refuses, by a field that is selected. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const hold = element("textarea.unseen", { "aria-hidden": "true" });
    hold.value = text;
    document.body.append(hold);
    hold.select();
    const done = document.execCommand("copy");
    hold.remove();
    if (!done) throw new Problem("The browser doesn't let this page copy; select the answer instead.", 0);
  }
  speak("Copied.");
}

/** The answer as Markdown: the question, the answer with its marks, and the citations under their numbers. */
function markdownOf(data) {
  const { found } = data;
  const points = [...(found.answer ?? (found.status === "reading" ? NO_ANSWER_YET : "No answer was found."))];
  const at = markPlaces(found, points.length);
  const guess = found.choice && found.by_rule ? `${GUESSED} ` : "";
  let [marked, before] = [found.choice ? `${guess}${found.choice}. ` : "", 0];
  for (const end of [...new Set(at.filter((place) => place !== null))].sort((one, other) => one - other)) {
    const marks = at.flatMap((offset, place) => (offset === end ? [`[${place + 1}]`] : []));
    marked += `${points.slice(before, end).join("")} ${marks.join("")}`;
    before = end;
  }
  marked += points.slice(before).join("");
  const cited = found.citations.map((citation, place) => {
    const lines = citation.quote.trim().split("\n").map((line) => line.trim()).filter(Boolean);
    return `${place + 1}. ${whereabouts(citation.page, citation.place)}:\n${lines.map((line) => `   > ${line}`).join("\n")}`;
  });
  const about_ = `*${unmarked(data.title)}*, read with ${data.method}`;
  return `${[`**${unmarked(data.question)}**`, marked, ...(cited.length ? [cited.join("\n\n")] : []), about_].join("\n\n")}\n`;
}

/** A text in which nothing is a mark of Markdown, or of HTML. */
const unmarked = (text) => text.replace(/[\\`*_[\]<]/g, "\\$&").replace(/\s+/gu, " ");

const ASKED_AT_ONCE = 50;

/** What is under way or was made, and what was asked in this library, newest first. */
async function questionsView(box, signal) {
  const { runs } = await api.get("/api/runs", signal);
  const listed = runs.filter(isListed);
  const going = new Set(listed.map((run) => run.thread).filter(Boolean));
  const list = element("ul.questions.documents");
  const state = element("p.quiet", { role: "status" });
  let offset = 0;
  const next = async () => {
    const { total, questions } = await api.get(withQuery("/api/questions", { offset, limit: ASKED_AT_ONCE }), signal);
    offset += questions.length;
    list.append(...questions.filter((one) => !going.has(one.thread)).map(questionItem));
    state.textContent = total ? counted(total, "question") : "Nothing was asked yet.";
    more.hidden = offset >= total || !questions.length;
  };
  const more = doing("Show more", next);
  await next();
  const items = [...listed.map(runItem), ...lostRuns(runs)];
  const ways = element("div.buttons", {}, state, element("a.button", { href: placeOf("compare") }, "Compare two methods"));
  box.replaceChildren(...[element("div.heading", {}, element("h1", {}, "Questions"), ways),
    items.length ? element("ul.documents.runs", { "aria-label": "Under way, or made" }, items) : null, list, more].filter(Boolean));
}

/** A question that was asked, with the beginning of its answer. */
function questionItem(one) {
  const about_ = [shortened(one.title ?? "", LONGEST_TITLE), SAID[one.status] ?? STATES[one.status] ?? one.status, day(one.asked)].filter(Boolean).join(" · ");
  return element(
    "li.document",
    {},
    element("h3", {}, prose("a.title", one.question || "A question", { href: placeOf("question", one.thread) })),
    one.answer ? prose("p", shortened(one.answer, 220)) : null,
    prose("p.quiet", about_),
    deletingQuestion(one, () => router.go()),
  );
}

function deletingQuestion({ question, thread }, after) {
  const line = `Delete the question “${shortened(question, LONGEST_TITLE)}” with its answer? What was read for it stays.`;
  return deleting(`the question ${shortened(question, LONGEST_TITLE)}`, line, pathOf("questions", thread), after);
}

/** A question that was asked before, with its whole report and the steps from which it can be asked otherwise. */
async function questionView(box, thread, signal) {
  const came = await api.get(pathOf("questions", thread), signal);
  await withAllPages(came.report, came.document, came.memory);
  entitled(came.question);
  const owner = await api.get(pathOf("documents", came.document), signal).catch(() => ({ id: came.document, has_original: false }));
  const answer = element("div.outcome");
  box.replaceChildren(answer);
  if (came.report) showAnswer(answer, came, null, owner);
  else answer.append(prose("h1", came.question));
  if (STATES[came.status]) answer[came.report ? "prepend" : "append"](...unfinished(thread, came));
  const steps = came.checkpoints.filter((one) => one.next.length && one.summary);
  if (steps.length) box.append(steppingBack(thread, came, steps));
  box.append(deletingQuestion(came, () => (location.hash = placeOf("questions"))));
}

/** What became of a question that is not finished, and the way on. */
function unfinished(thread, came) {
  const ended = ["failed", "stopped"].includes(came.status);
  const line = ended ? "It ended early. Nothing is paid for twice if it goes on." : "It is not finished yet.";
  const ways = element("div.buttons");
  const [newest] = came.checkpoints;
  if (newest?.next.length && ended) ways.append(doing("Go on", async () => {
    location.hash = placeOf("run", (await api.post(pathOf("questions", thread, "fork"), { checkpoint: newest.checkpoint })).id);
  }, { class: "main" }));
  if (!came.report) ways.append(element("a.button", { href: placeOf("document", came.document) }, "Open the document"));
  return [element("p.state", {}, STATES[came.status] ?? came.status), element("p.quiet", {}, line), ways];
}

/** The steps of a question: from each of them it can go on in another way. */
function steppingBack(thread, came, steps) {
  const items = steps.map((one) => {
    const next = one.next.map((node) => node.replaceAll("_", " ")).join(", ");
    const box = element("div", { "data-form": "" });
    const open = () => {
      if (box.childElementCount) return box.replaceChildren();
      const question = element("textarea", { rows: 2, dir: "auto", "data-enter": "" });
      question.value = came.question;
      const canChoose = one.next.includes("look_up");
      const numbers = element("input", { type: "text", inputmode: "numeric", autocomplete: "off" });
      const go = doing("Go on from here", async () => {
        const body = { checkpoint: one.checkpoint };
        if (question.value.trim() !== came.question) body.question = question.value.trim();
        const typed = numbers.value.split(/[\s,;]+/u).filter(Boolean);
        if (typed.some((each) => !/^\d+$/.test(each))) throw new Problem("Name the parts by their numbers, such as 3, 7.", 0);
        if (typed.length) body.pages = typed.map(Number);
        location.hash = placeOf("run", (await api.post(pathOf("questions", thread, "fork"), body)).id);
      }, { "data-go": "" });
      box.replaceChildren(...[field("Question", question), canChoose ? field("Parts to look up", numbers, "Left empty, those that were chosen.") : null, go].filter(Boolean));
      question.focus();
    };
    const button = element("button", { type: "button", onclick: open }, `Before: ${next}`);
    return element("li", {}, button, prose("span.quiet", one.summary ?? ""), box);
  });
  const line = element("p.quiet", {}, "Go back to a step, and let it go on in another way; what was there stays.");
  return element("details.stepping", {}, element("summary", {}, "Step back and ask otherwise"), line, element("ol.steps-back", {}, items));
}
