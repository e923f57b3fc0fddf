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
    ["found", done.hits.map((hit) => pageButton(hit.page, `p. ${hit.page} · ${hit.tools.join(" + ")}`))],
    ["read", done.shown.map((page) => pageButton(page))],
    ["notes", notes ? [notes] : []],
    ["rest on", done.sources.map((page) => pageButton(page))],
    ["missing", done.missing],
  ];
  const shown = facts.filter(([, values]) => values.length);
  return element("dl.round", {}, shown.map(([name, values]) => element("div", { "data-fact": name }, element("dt", {}, name), roundValues(values))));
}

const roundValues = (values) =>
  element("dd", {}, values.map((value) => (typeof value === "string" ? prose("p", value) : value)));

function verdict(done) {
  const [said, kind] = { true: ["enough", "yes"], false: ["not enough", "no"] }[done.enough] ?? ["nobody was asked whether that is enough", "none"];
  return element("p.verdict", { "data-enough": kind }, said);
}

/** What leaves had to say on a walk that found no answer. */
function findingList(findings) {
  return element("ul.findings", {}, findings.map((finding) => element("li", {}, pageButton(finding.page), " ", prose("span", finding.found))));
}
