/** The whole page. */
function makePage() {
  const { what, methods } = report.results;
  const model = what.settings.model || "no model";
  const judge = what.judge ? `, judged by ${what.judge}` : "";
  const runs = methods.some((one) => one.runs > 1) ? `, ${counted(Math.max(...methods.map((one) => one.runs)), "run")}` : "";
  const about = `${counted(report.questions.length, "question")} about ${counted(Object.keys(report.titles).length, "text")}`;
  document.title = `${what.dataset} – evaluation`;
  const plots = [...document.querySelectorAll("figure.plot")];
  const categories = categoryTable();
  const walked = walkTable();
  const floors = floorTable();
  document.body.prepend(
    element("header.top", {},
      element("p.brand", {}, "Evaluation"),
      prose("h1.title", what.dataset),
      prose("p.quiet", `${about}, ${model}${judge}${runs}, begun ${what.begun.slice(0, 10)}`)),
    element("main", {},
      section("methods", "Methods", methodTable(), legend()),
      floors ? section("floors", "Answers that nobody read for", floors, floorLine()) : null,
      plots.length ? section("plots", "Plots", element("div.side-by-side", {}, plots)) : null,
      categories ? section("categories", `${capital(report.metrics[0])} by category`, categories) : null,
      judgeSection(report.results.judging),
      walked ? section("walks", "Walks", walked) : null,
      section("questions", "Questions and answers", questions.make()),
      troubles(methods),
      section("made", "What it was made with", madeWith(what))),
    element("footer", {}, "Made by readgraph. This page holds all it shows: it loads nothing and sends nothing."),
  );
}

function legend() {
  const told = "Scores go from 0 to 100. In brackets the 95 % interval over the texts (with six or more), drawn as a bar; ± is the deviation over runs.";
  const beside = "Published figures are the papers', made with other models: to be read beside one's own, never as a bar.";
  return element("p.quiet", {}, report.results.published.length ? `${told} ${beside}` : told);
}

function floorLine() {
  return element("p.quiet", {}, "A method's score says something only where it is well above these. Free answers have as many words as the references have on average.");
}

/** Readings that failed, and replies that could not be used; nothing where there are none. */
function troubles(methods) {
  const failed = methods.flatMap((one) => one.failures.map((failure) => ({ ...failure, method: one.method })));
  const fell = methods.filter((one) => Object.keys(one.fallbacks).length);
  if (!failed.length && !fell.length) return null;
  const several = methods.some((one) => one.runs > 1);
  const list = failed.length && element("details", { open: failed.length <= 20 },
    element("summary", {}, `${counted(failed.length, "reading")} failed; they score 0`),
    table("Failures", failed, [
      ["method", (one) => one.method],
      ["question", (one) => prose("span", one.item)],
      ...(several ? [["run", (one) => number(one.run + 1)]] : []),
      ["problem", (one) => prose("span", one.problem)],
    ]));
  const falls = fell.map((one) => element("p", {}, `${one.method}: fall-backs ${tally(one.fallbacks)}`));
  return section("troubles", "Failures and fall-backs", list || null, falls);
}

/** How far the judge can be trusted; nothing where it was not calibrated, and answers are too few to tell. */
function judgeSection(judging) {
  const { calibration, lengths } = judging ?? {};
  if (!calibration && !lengths) return null;
  return section("judge", "The judge",
    judging.unproven.length ? element("p", {}, unprovenLine(judging)) : null,
    calibration ? [element("p", {}, calibrationLine(calibration)), calibrationTable(calibration)] : null,
    lengths ? [element("p", {}, lengthLine(lengths)), lengthTable(lengths)] : null);
}

/** Who rated, and what that took; nothing where nobody did. */
function judgingLine(judging) {
  if (!judging) return "";
  const told = [
    `${judging.rater} rated ${counted(judging.judgements, "answer")}`,
    judging.unrated ? `${number(judging.unrated)} without a verdict that could be used` : "",
    judging.calls ? `${counted(judging.calls, "call")}, ${number(judging.input_words)} words in` : "",
    judging.cost ? dollars(judging.cost) : "",
    judging.others.length ? `judgements by ${judging.others.join(", ")} are kept, and don't count here` : "",
  ];
  return told.filter(Boolean).join("; ");
}

function madeWith(what) {
  const pairs = (of) => Object.entries(of).map(([name, value]) => `${name} ${value}`).join(", ");
  const told = (value) => Array.isArray(value) ? value.join(", ") : value === null || value === "" ? "none" : String(value);
  const facts = {
    file: what.file ? `${what.file.name}, SHA-256 ${what.file.sha256}` : "",
    licence: what.licence,
    note: what.note,
    judge: what.judge ?? "",
    judging: judgingLine(report.results.judging),
    recipes: Object.entries(report.recipes).map(([method, of]) => `${method} ${of.join(", ")}`).join("; "),
    settings: Object.entries(what.settings).map(([name, value]) => `${name} ${told(value)}`).join(", "),
    prompts: pairs(what.prompts),
    packages: pairs(what.packages),
    begun: what.begun,
  };
  const shown = Object.entries(facts).filter(([, value]) => value);
  return element("dl.made-with", {}, shown.flatMap(([name, value]) => [element("dt", {}, name), prose("dd", value)]));
}

makePage();
