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
  ways.append(element("a.button", { href: placeOf("document", id, memory) }, "Open the document"));
  showReport(box, data, { document: owner, memory });
  const told = box.querySelector(".told");
  const citations = told?.querySelector(".citations");
  if (told) told.querySelector(".answer").insertBefore(element("div", {}, ways, asking), citations ?? null);
}

/** Ask on in the same thread. */
function followUpButton(document_, thread, data, box) {
  const open = () => {
    if (box.childElementCount) return box.querySelector("textarea").focus();
    const question = element("textarea", { rows: 2, dir: "auto" });
    const body = () => question.value.trim() ? {
      documents: [document_], method: data.method, question: question.value.trim(), options: [],
      settings: changedSettings(data.method), follow_up: thread,
    } : null;
    const estimate = estimating(body);
    question.addEventListener("input", estimate.renew);
    const go = doing("Ask", async () => {
      if (!body()) throw new Problem("Write a question first.", 0);
      location.hash = placeOf("run", (await beginRun(body())).id);
    }, { class: "main" });
    question.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") box.replaceChildren();
    });
    box.replaceChildren(element("div.follow-up", {}, field("A further question", question, "It may lean on what was asked before."), estimate.box, go));
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
