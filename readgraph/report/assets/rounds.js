/** Rounds of research (GAM): what each was after, searched for, found, read and noted, and whether that was enough. */
function roundList(rounds) {
  let before = "";
  return element("ol.rounds", {}, rounds.map((done) => {
    const notes = done.notes && done.notes === before ? "as in the round before" : done.notes;
    before = done.notes;
    return element("li", {}, roundFacts(done, notes), verdict(done));
  }));
}

function roundFacts(done, notes) {
  const { plan } = done;
  const facts = [
    ["after", done.requests],
    ["needs", plan.needs],
    ["by words", plan.keyword],
    ["by meaning", plan.vector],
    ["by number", plan.page.map((page) => pageButton(page))],
    ["found", done.hits.map((hit) => pageButton(hit.page, `part ${hit.page} · ${hit.tools.join(" + ")}`))],
    ["read", done.pages_shown.map((page) => pageButton(page))],
    ["notes", notes ? [notes] : []],
    ["rest on", done.sources.map((page) => pageButton(page))],
    ["missing", done.missing],
  ];
  return element("dl.round", {}, facts.filter(([, values]) => values.length).map(roundFact));
}

function roundFact([name, values]) {
  const shown = values.map((value) => (typeof value === "string" ? prose("p", value) : value));
  return element("div", { "data-fact": name }, element("dt", {}, name), element("dd", {}, shown));
}

function verdict(done) {
  const said = { true: "enough", false: "not enough" }[done.enough] ?? "nobody was asked whether that is enough";
  return element("p.verdict", { "data-enough": String(done.enough) }, said);
}

/** What pages had to say where no answer was found. */
function findingList(findings) {
  const items = findings.map(({ page, text }) => element("li", {}, pageButton(page), " ", prose("span", text)));
  return element("ul.findings", {}, items);
}
