/** Milliseconds of work in one frame, so that the page stays smooth while it searches. */
const SLICE = 8;

/** The most pages whose mark is drawn or taken away in one frame. */
const DRAWN = 250;

/** The most hits that are marked in one text: those around the current one. */
const MARKED = 400;

/** Search in the pages' texts and notes and in the steps. Enter and the buttons go from hit to hit, "/" comes here. */
const search = {
  words: null,
  total: 0,
  at: -1,
  run: 0,
  searching: Promise.resolve(),

  make() {
    [this.words, this.total, this.at] = [null, 0, -1];
    this.run += 1;
    this.sources = [...this.collected()];
    const keys = { oninput: () => this.find(), onkeydown: (event) => this.key(event), "aria-keyshortcuts": "/" };
    const about = { type: "search", id: "words", placeholder: "Words or a phrase", autocomplete: "off" };
    this.input = element("input", { ...about, spellcheck: "false", ...keys });
    this.status = element("output.found", { id: "found", for: "words", role: "status", "aria-live": "polite" });
    const way = (name, sign, step) => {
      const settings = { type: "button", disabled: true, "aria-label": name, title: name, onclick: () => this.go(step) };
      return element("button", settings, sign);
    };
    this.ways = [way("Previous hit", "↑", -1), way("Next hit", "↓", 1)];
    const label = element("label", { for: "words" }, "Find in the text", element("kbd", { "aria-hidden": "true" }, "/"));
    this.box = element("div.search", { role: "search" }, label, this.input, this.ways, this.status);
    return this.box;
  },

  /** What is searched, in the order of the report. `field` says what it is of a page, or that it is a step. */
  *collected() {
    for (const [place, page] of report.pages.entries()) {
      for (const field of ["header", "note", "text"]) if (page[field]) yield { place, field, text: page[field] };
    }
    for (const [place, step] of (report.found?.steps ?? []).entries()) {
      if (step.summary) yield { place, field: "step", text: step.summary };
    }
  },

  find() {
    this.words = pattern(this.input.value);
    this.at = -1;
    this.searching = this.count(++this.run);
  },

  /** Count the hits, a slice of the work in each frame; a newer search ends this one. */
  async count(run) {
    let until = performance.now() + SLICE;
    let drawn = 0;
    for (const isDrawn of this.work()) {
      drawn += isDrawn;
      if (performance.now() < until && drawn < DRAWN) continue;
      await new Promise(requestAnimationFrame);
      if (run !== this.run) return;
      [until, drawn] = [performance.now() + SLICE, 0];
    }
    this.tell();
    pages.refresh();
    this.drawSteps();
  },

  /** Count, source after source, and mark the pages; a stop after each, 1 where there is something to draw. */
  *work() {
    const found = new Map();
    let total = 0;
    for (const source of this.sources) {
      source.before = total;
      source.hits = this.words ? countOf(source.text, this.words) : 0;
      total += source.hits;
      if (source.field !== "step") found.set(source.place, (found.get(source.place) ?? 0) + source.hits);
      yield 0;
    }
    for (const [place, hits] of found) if (strip.setHits(place, hits)) yield 1;
    this.total = total;
  },

  /** Go to the next hit, or to the one before; after the last comes the first. */
  async go(step) {
    await this.searching;
    if (!this.total) return;
    this.at = this.at < 0 && step < 0 ? this.total - 1 : (this.at + step + this.total) % this.total;
    const source = this.current();
    if (source.field === "step") pages.refresh();
    else pages.open(source.place, { quietly: true });
    this.drawSteps();
    this.tell();
    const box = source.field === "step" ? document.querySelector(`[data-step="${source.place}"]`) : pages.box;
    for (const fold of document.querySelectorAll(".how-read")) fold.open ||= fold.contains(box);
    const mark = box.querySelector("mark.current") ?? box.querySelector(".sign.current")?.parentElement;
    (mark ?? box).scrollIntoView({ block: "center" });
  },

  /** What holds the current hit. */
  current() {
    return this.at < 0 ? null : this.sources.findLast((source) => source.hits && source.before <= this.at);
  },

  tell() {
    for (const way of this.ways) way.disabled = !this.total;
    this.box.classList.toggle("active", Boolean(this.words));
    strip.found.hidden = !this.total;
    this.status.textContent = this.words ? this.told() : "";
  },

  told() {
    if (!this.total) return "No hits";
    const source = this.current();
    if (source) {
      const field = { note: report.note }[source.field] ?? source.field;
      const page = report.pages[source.place];
      const where = field === "step" ? `step ${source.place + 1}` : `${whereabouts(source.place, page.place)}, ${field}`;
      return `${number(this.at + 1)} of ${number(this.total)}: ${where}`;
    }
    const hit = this.sources.filter((source) => source.hits);
    const steps = hit.filter((source) => source.field === "step").length;
    const onPages = new Set(hit.filter((source) => source.field !== "step").map((source) => source.place)).size;
    const where = [onPages ? counted(onPages, "part") : "", steps ? counted(steps, "step") : ""];
    return `${counted(this.total, "hit")} in ${where.filter(Boolean).join(" and ")}`;
  },

  /** The hits in a text of the report as spans of code points; the current one is marked as such. */
  spans(place, field, text) {
    if (!this.words || !text) return [];
    const current = this.current();
    const chosen = current?.place === place && current.field === field ? this.at - current.before : -1;
    const first = Math.max(0, chosen - MARKED / 2);
    const spans = [];
    let [before, points, hit] = [0, 0, 0];
    for (const match of text.matchAll(this.words)) {
      if (hit >= first + MARKED) break;
      points += [...text.slice(before, match.index)].length;
      before = match.index;
      if (hit >= first) spans.push({ start: points, end: points + [...match[0]].length, current: hit === chosen });
      hit += 1;
    }
    return spans;
  },

  drawSteps() {
    for (const { place, field, text, hits } of this.sources) {
      const cell = field === "step" ? document.querySelector(`[data-step="${place}"]`) : null;
      if (!cell || !(hits || cell.querySelector("mark"))) continue;
      cell.replaceChildren(...new MarkedText(text, [], this.spans(place, field, text)).pieces());
    }
  },

  key(event) {
    event.stopPropagation();
    if (event.key === "Enter" && !event.isComposing) this.go(event.shiftKey ? -1 : 1);
    if (event.key !== "Escape") return;
    event.preventDefault();
    if (!this.input.value) this.input.blur();
    this.input.value = "";
    this.find();
  },

  shortcut(event) {
    if (event.key !== "/" || !this.input?.isConnected || event.target.closest?.("input, textarea, select")) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.input.select();
    this.input.focus();
  },
};

document.addEventListener("keydown", (event) => search.shortcut(event));

/** An expression that finds these words as they are written, in upper or lower case, over line ends too. */
function pattern(query) {
  const words = query.trim().split(/\s+/u).filter(Boolean);
  const literal = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return words.length ? new RegExp(literal.join("\\s+"), "giu") : null;
}

function countOf(text, words) {
  let count = 0;
  words.lastIndex = 0;
  while (words.test(text)) count += 1;
  return count;
}
