/** What the open report belongs to: the document and its memory, and what may be done with it. */
const shown = { document: null, memory: null, loading: new Set() };

/** Show a report in a box: the answer where there is one, the document with its search, and how it was read. */
function showReport(box, data, { document: owner, memory }, before = null) {
  report = data;
  [shown.document, shown.memory, shown.loading] = [owner, memory, new Set()];
  const { found } = report;
  for (const step of found?.steps ?? []) step.summary = namedNodes(step.summary);
  const parts = [before, toldOf(found), search.make(), pageSection(), foundSections(found), howSection(found)].flat().filter(Boolean);
  box.replaceChildren(element("div.shown", {}, parts));
  openFirst(found);
}

/** The report with all its pages, where a long text's came with some of them; what the strip shows of the others is
 * asked for, and the browser keeps it. */
async function withAllPages(data, owner, memory) {
  if (!data?.numbers) return data;
  const came = new Map(data.numbers.map((place, at) => [place, data.pages[at]]));
  data.pages = (await marksOf(owner, memory)).map((page, place) => came.get(place) ?? page);
  return data;
}

/** The pages of a memory without their notes and texts, which come where one is opened. */
async function marksOf(owner, memory) {
  const { start, end, words, place } = await api.get(pathOf("documents", owner, "memories", memory, "marks"));
  const empty = { header: "", note: "", fallback: false, corrected: false, text: null, blocks: [] };
  return start.map((from, at) => ({ start: from, end: end[at], words: words[at], place: place?.[at] ?? null, ...empty }));
}

/** The document alone, as it grows: its strip and the page that is open. */
function showPages(data, { document: owner, memory }) {
  report = data;
  [shown.document, shown.memory, shown.loading] = [owner, memory, new Set()];
  return [strip.make(), pages.make()].flat().filter(Boolean);
}

/** The text of a page that didn't come with the report; it is asked for where the page is opened. */
async function loadPage(place) {
  const { memory, document: owner } = shown;
  if (!owner || !memory || shown.loading.has(place)) return;
  shown.loading.add(place);
  const [data, loading] = [report, shown.loading];
  try {
    const path = withQuery(pathOf("documents", owner.id, "memories", memory, "pages"), { numbers: place });
    const { pages: came } = await api.get(path);
    for (const page of came) data.pages[page.number] = { ...data.pages[page.number], ...page };
  } catch (problem) {
    loading.delete(place);
    if (data === report && pages.at === place) pages.text.append(element("p.trouble", { role: "alert" }, toldProblem(problem)));
    return;
  }
  if (data === report && pages.at === place) pages.open(place, { citation: pages.citation, quietly: true });
}

/** The report's own words of a page, or a line until they came; beside them the original's page as a picture. */
const reportWords = pages.words;
pages.words = function words(page, place, citation) {
  if (page.text === null || page.text === undefined) {
    if (!shown.memory) return reportWords.call(this, { ...page, text: null }, place, citation);
    loadPage(place);
    return element("p.quiet", {}, "The text is on its way…");
  }
  return element("div.sheets", {}, reportWords.call(this, page, place, citation), ...originalOf(page));
};

/** The note, and what a reader may do with it. */
const reportNoted = pages.noted;
pages.noted = function noted(page, place) {
  const told = reportNoted.call(this, page, place);
  const canCorrect = told.length && page.note !== null && shown.memory && !report.live;
  return canCorrect ? [...told, correcting(page, place)] : told;
};

/** Nodes are called by the headings of their sections, else by the first words of their summaries. */
tree.name = function name(id) {
  if (report.tree.headings[id]) return report.tree.headings[id];
  const leaf = id.startsWith("0.") ? Number(id.slice(2)) : null;
  const page = leaf === null ? null : report.pages[leaf];
  if (page?.place && !/^line \d+$/.test(page.place)) return page.place;
  const text = leaf === null ? report.tree.nodes[id]?.text : page?.note;
  const words = (text ?? "").split(/\s+/u).filter(Boolean);
  if (!words.length) return leaf === null ? "a summary" : `part ${leaf}`;
  return words.length > 6 ? `${words.slice(0, 6).join(" ")} …` : words.join(" ");
};

/** What a step says of nodes, by their names instead of their numbers in the tree. */
function namedNodes(summary) {
  if (!report?.tree || !summary) return summary;
  const isNode = (id) => id in report.tree.nodes || (id.startsWith("0.") && Boolean(report.pages[Number(id.slice(2))]));
  return summary.replace(/\b(at|to|root,) (\d+\.\d+)(?=[\s:;,(]|$)/gu, (all, word, id) => (isNode(id) ? `${word} ‘${tree.name(id)}’` : all));
}

/** The pictures of a page of the original, where it is a PDF. Of a collection it is the document's that has the page. */
function originalOf(page) {
  const owner = shown.document;
  const cited = report.found?.citations[pages.citation]; // it may stand on a later page than its part begins on
  const place = report.pages[cited?.page] === page ? cited.place : page.place;
  const sheets = pdfPages(place);
  if (!owner || !sheets.length) return [];
  if (!owner.parts?.length) return owner.has_original ? sheets.map((sheet) => sheetOf(owner.id, sheet.page)) : [];
  return sheets.map((sheet) => {
    const start = sheets.length > 1 ? partTitled(sheet.title)?.start : page.start; // a part may hold several documents
    const part = owner.parts.find((one) => start >= one.start && start < one.end);
    const hold = element("div", { hidden: true });
    if (part && sheet.page <= (part.last_page ?? sheet.page)) hasOriginal(part.document).then((has) => has && hold.replaceWith(sheetOf(part.document, sheet.page)));
    return hold;
  });
}

/** Whether a document of a collection can show its original; each is asked for once, as long as this page is open. */
function hasOriginal(id) {
  const { known } = hasOriginal;
  if (!known.has(id)) known.set(id, api.get(pathOf("documents", id)).then((one) => one.has_original, () => known.delete(id) && false));
  return known.get(id);
}
hasOriginal.known = new Map();

/** A page of the original; it opens on demand, and stays open for the next pages. */
function sheetOf(id, sheet) {
  const from = withQuery(pathOf("documents", id, "original", `${sheet}.png`), { width: 900 });
  const name = `Page ${sheet} of the original`;
  const picture = () => element("a", { href: from, target: "_blank", rel: "noopener" }, element("img", {
    src: from, alt: name, loading: "lazy",
    onerror: (event) => event.target.replaceWith(element("span.trouble", {}, "The original's page can't be shown.")),
  }));
  const box = opening(name, { class: "original", open: sheetOf.isOpen }, sheetOf.isOpen ? picture() : null);
  box.addEventListener("toggle", () => {
    sheetOf.isOpen = box.open;
    if (box.open && !box.querySelector("a")) box.append(picture());
  });
  return box;
}
sheetOf.isOpen = true;

/** The way to put a note right: it is kept as the reader's own, and the method's can come back. */
function correcting(page, place) {
  const path = pathOf("documents", shown.document.id, "memories", shown.memory, "notes", place);
  const box = element("div.correcting", { "data-form": "" });
  const text = element("textarea", { rows: 6, "aria-label": `Your ${report.note}`, dir: "auto" });
  const save = doing("Save", async () => corrected(place, await api.put(path, { text: text.value })), { "data-go": "" });
  const begin = () => {
    text.value = page.note;
    const cancel = element("button", { type: "button", onclick: () => stand(true) }, "Cancel");
    box.replaceChildren(text, element("div.buttons", {}, save, cancel));
    text.focus();
  };
  const restore = () => doing("Restore the method's own", async () => corrected(place, await api.remove(path)));
  const stand = (isBack = false) => {
    const button = element("button", { type: "button", onclick: begin }, "Correct");
    box.replaceChildren(button, ...(page.corrected ? [restore()] : []));
    if (isBack) button.focus();
  };
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") event.stopPropagation();
    if (event.key === "Escape") stand(true);
  });
  stand();
  return box;
}

/** Draw a note anew that was corrected or restored. */
async function corrected(place, { renewed = [] }) {
  const { document: owner, memory } = shown;
  const data = report;
  const path = withQuery(pathOf("documents", owner.id, "memories", memory, "pages"), { numbers: place });
  const { pages: came } = await api.get(path);
  for (const page of came) data.pages[page.number] = { ...data.pages[page.number], ...page };
  if (data !== report) return;
  strip.renew(place);
  if (pages.at === place) pages.open(place, { quietly: true });
  pages.note.querySelector(".correcting button")?.focus();
  speak(renewed.length ? `Saved; ${counted(renewed.length, "summary")} above will be written anew.` : "Saved.");
}
