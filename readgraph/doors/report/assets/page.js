/** A page's text with its headings and tables drawn as such. Every character of it is there, in its order; the signs
 * that make headings and rows (`##`, `|`) are hidden. */
function structured(text, blocks) {
  const drawn = [];
  let before = 0;
  for (const block of blocks) {
    drawn.push(...text.pieces(before, block.start), block.kind === "table" ? tableOf(text, block) : headingOf(text, block));
    before = block.end;
  }
  return [...drawn, ...text.pieces(before)];
}

/** What stands between words of a text and is not shown. */
function sign(text, start, end) {
  if (start >= end) return null;
  const isCurrent = text.spans.some((span) => span.current && span.start < end && span.end > start);
  return element(isCurrent ? "span.sign.current" : "span.sign", {}, text.plain(start, end));
}

/** A heading; those of the page around it end at level 4. */
function headingOf(text, { start, end, level, words }) {
  const settings = { role: "heading", "aria-level": level + 4, "data-level": level };
  return element("div.head", settings, sign(text, start, words[0]), text.pieces(...words), sign(text, words[1], end));
}

/** A table in a box that scrolls by itself where it is too wide. */
function tableOf(text, { start, end, head, rows }) {
  let at = start;
  const drawn = rows.map((row, place) => {
    const last = row.findLastIndex((cell) => cell);
    const cells = row.map((cell, column) => {
      const isHead = head && place === 0;
      const made = element(isHead ? "th" : "td", { scope: isHead ? "col" : null });
      if (!cell) return made;
      const [from, value, to] = cell;
      const name = head ? sign(text, from, value) : named(text, from, value);
      const after = place === rows.length - 1 && column === last ? end : to;
      made.append(...[sign(text, at, from), name, ...text.pieces(value, to), sign(text, to, after)].filter(Boolean));
      at = to;
      return made;
    });
    return element("tr", {}, cells);
  });
  return element("div.wide", { tabindex: 0, role: "group", "aria-label": "Table" }, element("table", {}, drawn));
}

const named = (text, start, end) => (start < end ? element("span.name", {}, text.pieces(start, end)) : null);

/** A page of more words scrolls by itself, so that what is cited of it is seen at once, and what stands below stays near. */
const LONG = 400;

/** One page at a time: its note beside its text, with what was cited of it highlighted. */
const pages = {
  at: null,
  citation: null,
  opener: null,

  make() {
    [this.at, this.citation, this.opener] = [null, null, null];
    this.heading = element("h3", { tabindex: -1, id: "page-heading" });
    this.about = element("p.quiet");
    this.back = element("button", { type: "button", onclick: () => this.turn(-1) }, "← Previous");
    this.on = element("button", { type: "button", onclick: () => this.turn(1) }, "Next →");
    const closing = { type: "button", onclick: () => this.close(), "aria-keyshortcuts": "Escape" };
    const close = element("button", closing, "Close");
    this.note = element("div.note");
    this.text = element("div.text");
    const turning = element("div.turning", { role: "group", "aria-label": "Go from part to part" }, this.back, this.on, close);
    this.box = element(
      "article.page",
      { "aria-labelledby": "page-heading", hidden: true, onkeydown: (event) => this.key(event) },
      element("header", {}, element("div", {}, this.heading, this.about), turning),
      element("div.columns", {}, this.note, this.text),
    );
    return this.box;
  },

  /** Open a page, at one of the citations where one was chosen; Escape gives the focus back to the opener. */
  open(place, { citation = null, opener = null, quietly = false } = {}) {
    this.at = place;
    this.opener = opener ?? this.opener;
    this.box.hidden = false;
    strip.select(place);
    this.citation = citation;
    this.fill(report.pages[place], place, citation);
    showCited(citation);
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
    showCited(null);
    (this.opener?.isConnected ? this.opener : strip.cells[strip.at])?.focus();
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
    this.heading.textContent = capital(whereabouts(place, page.place));
    const about = counted(page.words, "word");
    const links = sourceLinks(page.start, page.place);
    this.about.replaceChildren(about, ...links.flatMap((link) => [" · ", link]));
    this.back.disabled = place === 0;
    this.on.disabled = place === report.pages.length - 1;
    this.note.replaceChildren(...this.noted(page, place));
    const long = page.words > LONG;
    this.text.classList.toggle("long", long);
    if (long) this.text.tabIndex = 0;
    else this.text.removeAttribute("tabindex");
    this.text.replaceChildren(element("h4", {}, "Text"), this.words(page, place, citation));
    this.text.scrollTop = 0;
  },

  /** The note with its header; nothing where the method keeps none. */
  noted({ header, note, fallback, corrected }, place) {
    if (note === "" && !header) return [];
    return [
      element("h4", {}, capital(report.note)),
      header ? prose("p.header", this.found(place, "header", header).pieces()) : "",
      note === null
        ? element("p.quiet", {}, `No ${report.note} yet.`)
        : prose("p", this.found(place, "note", note).pieces()),
      corrected ? element("p.quiet", {}, "Corrected by hand.") : "",
      fallback && !corrected ? element("p.trouble", {}, "The model gave none that was usable; this is its substitute.") : "",
    ];
  },

  words(page, place, citation) {
    if (page.text !== null) {
      const text = this.found(place, "text", page.text, this.cited(page, citation));
      return prose("div.raw", structured(text, page.blocks));
    }
    return element("p.quiet", {}, "The text of this part was left out, since the document is long.");
  },

  /** A text of a page, with what is cited of it and what a search found in it. */
  found(place, field, text, cited = []) {
    return new MarkedText(text, cited, search.spans(place, field, text));
  },

  /** Draw the open page once more, where a search found other words. */
  refresh() {
    if (this.at === null || !(strip.hits.get(this.at) || this.box.querySelector("mark.hit"))) return;
    const scrolled = this.text.scrollTop;
    this.fill(report.pages[this.at], this.at, this.citation);
    this.text.scrollTop = scrolled;
  },

  /** The pages that a citation's span touches. */
  under(citation) {
    const touched = [];
    for (let place = citation.page; report.pages[place]?.start < Math.max(citation.end, citation.start + 1); place += 1) touched.push(place);
    return touched;
  },

  /** Where the citations stand in a page. */
  cited(page, chosen) {
    return (report.found?.citations ?? []).map((citation, place) => {
      return { start: citation.start - page.start, end: citation.end - page.start, place, chosen: place === chosen };
    });
  },
};

document.addEventListener("keydown", (event) => event.key === "Escape" && pages.close());
