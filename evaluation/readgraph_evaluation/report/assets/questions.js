/** The questions, filtered; so many are in the page at a time. */
const AT_ONCE = 100;

const leadingScore = (answer) => answer.scores[report.metrics[0]] ?? null;
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Of each method that answered a question, the mean of its leading scores; null where it has none. */
function methodScores(question) {
  const scores = new Map();
  for (const answer of question.answers) {
    const kept = scores.get(answer.method) ?? [];
    scores.set(answer.method, leadingScore(answer) === null ? kept : [...kept, leadingScore(answer)]);
  }
  return new Map([...scores].map(([method, values]) => [method, values.length ? mean(values) : null]));
}

const OUTCOMES = {
  "any outcome": () => true,
  "right (50 or more)": (scores) => scores.some((score) => score !== null && score >= 50),
  "wrong (under 50)": (scores) => scores.some((score) => score !== null && score < 50),
  failed: (scores, answers) => answers.some((answer) => answer.status === "failed"),
  "not answered": (scores, answers) => answers.some((answer) => answer.substitute),
  "methods differ": (scores) => new Set(scores.map((score) => score !== null && score >= 50)).size > 1,
};

const questions = {
  shown: AT_ONCE,

  make() {
    const option = (text, value = text) => element("option", { value }, text);
    const methods = report.results.methods.map((one, place) => option(one.method, place));
    const categories = [...new Set(report.questions.map((one) => one.category))];
    const changed = () => {
      this.shown = AT_ONCE;
      this.show();
    };
    const select = (label, options) => element("select", { "aria-label": label, onchange: changed }, options);
    this.words = element("input", { type: "search", placeholder: "Words of the question", "aria-label": "Words of the question", oninput: changed });
    this.method = select("Method", [option("any method", ""), ...methods]);
    this.outcome = select("Outcome", Object.keys(OUTCOMES).map((name) => option(name)));
    this.category = select("Category", [option("any category", "*"), ...categories.map((name) => option(name || "none", name))]);
    this.count = element("p.quiet", { role: "status" });
    this.list = element("div.list");
    this.more = element("button", { type: "button", onclick: () => this.showMore() }, "More");
    const filters = [this.words, this.method, this.outcome, categories.length > 1 ? this.category : null];
    this.show();
    const key = `Behind each question a mark a method, as in the table: filled as far as its ${report.metrics[0]} goes, dashed where it has none.`;
    return [element("p.quiet", {}, key), element("div.filters", {}, filters), this.count, this.list, this.more];
  },

  wanted(question) {
    const { words, method, outcome, category } = this;
    const text = `${question.id} ${question.question}`.toLowerCase();
    if (!text.includes(words.value.trim().toLowerCase())) return false;
    if (category.value !== "*" && question.category !== category.value) return false;
    const asked = (of) => method.value === "" || of === Number(method.value);
    const answers = question.answers.filter((answer) => asked(answer.method));
    const scores = [...methodScores(question)].filter(([of]) => asked(of)).map(([, score]) => score);
    return OUTCOMES[outcome.value](scores, answers);
  },

  show() {
    this.found = report.questions.filter((question) => this.wanted(question));
    this.list.replaceChildren(...this.found.slice(0, this.shown).map(questionBlock));
    this.count.textContent = `${number(this.found.length)} of ${counted(report.questions.length, "question")}`;
    this.more.hidden = this.found.length <= this.shown;
  },

  showMore() {
    this.list.append(...this.found.slice(this.shown, this.shown + AT_ONCE).map(questionBlock));
    this.shown += AT_ONCE;
    this.more.hidden = this.found.length <= this.shown;
  },
};

/** A question with a mark a method; opened, its answers, which are made only then. */
function questionBlock(question) {
  const marks = [...methodScores(question)].map(([method, score]) => scoreMark(report.results.methods[method].method, score));
  const summary = element("summary", {}, prose("span.asked", question.question), element("span.marks", {}, marks));
  const block = element("details.question", {}, summary);
  block.addEventListener("toggle", () => block.append(questionBody(question)), { once: true });
  return block;
}

/** How well a method did, as a cell that is filled so far. */
function scoreMark(method, score) {
  const told = `${method}: ${score === null ? "no score" : fixed(score)}`;
  const mark = element("span.mark", { title: told, role: "img", "aria-label": told, "data-unscored": score === null });
  mark.style.setProperty("--score", score ?? 0);
  return mark;
}

function questionBody(question) {
  const { options, correct, references, category, unanswerable, text, id } = question;
  const about = [report.titles[text] ?? text, category, id].filter(Boolean).join(" · ");
  const right = unanswerable
    ? element("p", {}, "The text doesn't say.")
    : references.map((reference) => prose("p", reference));
  const letters = options.map((option, place) =>
    element("li", place === correct ? { "data-right": true } : {}, element("b", {}, letter(place)), " ", prose("span", option)));
  return element("div.body", {},
    prose("p.quiet", about),
    options.length ? element("ol.choices", {}, letters) : element("div.right", {}, element("h4", {}, "Right"), right),
    answerTable(question));
}

const letter = (place) => String.fromCharCode(65 + place);

function answerTable(question) {
  const { methods } = report.results;
  const several = question.answers.some((answer) => answer.run > 0);
  const told = (answer) => {
    if (answer.problem) return prose("span.trouble", `failed: ${answer.problem}`);
    const lead = answer.choice === undefined ? "" : element("b", {}, `${letter(answer.choice)} `);
    const stood = answer.substitute ? element("span.trouble", {}, "not answered by the method; quoted in its place: ") : "";
    return [stood, lead, answer.answer === undefined ? element("span.quiet", {}, answer.status.replaceAll("_", " ")) : prose("span", answer.answer)];
  };
  return table("Answers", question.answers, [
    ["method", (answer) => methods[answer.method].method],
    ...(several ? [["run", (answer) => number(answer.run + 1)]] : []),
    ...report.metrics.map((name) => [name, (answer) => fixed(answer.scores[name])]),
    ["answer", told],
  ]);
}
