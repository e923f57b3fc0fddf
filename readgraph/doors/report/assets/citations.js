/** A text in pieces, with marks around the stretches of it that were cited or searched for. Offsets count code points,
 * as Python's do. */
class MarkedText {
  /** `cited` are spans of citations (`place`: which one), `hits` spans that a search found, one of them the current. */
  constructor(text, cited = [], hits = []) {
    this.points = [...text];
    this.spans = [...cited, ...hits].filter((span) => span.start < this.points.length && span.end > 0);
  }

  /** The stretch `[start, end)` as text nodes and marks. */
  pieces(start = 0, end = this.points.length) {
    const spans = this.spans.filter((span) => span.start < end && span.end > start);
    if (!spans.length) return [this.plain(start, end)];
    const inside = (offset) => Math.min(Math.max(offset, start), end);
    const edges = spans.flatMap((span) => [inside(span.start), inside(span.end)]);
    const sorted = [...new Set([start, ...edges, end])].sort((one, other) => one - other);
    return sorted.slice(1).map((stop, before) => this.piece(sorted[before], stop, spans));
  }

  piece(start, end, spans) {
    const over = spans.filter((span) => span.start <= start && span.end >= end);
    if (!over.length) return this.plain(start, end);
    const cited = over.filter((span) => span.place !== undefined);
    const chosen = cited.some((span) => span.chosen);
    const current = over.some((span) => span.current);
    const mark = element("mark", { tabindex: chosen ? -1 : null }, this.plain(start, end));
    mark.classList.toggle("chosen", chosen);
    mark.classList.toggle("cited", cited.length > 0);
    mark.classList.toggle("hit", cited.length < over.length);
    mark.classList.toggle("current", current);
    const ending = cited.filter((span) => span.end === end);
    if (ending.length) mark.dataset.marks = ending.map((span) => `[${span.place + 1}]`).join("");
    return mark;
  }

  plain(start, end) {
    return this.points.slice(start, end).join("");
  }
}

/** Links to a source at an offset of the document: to a PDF at each page that the place names; none where it can't be opened. */
function sourceLinks(offset, place) {
  const there = report.parts.length ? report.parts.findLast((part) => part.start <= offset) : report;
  const link = (href, label) => element("a.source", { href, target: "_blank", rel: "noopener noreferrer" }, label);
  const pages = pdfPages(place);
  if (!pages.length) return there?.link ? [link(there.link, "Open the source")] : [];
  const isApart = report.parts.length > 0 && pages.length > 1; // they may be of several documents
  return pages.flatMap(({ title, page }) => {
    const file = (isApart ? partTitled(title) : there)?.link;
    return file ? [link(`${file.replace(/#.*/s, "")}#page=${page}`, `Open ${isApart ? `${title}, ` : ""}PDF page ${page}`)] : [];
  });
}

/** The citations, each with its words, where they stand, and the way to its mark in the answer and to its source. */
function citationList(found) {
  const items = found.citations.map((citation, place) => {
    const show = (event) => pages.open(citation.page, { citation: place, opener: event.currentTarget });
    const button = element(
      "button.citation",
      { type: "button", onclick: show },
      element("span.number", {}, `[${place + 1}]`),
      prose("q", citation.quote),
      element("span.where", {}, [whereabouts(citation.page, citation.place), SEEN[citation.seen]].filter(Boolean).join(", ")),
    );
    const ways = [found.answer === null ? null : backButton(place), ...sourceLinks(citation.start, citation.place)];
    return element("li", tied(place), button, element("div.ways", {}, ways));
  });
  const list = (some) => element("ol.citations", { "aria-label": "Citations" }, some);
  const rest = items.splice(items.length > MANY_QUOTES ? FIRST_QUOTES : items.length);
  if (!rest.length) return list(items);
  return element("div", {}, list(items), element("details.more-quotes", {}, element("summary", {}, `${rest.length} more quotes`), list(rest)));
}

/** What is said of a quote from a page that the model saw as a picture. */
const SEEN = { "with the text": "seen as a picture, too", "in the picture": "read off its picture, not checked; the text does not say so" };

/** Of more quotes than this, only the first ones stand open. */
const [MANY_QUOTES, FIRST_QUOTES] = [8, 5];

/** The mark of a citation in the answer; it opens the page with the cited words. */
function markButton(citation, place) {
  const show = (event) => pages.open(citation.page, { citation: place, opener: event.currentTarget });
  const settings = { type: "button", onclick: show, title: citation.quote, ...tied(place) };
  return element("button.mark", settings, `[${place + 1}]`);
}

function backButton(place) {
  const back = () => shownReport().querySelector(`.mark[data-citation="${place}"]`).focus();
  return element("button.back", { type: "button", onclick: back }, `[${place + 1}] in the answer`);
}

/** A mark and its citation are shown together when one of them is pointed at, or has the focus. */
function tied(place) {
  const tie = (isTied) => (event) => {
    const box = event.currentTarget.closest("[data-report]") ?? document;
    for (const one of box.querySelectorAll(`[data-citation="${place}"]`)) one.classList.toggle("tied", isTied);
  };
  const pointed = { onpointerenter: tie(true), onpointerleave: tie(false) };
  return { "data-citation": place, ...pointed, onfocusin: tie(true), onfocusout: tie(false) };
}

/** Where the citations of the report stand: the page, or a box of it where other reports stand beside. */
const shownReport = () => document.querySelector('[data-report="shown"]') ?? document;

/** Say which citation is shown among the pages, or none. */
function showCited(citation) {
  for (const one of shownReport().querySelectorAll("[data-citation]")) {
    const isShown = Number(one.dataset.citation) === citation && citation !== null;
    (one.querySelector(".citation") ?? one).setAttribute("aria-current", String(isShown));
  }
}
