/** A page of more words scrolls by itself, so that what stands below it stays near. */
const LONG = 2000;

/** One page at a time: its note beside its text, with what was cited of it highlighted. */
const pages = {
  at: null,
  opener: null,

  make() {
    this.heading = element("h3", { tabindex: -1, id: "page-heading" });
    this.about = element("p.quiet");
    this.back = element("button", { type: "button", onclick: () => this.turn(-1) }, "← Previous");
    this.on = element("button", { type: "button", onclick: () => this.turn(1) }, "Next →");
    const closing = { type: "button", onclick: () => this.close(), "aria-keyshortcuts": "Escape" };
    const close = element("button", closing, "Close");
    this.note = element("div.note");
    this.text = element("div.text");
    const turning = element("div.turning", { role: "group", "aria-label": "Turn pages" }, this.back, this.on, close);
    this.box = element(
      "article.page",
      { "aria-labelledby": "page-heading", hidden: true, onkeydown: (event) => this.key(event) },
      element("header", {}, element("div", {}, this.heading, this.about), turning),
      element("div.columns", {}, this.note, this.text),
    );
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
    return this.box;
  },

  /** Open a page, at one of the citations where one was chosen; Escape gives the focus back to the opener. */
  open(place, { citation = null, opener = null, quietly = false } = {}) {
    this.at = place;
    this.opener = opener ?? this.opener;
    this.box.hidden = false;
    strip.select(place);
    this.fill(report.pages[place], place, citation);
    for (const [other, button] of document.querySelectorAll("button.citation").entries()) {
      button.setAttribute("aria-current", other === citation ? "true" : "false");
    }
    const chosen = this.text.querySelector("mark.chosen");
    if (chosen) {
      const above = chosen.getBoundingClientRect().top - this.text.getBoundingClientRect().top;
      this.text.scrollTop = above - this.text.clientHeight / 2;
    }
    if (quietly) return;
    const target = chosen ?? this.heading;
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: target === this.heading ? "nearest" : "center" });
  },

  close() {
    if (this.at === null) return;
    this.box.hidden = true;
    this.at = null;
    strip.select(null);
    for (const button of document.querySelectorAll("button.citation")) button.setAttribute("aria-current", "false");
    (this.opener?.isConnected ? this.opener : strip.cells[strip.at]).focus();
    this.opener = null;
  },

  turn(step) {
    if (report.pages[this.at + step]) this.open(this.at + step, { opener: strip.cells[this.at + step] });
  },

  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.turn(step);
  },

  fill(page, place, citation) {
    const span = `characters ${number(page.start)}–${number(page.end)}`;
    this.heading.textContent = `Page ${place}`;
    this.about.textContent = [counted(page.words, "word"), span, page.place].filter(Boolean).join(" · ");
    this.back.disabled = place === 0;
    this.on.disabled = place === report.pages.length - 1;
    this.note.replaceChildren(...this.noted(page));
    const long = page.words > LONG;
    this.text.classList.toggle("long", long);
    if (long) this.text.tabIndex = 0;
    else this.text.removeAttribute("tabindex");
    this.text.replaceChildren(element("h4", {}, "Text"), this.words(page, citation));
    this.text.scrollTop = 0;
  },

  /** The note with its header; nothing where the method keeps none. */
  noted({ header, note, fallback }) {
    if (note === "" && !header) return [];
    return [
      element("h4", {}, capital(report.note)),
      header ? prose("p.header", header) : "",
      note === null ? element("p.quiet", {}, `No ${report.note} yet.`) : prose("p", note),
      fallback ? element("p.trouble", {}, "The model gave none that was usable; this is its substitute.") : "",
    ];
  },

  words(page, citation) {
    if (page.text !== null) return prose("div.raw", this.highlighted(page, citation));
    return element("p.quiet", {}, "The text of this page was left out, since the document is long.");
  },

  /** The pages that a citation's span touches. */
  under(citation) {
    const touched = [];
    for (let place = citation.page; report.pages[place]?.start < citation.end; place += 1) touched.push(place);
    return touched;
  },

  /** A page's text in pieces, the cited ones marked. Offsets count code points, as Python's do. */
  highlighted(page, chosen) {
    const points = [...page.text];
    const spans = (report.found?.citations ?? [])
      .map((citation, place) => ({ start: citation.start - page.start, end: citation.end - page.start, place }))
      .filter((span) => span.start < points.length && span.end > 0);
    const ends = new Set([0, points.length]);
    for (const span of spans) ends.add(Math.max(0, span.start)).add(Math.min(points.length, span.end));
    const sorted = [...ends].sort((one, other) => one - other);
    return sorted.slice(1).map((end, before) => {
      const start = sorted[before];
      const piece = points.slice(start, end).join("");
      const over = spans.filter((span) => span.start <= start && span.end >= end);
      if (!over.length) return piece;
      const isChosen = over.some((span) => span.place === chosen);
      return element(isChosen ? "mark.chosen" : "mark", { tabindex: isChosen ? -1 : null }, piece);
    });
  },
};
