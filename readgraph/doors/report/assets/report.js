/** The report as the elements of a page; what is open first, `openFirst` opens when they stand in the page. */
function reportParts() {
  const { found } = report;
  return [search.make(), element("main", {}, toldOf(found), pageSection(), foundSections(found), howSection(found))];
}

/** The answer; nothing without a question. */
const toldOf = (found) => (found ? element("div.told", {}, answerSection(found)) : null);

/** What was read, and with what. */
function reportHeader() {
  const { found } = report;
  const method = report.purpose ? `${report.method} for ${report.purpose}` : report.method;
  const made = found ? [] : [method, report.model || "no model"]; // of an answer the facts say it
  const about = [counted(report.words, "word"), counted(report.pages.length, "part"), ...made].join(", ");
  const title = prose(found ? "p.title" : "h1.title", report.title);
  return element("header.top", {}, element("p.brand", {}, "Reading report"), title, element("p.quiet", {}, about));
}

function pageSection() {
  const keys = "Arrow keys go along the parts, Enter opens one, Escape closes it.";
  return section("pages", "The document", pageNotices(), strip.make(), element("p.keys.quiet", {}, keys), pages.make());
}

/** What is not there: text that was not read, text that was left out. */
function pageNotices() {
  const said = new Set(report.found?.notices);
  const notices = (report.notices ?? []).filter((notice) => !said.has(notice));
  const kept = report.pages.filter((page) => page.text !== null).length;
  if (report.numbers) {
    notices.push("The document is long: the words of a part come when it is opened. The search above looks in those that are here.");
  } else if (kept < report.pages.length) {
    const which = report.found ? "those that were read or cited, and their neighbours" : "the first ones";
    const text = `the text of ${number(kept)}: ${which}`;
    notices.push(`The document is long: this report holds the notes of all parts, and ${text}.`);
  }
  if (report.read_to < report.characters) {
    const read = `${number(report.read_to)} of ${number(report.characters)} characters`;
    notices.push(`Not all of the document was read: ${read}.`);
  }
  return notices.map((notice) => element("p.notice", {}, notice));
}

function foundSections(found) {
  const sections = [];
  if (report.tree && !found) sections.push(treeSection(null));
  const learned = found?.findings?.filter(({ page, text }) => page >= 0 && text) ?? [];
  if (learned.length && found.answer === null) {
    sections.push(section("learned", "Learned on the way", findingList(learned)));
  }
  if (found?.table?.rows.length && !listsRows(found)) {
    sections.push(section("table", `The table: ${counted(found.table.found, "row")}`, surveyTable(found)));
  }
  return sections;
}

function treeSection(found) {
  const heading = found?.hops ? `The walk: ${counted(found.hops.length, "decision")}` : "The tree of summaries";
  return section("walk", heading, tree.make());
}

/** How a question was read, folded away: what that took, the walk, the rounds and the steps. On paper it is open. */
function howSection(found) {
  if (!found) return null;
  const parts = [
    factList(found),
    report.tree ? treeSection(found) : null,
    found.rounds?.length ? section("research", "The rounds of research", roundList(found.rounds)) : null,
    found.steps.length ? section("trajectory", "The steps", stepTable(found.steps)) : null,
  ];
  return element("details.how-read", {}, element("summary", {}, "How it was read"), parts);
}

addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll(".how-read, .more-quotes")) one.open = true;
});

/** Begin at the first citation, else the first page that was read again, else the first page; the focus stays. */
function openFirst(found) {
  const cited = found?.citations[0];
  const first = cited?.page ?? found?.pages_read[0] ?? 0;
  if (report.pages[first]) pages.open(first, { citation: cited ? 0 : null, quietly: true });
}
