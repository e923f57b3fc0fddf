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
