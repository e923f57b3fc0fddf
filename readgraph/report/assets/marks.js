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
