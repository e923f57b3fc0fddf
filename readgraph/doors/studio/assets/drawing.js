/** The drawn graph: which node runs, which have run and how often, and before which the run stops. */
const drawing = {
  stops: new Set(),
  nodes: new Map(),

  /** Draw a graph as the server sent it; a node is a button that sets a stop before it. */
  show(graph) {
    this.stops.clear();
    const parsed = new DOMParser().parseFromString(graph.drawing, "image/svg+xml").documentElement;
    const svg = document.importNode(parsed, true);
    svg.removeAttribute("role"); // its nodes are buttons
    this.nodes = new Map([...svg.querySelectorAll("[data-node]")].map((box) => [box.dataset.node, box]));
    for (const [name, box] of this.nodes) this.prepare(name, box, graph.nodes[name] ?? "");
    this.live = element("pre.written", { "aria-label": "What the model writes", hidden: true, dir: "auto" });
    document.getElementById("graph").replaceChildren(
      element("h2", {}, graph.method),
      prose("p.quiet", graph.line),
      svg,
      element("p.quiet", {}, "Choose a node to stop before it. Dotted arrows are choices."),
      this.live,
    );
  },

  prepare(name, box, told) {
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = told;
    const [times, rect] = [document.createElementNS(title.namespaceURI, "text"), box.querySelector("rect")];
    times.classList.add("times");
    times.setAttribute("x", Number(rect.getAttribute("x")) + Number(rect.getAttribute("width")));
    times.setAttribute("y", rect.getAttribute("y") - 4);
    box.append(times);
    box.prepend(title);
    for (const [key, value] of Object.entries({ role: "button", tabindex: 0, "aria-pressed": false, "aria-label": `Stop before ${name}` })) {
      box.setAttribute(key, value);
    }
    const toggle = () => {
      const isStop = !this.stops.delete(name);
      if (isStop) this.stops.add(name);
      box.setAttribute("aria-pressed", isStop);
    };
    box.addEventListener("click", toggle);
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      toggle();
    });
  },

  /** Mark what the steps on one line have done, and what comes next. */
  mark(steps, { running = "", next = [] } = {}) {
    const times = new Map();
    for (const name of steps.flatMap((step) => step.ran)) times.set(name, (times.get(name) ?? 0) + 1);
    for (const [name, box] of this.nodes) {
      const ran = times.get(name) ?? 0;
      box.classList.toggle("ran", ran > 0);
      box.classList.toggle("running", name === running);
      box.classList.toggle("next", next.includes(name));
      box.querySelector(".times").textContent = ran > 1 ? `×${ran}` : "";
    }
  },

  /** Show a piece of what the model writes; an empty one begins anew. */
  write(text) {
    if (!this.live) return;
    this.live.textContent = text ? this.live.textContent + text : "";
    this.live.hidden = !this.live.textContent;
    this.live.scrollTop = this.live.scrollHeight;
  },
};
