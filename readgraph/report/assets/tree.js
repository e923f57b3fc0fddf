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
