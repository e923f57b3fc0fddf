/** The thread that is shown: its steps, the oldest first, and which of them is chosen. */
const thread = {
  id: "",
  steps: [],
  chosen: "",

  /** Load the steps, and choose one: the newest by default. */
  async load(id, choose = "") {
    this.id = id;
    const loaded = await api.get(pathOf("studio", "threads", id));
    if (this.id !== id) return;
    this.steps = loaded.steps;
    const wasInList = document.getElementById("thread").contains(document.activeElement);
    this.draw();
    const last = choose || this.steps.at(-1)?.checkpoint;
    if (last) await this.choose(last);
    if (wasInList) document.querySelector('.step[aria-current="step"]')?.focus();
    return loaded;
  },

  clear() {
    [this.id, this.steps, this.chosen] = ["", [], ""];
    this.draw();
    stateView.show(null);
  },

  draw() {
    const box = document.getElementById("thread");
    if (!this.steps.length) return box.replaceChildren();
    const items = this.steps.map((step, place) => this.item(step, place));
    const list = element("ol.steps", {}, items);
    list.addEventListener("keydown", (event) => this.move(event, list));
    box.replaceChildren(element("h2", {}, "Steps"), list);
  },

  item(step, place) {
    const before = this.steps.findIndex((one) => one.checkpoint === step.parent);
    const from = before >= 0 && before !== place - 1 ? element("span.quiet", {}, `from step ${before + 1}`) : "";
    const settings = { type: "button", onclick: () => trying(this.choose(step.checkpoint)), "data-checkpoint": step.checkpoint };
    const took = before >= 0 ? (Date.parse(step.at) - Date.parse(this.steps[before].at)) / 1000 : 0;
    return element("li", {}, element(
      "button.step", settings,
      element("b", {}, `${place + 1}. ${this.nameOf(step)}`), from,
      step.ran.length && took >= 0.1 ? element("span.quiet", {}, `${took.toFixed(1)} s`) : "",
      step.summary ? prose("span.summary", step.summary) : "",
    ));
  },

  /** Arrows go from step to step. */
  move(event, list) {
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    const buttons = [...list.querySelectorAll("button")];
    const next = buttons[buttons.indexOf(document.activeElement) + way];
    next?.focus();
    next?.click();
  },

  nameOf(step) {
    if (step.ran.length) return step.ran.join(", ");
    return step.by_hand ? "Changed by hand" : "The question";
  },

  /** The steps that led to one, the oldest first. */
  lineTo(checkpoint) {
    const line = [];
    for (let at = checkpoint; at; ) {
      const step = this.steps.find((one) => one.checkpoint === at);
      if (!step) break;
      line.unshift(step);
      at = step.parent;
    }
    return line;
  },

  async choose(checkpoint) {
    this.chosen = checkpoint;
    for (const button of document.querySelectorAll("[data-checkpoint]")) {
      button.setAttribute("aria-current", button.dataset.checkpoint === checkpoint ? "step" : "false");
    }
    const step = this.steps.find((one) => one.checkpoint === checkpoint);
    drawing.mark(this.lineTo(checkpoint), { next: step?.next ?? [] });
    const [list, button] = [document.querySelector("ol.steps"), document.querySelector('[aria-current="step"]')];
    if (button) list.scrollTop = button.offsetTop - list.offsetTop - list.clientHeight / 2; // the page itself stays
    await stateView.show(step);
  },
};
