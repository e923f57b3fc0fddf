const FEW = 80;
const MANY = 400;

/** Cells of a row at most: the browser lays out only the rows of a long text that are in view. */
const IN_ROW = 1000;

/** The pages as a strip of cells, one a page, as wide as it has words. One cell is in the tab order; the arrow keys go
 * along, up and down go to the row above and below, Home and End to the first and last page, Enter or Space opens. */
const strip = {
  cells: [],
  hits: new Map(),
  at: 0,

  make() {
    [this.hits, this.at] = [new Map(), 0];
    this.order = new Map((report.found?.pages_read ?? []).map((page, place) => [page, place + 1]));
    this.cited = new Set((report.found?.citations ?? []).flatMap((citation) => pages.under(citation)));
    this.average = averageWords(report.pages);
    this.cells = report.pages.map((page, place) => this.cell(page, place));
    this.peek = element("p.peek", { "aria-hidden": "true" });
    const role = { role: "listbox", "aria-label": `Parts of ${report.title}`, "aria-orientation": "horizontal" };
    this.box = element("div.strip", { ...role, onkeydown: (event) => this.key(event) }, this.rows());
    this.size();
    for (const kind of ["click", "focusin", "pointerover"]) {
      this.box.addEventListener(kind, (event) => this.pointed(event));
    }
    this.show(0);
    return [this.legend(), this.readAgain(), this.box, this.peek];
  },

  /** More pages at the end, of a text that is read at this moment. */
  grow(more) {
    if (!this.cells.length) this.average = averageWords(more);
    const lines = new Map();
    for (const page of more) {
      const cell = this.cell(page, report.pages.push(page) - 1);
      this.cells.push(cell);
      const line = report.parts.length ? this.lines[Math.max(0, report.parts.findLastIndex((part) => part.start <= page.start))] : this.lastRow();
      lines.set(line, [...(lines.get(line) ?? []), cell]);
    }
    for (const [line, cells] of lines) line.append(...cells);
    this.size();
    this.cells[this.at]?.setAttribute("tabindex", 0);
  },

  /** Say anew what a page is, which has got its note or was read. */
  renew(place) {
    const cell = this.cells[place];
    cell.setAttribute("aria-label", this.named(report.pages[place], place));
    cell.classList.toggle("unread", report.pages[place].note === null);
    if (place === this.at) this.tell(place);
  },

  /** Mark a page as read again, after those that were before. */
  readNow(place) {
    if (this.order.has(place) || !this.cells[place]) return;
    this.order.set(place, this.order.size + 1);
    this.cells[place].replaceChildren(`${this.order.size}`);
    this.cells[place].classList.add("read");
    this.renew(place);
  },

  size() {
    this.box.classList.toggle("one-row", report.pages.length <= FEW && !report.parts.length);
    this.box.classList.toggle("many", report.pages.length > MANY);
    this.box.style.setProperty("--unit", `${this.unit()}px`);
  },

  /** The pages that were read again, in the order of reading. */
  readAgain() {
    if (!this.order.size) return null;
    const buttons = [...this.order.keys()].map((page) => element("li", {}, pageButton(page, this.placed(page))));
    const lead = element("li.quiet", { "aria-hidden": "true" }, "Read again:");
    return element("ol.again", { "aria-label": "Parts read again, in order" }, lead, buttons);
  },

  /** Where a page is, in a collection with the title of its document. */
  placed(number) {
    const page = report.pages[number];
    const title = report.parts.findLast((part) => part.start <= page?.start)?.title;
    return [title, whereabouts(number, page?.place)].filter(Boolean).join(", ");
  },

  /** Pixels for a page of as many words as the pages have on average. */
  unit() {
    const count = report.pages.length;
    return count > 1500 ? 7 : count > MANY ? 10 : count > FEW ? 16 : 26;
  },

  cell(page, place) {
    const order = this.order.get(place);
    const cell = element("span.cell", { role: "option", tabindex: -1, "data-page": place, "aria-selected": "false" });
    cell.setAttribute("aria-label", this.named(page, place));
    cell.style.setProperty("--words", page.words / this.average);
    if (order) cell.append(`${order}`);
    cell.classList.toggle("read", Boolean(order));
    cell.classList.toggle("cited", this.cited.has(place));
    cell.classList.toggle("unread", page.note === null);
    return cell;
  },

  named(page, place) {
    const order = this.order.get(place);
    const hits = this.hits.get(place);
    const marks = [order ? `read again, number ${order}` : "", this.cited.has(place) ? "cited" : ""];
    if (hits) marks.push(counted(hits, "hit"));
    return [placeInWords(page.place), `part ${place}`, counted(page.words, "word"), ...marks].filter(Boolean).join(", ");
  },

  /** The documents of a collection stand apart, each under its title. */
  rows() {
    this.lines = [];
    if (!report.parts.length) {
      const count = Math.max(1, Math.ceil(this.cells.length / IN_ROW));
      const some = (_, row) => element("div.row", { role: "presentation" }, this.cells.slice(row * IN_ROW, (row + 1) * IN_ROW));
      return (this.lines = Array.from({ length: count }, some));
    }
    return report.parts.map((part, place) => {
      const end = report.parts[place + 1]?.start ?? Infinity;
      const isInside = (page) => page.start >= part.start && page.start < end;
      const cells = this.cells.filter((_, number) => isInside(report.pages[number]));
      const title = prose("div.part", part.title, { "aria-hidden": "true" });
      this.lines.push(element("div.row", { role: "presentation" }, cells));
      return element("div", { role: "group", "aria-label": part.title }, title, this.lines.at(-1));
    });
  },

  /** The row that takes the next page of a text that grows. */
  lastRow() {
    if (this.lines.at(-1).childElementCount >= IN_ROW) {
      this.lines.push(element("div.row", { role: "presentation" }));
      this.box.append(this.lines.at(-1));
    }
    return this.lines.at(-1);
  },

  legend() {
    const marks = [element("span", {}, element("span.cell"), "a part, as wide as it has words")];
    this.found = element("span", { hidden: true }, element("span.cell.hit"), "found by the search");
    const mark = (cell, meaning) => marks.push(element("span", {}, cell, meaning));
    if (this.order.size) mark(element("span.cell.read", {}, "1"), "read again, in this order");
    if (this.cited.size) mark(element("span.cell.cited"), "cited");
    if (report.live) mark(element("span.cell.unread"), "not noted yet");
    return element("p.legend", { "aria-hidden": "true" }, marks, this.found);
  },

  /** Mark a page with the number of a search's hits on it; whether that changed anything. */
  setHits(place, hits) {
    if (hits === (this.hits.get(place) ?? 0)) return false;
    this.hits.set(place, hits);
    this.cells[place].classList.toggle("hit", hits > 0);
    this.cells[place].setAttribute("aria-label", this.named(report.pages[place], place));
    return true;
  },

  /** Make a page the one that the tab key reaches, and tell what it is. */
  show(place) {
    this.cells[this.at]?.setAttribute("tabindex", -1);
    this.at = place;
    this.cells[place]?.setAttribute("tabindex", 0);
    this.tell(place);
  },

  tell(place) {
    const page = report.pages[place];
    if (!page) return;
    const note = page.header || page.note || "";
    this.peek.replaceChildren(element("b", {}, this.named(page, place)), prose("span", note));
  },

  pointed(event) {
    const cell = event.target.closest(".cell");
    if (!cell) return;
    const place = Number(cell.dataset.page);
    if (event.type === "focusin") this.show(place);
    else if (event.type === "click") pages.open(place, { opener: cell });
    else this.tell(place);
  },

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const along = { ArrowRight: this.at + 1, ArrowLeft: this.at - 1, Home: 0, End: this.cells.length - 1 };
    const next = along[event.key] ?? this.row(event.key);
    const opens = event.key === "Enter" || event.key === " ";
    if (opens) pages.open(this.at, { opener: this.cells[this.at] });
    else if (next !== null) this.cells[next]?.focus();
    if (opens || next !== null) event.preventDefault();
  },

  /** The nearest page in the row above or below; null for another key. */
  row(key) {
    const way = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (!way) return null;
    const here = this.cells[this.at].getBoundingClientRect();
    let best = this.at;
    let row = null;
    let nearest = Infinity;
    for (let place = this.at + way; this.cells[place]; place += way) {
      const there = this.cells[place].getBoundingClientRect();
      if (there.top === here.top) continue;
      row ??= there.top;
      if (there.top !== row) break;
      const far = Math.abs(there.left + there.width / 2 - here.left - here.width / 2);
      if (far < nearest) [best, nearest] = [place, far];
    }
    return best;
  },

  /** Mark the page that is open, or none. */
  select(place) {
    this.box.querySelector('[aria-selected="true"]')?.setAttribute("aria-selected", "false");
    if (place === null) return;
    this.cells[place].setAttribute("aria-selected", "true");
    this.show(place);
    const box = this.box.getBoundingClientRect();
    const cell = this.cells[place].getBoundingClientRect();
    if (cell.top < box.top || cell.bottom > box.bottom) this.box.scrollTop += cell.top - box.top - box.height / 2;
  },
};

const averageWords = (some) => some.reduce((sum, page) => sum + page.words, 0) / some.length;
