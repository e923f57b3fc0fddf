const SAID = {
  answered: "answered",
  nearest: "nearest sentences",
  no_answer: "no answer",
  budget: "the budget ran out",
  reading: "not finished",
  researched: "a context, no answer",
  summarised: "summarised",
  extracted: "extracted: the text's own sentences",
};

/** What stands above an option that no model chose. */
const GUESSED = "A guess by shared words, no better than chance:";

/** What is said of a question whose run ended, or was looked at, before it was answered. */
const NO_ANSWER_YET = "There is no answer yet.";

/** The question, what was answered, and the words of the text that show it. */
function answerSection(found) {
  const isSummary = "parts" in found;
  const spent = `The budget ran out first.${isSummary ? "" : " Nearest in what was read:"}`;
  const guessed = found.choice && found.by_rule;
  const nearest = guessed ? GUESSED : found.says ? "The text says:" : "Nearest sentences:";
  const leads = { budget: guessed ? `The budget ran out first. ${GUESSED}` : spent, nearest };
  const lead = found.answer ? (found.table && !found.choice ? tableLead(found) : leads[found.status]) : "";
  const refused = found.steps.at(-1)?.summary === "a person refused the answer";
  const unsaid = refused ? "A person refused the answer, and gave no other." : found.steps.at(-1)?.model
    ? found.by_rule ? "The model gave no answer that could be used." : "The text doesn't say."
    : "No passage that was looked at shares words with your question.";
  const unwritten = found.fallbacks.summary ? "The model gave no summary that could be used." : "The text says nothing of this.";
  const missing = isSummary ? unwritten : found.unread?.length ? `Nothing was found: ${toldUnread(found)}.` : unsaid;
  const early = { budget: "The budget ran out before anything was found.", reading: NO_ANSWER_YET };
  const nothing = early[found.status] ?? missing;
  return element(
    "section.answer",
    { "aria-labelledby": "question" },
    prose("h1", report.question, { id: "question" }),
    report.options.length ? optionList(found.choice, guessed) : null,
    element("p.status", { "data-status": found.status }, found.says ? "quoted" : SAID[found.status] ?? found.status),
    lead ? element("p.lead", {}, lead) : null,
    listsRows(found) ? surveyTable(found) : found.status === "researched"
      ? prose("p.context", found.context)
      : prose("p.said", found.answer === null ? nothing : markedAnswer(found)),
    (found.left_out ?? []).map((reason) => element("p.notice", {}, `Left out: ${reason}`)),
    (found.notices ?? []).map((notice) => element("p.notice", {}, notice)),
    listsRows(found) && found.unread?.length ? element("p.trouble", {}, `${toldUnread(found)}.`) : null,
    found.citations.length ? citationList(found) : element("p.quiet", {}, "Nothing was cited."),
  );
}

/** Where the mark of each citation stands in an answer of so many characters; null: nowhere. */
const markPlaces = (found, length) => found.citations.map(({ mark_at: at }) => (at === undefined ? length : at));

/** What stands above an answer from a table that isn't the model's own, or isn't of the whole text; else "". */
function tableLead({ status, by_pattern: byPattern, unread }) {
  const filled = byPattern ? "Filled by patterns, without a model:" : "";
  const table = filled || (unread?.length ? "In what was read until then:" : "The table:");
  const none = filled || "The model wrote no answer that could be used. The table:";
  return { budget: `The budget ran out first. ${table}`, nearest: none }[status] ?? "";
}

/** The answer, with the marks of its citations as buttons that open their pages. Offsets count code points. */
function markedAnswer(found) {
  const points = [...found.answer];
  const at = markPlaces(found, points.length);
  const flags = found.flags ?? [];
  const pieces = [found.choice ? `${found.choice}. ` : ""];
  let before = 0;
  for (const end of [...new Set([...at.filter((place) => place !== null), ...flags.map((flag) => flag.at)])].sort((one, other) => one - other)) {
    pieces.push(`${points.slice(before, end).join("")} `);
    pieces.push(...at.flatMap((offset, place) => (offset === end ? [markButton(found.citations[place], place)] : [])));
    const said = flags.filter((flag) => flag.at === end);
    pieces.push(...said.map((flag) => element(flag.doubted ? "span.trouble" : "span.quiet", {}, `[${flag.said}]`)));
    before = end;
  }
  return [...pieces, points.slice(before).join("")];
}

function optionList(choice, guessed) {
  const options = report.options.map((option, place) => {
    const letter = String.fromCharCode(65 + place);
    const chosen = letter === choice;
    return element(
      chosen ? "li.chosen" : "li",
      {},
      element("span.letter", {}, letter),
      prose("span", option),
      chosen ? element("span.quiet", {}, guessed ? "guessed" : "chosen") : null,
    );
  });
  return element("ul.options", { "aria-label": "Options" }, options);
}

/** With what it was read and what that took. */
function factList(found) {
  const models = [...new Set(found.steps.map((step) => step.model).filter(Boolean))];
  const share = found.percent_read;
  const usage = found.usage;
  const facts = [
    ["method", report.method],
    ["chosen", found.why ? `${found.way}, since ${found.why}` : null],
    ["notes are for", report.purpose || null],
    ["model", models.join(", ") || "none (extractive)"],
    ["read again", counted(found.pages_read.length, "part") + (share ? `, ${share.toFixed(1)} % of the text` : "")],
    ["corrected by hand", found.corrected_notes?.length ? notesOfParts(found.corrected_notes) : null],
    ["could not be read", found.unread?.length ? `part${found.unread.length > 1 ? "s" : ""} ${found.unread.join(", ")}` : null],
    ["calls", calls(usage)],
    ["sentences not supported", found.unsupported ? number(found.unsupported) : null],
    ["sentences not checked", found.unchecked ? number(found.unchecked) : null],
    ["replies refused", usage.refused ? number(usage.refused) : null],
    ["words", usage.calls ? `${number(usage.input_words)} in, ${number(usage.output_words)} out` : null],
    ["tokens", usage.input_tokens ? `${number(usage.input_tokens)} in${fromCache(usage)}, ${number(usage.output_tokens)} out` : null],
    ["cost", usage.calls ? (found.cost == null ? "not known" : inDollars(found.cost)) : null],
    ["time", seconds(usage)],
    ["fall-backs", tallyAll(found)],
  ];
  const fact = ([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value));
  return element("dl.facts", {}, facts.filter(([, value]) => value !== null).map(fact));
}

/** How many of the tokens sent a provider's cache held; nothing where it held none. */
function fromCache(usage) {
  return usage.cache_read_tokens ? ` (${number(usage.cache_read_tokens)} from the provider's cache)` : "";
}

/** The fall-backs, and how the model is asked again where its replies could not be used. */
function tallyAll({ fallbacks, usage }) {
  const told = tally(fallbacks);
  return told && usage.refused ? `${told}; refused replies are kept, the setting “again” asks the model again` : told || "none";
}

/** How many of the parts that were to give a survey's records gave none that can be used. */
const toldUnread = ({ pages_read: read, unread }) =>
  `${number(unread.length)} of ${counted(read.length + unread.length, "part")} could not be read`;

const notesOfParts = (parts) => `${parts.length > 1 ? "notes of parts" : "the note of part"} ${parts.join(", ")}`;
const calls = ({ calls, cached_calls: cached }) => number(calls) + (cached ? ` (+${number(cached)} cached)` : "");
const seconds = (usage) => `${usage.seconds.toFixed(1)} s`;
const inDollars = (amount) => `$${amount >= 1 ? amount.toFixed(2) : amount.toFixed(4)}`;

/** The trajectory: what each step did, and what that used. */
function stepTable(steps) {
  const heads = ["", "step", "what it did", "calls", "words", "time"];
  const rows = steps.map((step, place) => {
    const { usage } = step;
    const words = usage.input_words + usage.output_words;
    const fallbacks = tally(step.fallbacks);
    const trouble = fallbacks ? element("span.trouble", {}, `fall-backs: ${fallbacks}`) : null;
    return element(
      "tr",
      {},
      element("td.place", {}, `${place + 1}`),
      element("th", { scope: "row" }, step.node),
      element("td.summary", {}, prose("span", step.summary || "–", { "data-step": place }), trouble),
      element("td", { "data-unit": usage.calls === 1 ? "call" : "calls" }, calls(usage)),
      element("td", { "data-unit": words === 1 ? "word" : "words" }, number(words)),
      element("td", {}, seconds(usage)),
    );
  });
  const head = element("thead", {}, element("tr", {}, heads.map((name) => element("th", { scope: "col" }, name))));
  return element("table.steps", {}, head, element("tbody", {}, rows));
}
