/** Figures as a person reads them; "–" where there is none. */
const none = "–";
const fixed = (value, digits = 1) => (value ?? null) === null ? none : value.toFixed(digits);
const whole = (value) => (value ?? null) === null ? none : number(Math.round(value));
const percent = (value) => (value ?? null) === null ? none : `${value.toFixed(0)}\u00a0%`;
const dollars = (value) => value === 0 ? none : `$${value >= 1 ? value.toFixed(2) : value.toFixed(4)}`;

/** A table that scrolls by itself where the screen is narrow; a column is its heading and the cell of a row. */
function table(name, rows, columns) {
  const heads = columns.map(([heading, , line]) => element("th", { scope: "col", title: line }, heading));
  const cell = (row) => ([heading, of], place) =>
    place ? element("td", {}, of(row)) : element("th", { scope: "row" }, of(row));
  const body = rows.map((row) => element("tr", {}, columns.map(cell(row))));
  const made = element("table", {}, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, body));
  return element("div.scroll", { tabindex: 0, role: "region", "aria-label": name }, made);
}

/** "24.0", its interval and deviation, and where they lie between 0 and 100. */
function scoreCell(metric) {
  if (!metric) return none;
  const [low, high] = metric.interval ?? [metric.mean, metric.mean];
  const bar = element("span.bar", { "aria-hidden": "true" }, element("span.range"), element("span.dot"));
  bar.style.setProperty("--low", low);
  bar.style.setProperty("--high", high);
  bar.style.setProperty("--mean", metric.mean);
  const spread = metric.deviation === null ? "" : ` ± ${fixed(metric.deviation)}`;
  const interval = metric.interval ? `[${low.toFixed(0)}–${high.toFixed(0)}]${spread}` : spread;
  return [element("b", {}, fixed(metric.mean)), " ", element("span.quiet", {}, interval), bar];
}

function publishedCell(method) {
  const figures = report.results.published.filter((figure) => figure.method === method.method);
  return figures.length
    ? figures.map((one) =>
      element("span.published", { title: one.source },
        `${[one.metric === report.metrics[0] ? "" : one.metric, one.category, one.value].filter(Boolean).join(" ")} `,
        element("span.quiet", {}, one.model)))
    : none;
}

/** A metric's name, how many questions it applies to where that is not all, and a mark where its judge is unproven. */
function scoredOn(name) {
  const mark = report.results.judging?.unproven.includes(name) ? " (unproven judge)" : "";
  const scored = Math.max(...report.results.methods.map((one) => one.metrics[name]?.questions ?? 0));
  return scored < report.questions.length ? `${name}${mark} (${number(scored)})` : name + mark;
}

/** What each method scored and used. */
function methodTable() {
  const [leading, ...others] = report.metrics;
  const columns = [
    ["method", (one) => one.method],
    [scoredOn(leading), (one) => scoreCell(one.metrics[leading]), "mean over questions, 95 % interval, ± deviation over runs"],
    ...others.map((name) => [scoredOn(name), (one) => fixed(one.metrics[name]?.mean)]),
  ];
  if (report.results.published.length) {
    columns.push(["published, other model", publishedCell, "a paper's figure, made with another model"]);
  }
  columns.push(
    ["compression", (one) => percent(one.figures.compression_rate), "100 · (1 − words in context / words of the text)"],
    ["words in view", (one) => whole(one.figures.words_in_view), "words of the text in the context of an answer"],
    ["look-ups", (one) => fixed(one.figures.look_ups), "parts read again, a question"],
    ["answer words", (one) => fixed(one.figures.answer_words), "of free answers that the method itself gave"],
    ["calls", (one) => fixed(one.figures.calls), "a question"],
    ["words in", (one) => whole(one.figures.input_words), "words sent to the model, a question"],
    ["words to build", (one) => whole(one.building.input_words), "words sent to the model to build all memories"],
    ["build seconds", (one) => fixed(one.building.seconds), "all memories"],
    ["seconds", (one) => fixed(one.seconds), "a question"],
    ["cost", (one) => dollars((one.cost ?? 0) + (one.building.cost ?? 0)), "questions and memories"],
    ["valid replies", (one) => percent(one.valid_replies), "replies that could be used"],
    ["failed", (one) => number(one.failures.length)],
  );
  if (report.results.methods.some((one) => one.figures.percent_cached)) {
    columns.push(["from cache", (one) => percent(one.figures.percent_cached), "of the tokens sent, held by the provider's cache"]);
  }
  if (report.results.methods.some((one) => one.not_answered)) {
    columns.push(["not answered", (one) => number(one.not_answered), "no usable reply came, or the budget was spent"]);
  }
  if (report.results.methods.some((one) => one.left_out)) {
    columns.push(["left out", (one) => number(one.left_out), "questions that ask for no summary"]);
  }
  return table("What each method scored and used", report.results.methods, columns);
}

/** What answers score that nobody read for; nothing where no metric can tell. */
function floorTable() {
  const floors = Object.entries(report.results.floors).map(([name, means]) => ({ name, means }));
  if (!floors.length) return null;
  const metrics = report.metrics.filter((metric) => floors.some((one) => metric in one.means));
  const columns = metrics.map((metric) => [metric, (one) => fixed(one.means[metric])]);
  return table("Answers that nobody read for", floors, [["answer", (one) => one.name], ...columns]);
}

/** The leading metric by category; nothing where the questions have no categories. */
function categoryTable() {
  const leading = report.metrics[0];
  const methods = report.results.methods;
  const names = [...new Set(methods.flatMap((one) => Object.keys(one.metrics[leading]?.categories ?? {})))];
  if (names.length < 2) return null;
  const of = (one, name) => one.metrics[leading]?.categories[name];
  const count = (name) => Math.max(...methods.map((one) => of(one, name)?.questions ?? 0));
  const columns = names.map((name) => [
    [name || "none", " ", element("span.quiet", {}, `(${count(name)})`)],
    (one) => fixed(of(one, name)?.mean),
  ]);
  return table(`${leading} by category`, methods, [["method", (one) => one.method], ...columns]);
}

/** Figures of walks; nothing where none was made. */
function walkTable() {
  const walked = report.results.methods.filter((one) => one.walks);
  if (!walked.length) return null;
  return table("Walks", walked, [
    ["method", (one) => one.method],
    ["stray", (one) => percent(one.walks.stray_ratio), "walks that turned back"],
    ["recovered", (one) => percent(one.walks.recovery_rate), "of those"],
    ["read", (one) => percent(one.figures.percent_read), "of the text's words"],
    ["valid", (one) => percent(one.walks.usable_replies), "replies that could be used"],
    ["hops", (one) => fixed(one.figures.hops), "a question"],
  ]);
}
