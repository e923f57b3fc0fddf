const DONE = {
  child: "down",
  revert: "back up",
  exhausted: "back up: nothing left below",
  answer: "answers",
  keep: "kept what it says, went on",
  unusable: "no usable reply",
};
const MARKS = { answer: "✓", keep: "+", unusable: "?" };

/** A tree of summaries as nested lists. What was walked is open, in the order of its decisions; the rest opens on
 * demand, and is drawn only then. */
const tree = {
  make() {
    const hops = report.found?.hops ?? [];
    this.decided = new Map();
    for (const [place, hop] of hops.entries()) {
      this.decided.set(hop.node, [...(this.decided.get(hop.node) ?? []), { ...hop, place }]);
    }
    this.reached = new Set(hops.flatMap((hop) => [hop.node, hop.next_node]).filter(Boolean));
    this.several = hops.some((hop) => hop.walk > 0);
    this.path = this.toAnswer(hops.findLast((hop) => hop.action === "answer")?.node);
    return element("ul.tree", {}, this.node(report.tree.root));
  },

  toAnswer(leaf) {
    const nodes = Object.entries(report.tree.nodes);
    const parents = new Map(nodes.flatMap(([id, node]) => node.children.map((child) => [child, id])));
    const path = new Set();
    for (let at = leaf; at; at = parents.get(at)) path.add(at);
    return path;
  },

  node(id) {
    const inner = report.tree.nodes[id];
    const last = this.decided.get(id)?.at(-1)?.action;
    const item = element("li", { "data-node": id, "data-last": last });
    item.classList.toggle("reached", this.reached.has(id));
    item.classList.toggle("path", this.path.has(id));
    item.append(...(inner ? [this.inner(id, inner)] : [this.leaf(id)]), ...this.decisions(id));
    if (inner) item.append(this.below(id, inner));
    return item;
  },

  /** The label of a node; struck through where the walk went back from it. */
  label(id) {
    const action = this.decided.get(id)?.at(-1)?.action;
    const back = action === "revert" || action === "exhausted";
    const mark = MARKS[action] ? `${MARKS[action]} ` : "";
    return element(back ? "s.id" : "span.id", { title: back ? "The walk went back from here." : null }, mark + this.name(id));
  },

  /** What people see of a node: the heading of its section, or else its id. */
  name(id) {
    return report.tree.headings[id] ?? id;
  },

  inner(id, node) {
    const span = node.first === node.last ? `part ${node.first}` : `parts ${node.first}–${node.last}`;
    return element("div.line", {}, this.label(id), element("span.quiet", {}, span), this.short(node.text));
  },

  leaf(id) {
    const page = Number(id.slice(2));
    return element("div.line", {}, this.label(id), pageButton(page), this.short(report.pages[page]?.note));
  },

  /** A text on one line, which opens to the whole of it. */
  short(text) {
    return text ? element("details.short", {}, prose("summary", text)) : null;
  },

  decisions(id) {
    const all = this.decided.get(id) ?? [];
    if (!all.length) return [];
    const told = all.map((hop) => {
      const walk = this.several ? `walk ${hop.walk + 1}, ` : "";
      const where = hop.action === "child" && hop.next_node ? `${DONE.child} to ${this.name(hop.next_node)}` : (DONE[hop.action] ?? hop.action);
      return element(
        "li",
        { "data-action": hop.action },
        element("span.order", {}, `${hop.place + 1}`),
        element("b", {}, walk + where),
        hop.reasoning ? prose("span", hop.reasoning) : null,
      );
    });
    return [element("ol.decisions", {}, told)];
  },

  below(id, node) {
    const list = element("ul");
    const draw = () => list.childElementCount || list.append(...node.children.map((child) => this.node(child)));
    const open = this.decided.has(id) || (!this.decided.size && id === report.tree.root);
    const summary = element("summary", { onclick: draw }, counted(node.children.length, "node"));
    const details = element("details.parts", { open }, summary, list);
    if (open) draw();
    return details;
  },
};

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

/** The table of a survey: its rows, each with links to the quotes that show it. */
function surveyTable(found) {
  const { columns, kinds, rows, found: all } = found.table;
  const numbers = new Map(found.citations.map(({ start, end }, place) => [`${start}-${end}`, place]));
  const shown = (citation) => {
    const place = numbers.get(`${citation.start}-${citation.end}`);
    return place === undefined ? quoteButton(citation) : markButton(citation, place);
  };
  const cell = (value, column) => prose(kinds[column] === "number" ? "td.figure" : "td", value);
  const line = ({ values, citations }) => element("tr", {}, values.map(cell), element("td.quotes", {}, citations.map(shown)));
  const heads = [...columns.map((name) => prose("th", name, { scope: "col" })), element("th", { scope: "col" }, "quotes")];
  const body = element("tbody", {}, rows.map(line));
  const left = all > rows.length ? element("p.quiet", {}, `The first ${number(rows.length)} of ${counted(all, "row")}.`) : null;
  const table = element("table.survey", {}, element("thead", {}, element("tr", {}, heads)), body);
  return element("div.wide", { tabindex: 0, role: "group", "aria-label": "Table" }, table, left);
}

/** Opens the page of a quote that is not among the citations. */
function quoteButton(citation) {
  const open = (event) => pages.open(citation.page, { opener: event.currentTarget });
  return element("button.chip", { type: "button", onclick: open, title: citation.quote }, whereabouts(citation.page, citation.place));
}

/** Whether the answer is the table itself, in Markdown. */
const listsRows = (found) => Boolean(found.table?.rows.length) && (found.answer ?? "").startsWith("| ");
