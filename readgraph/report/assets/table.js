/** The table of a survey: its rows, each with links to the quotes that show it. */
function surveyTable(found) {
  const { columns, kinds, rows, found: all } = found.table;
  const numbers = new Map(found.citations.map(({ start, end }, place) => [`${start}-${end}`, place]));
  const shown = (citation) => {
    const place = numbers.get(`${citation.start}-${citation.end}`);
    return place === undefined ? quoteButton(citation) : markButton(citation, place);
  };
  const cell = (value, column) => prose(kinds[column] === "number" ? "td.figure" : "td", value);
  const line = ({ values, citations }) => element("tr", {}, values.map(cell), element("td.quotes", {}, citations.map(shown)));
  const heads = [...columns.map((name) => prose("th", name, { scope: "col" })), element("th", { scope: "col" }, "quotes")];
  const body = element("tbody", {}, rows.map(line));
  const left = all > rows.length ? element("p.quiet", {}, `The first ${number(rows.length)} of ${counted(all, "row")}.`) : null;
  const table = element("table.survey", {}, element("thead", {}, element("tr", {}, heads)), body);
  return element("div.wide", { tabindex: 0, role: "group", "aria-label": "Table" }, table, left);
}

/** Opens the page of a quote that is not among the citations. */
function quoteButton(citation) {
  const open = (event) => pages.open(citation.page, { opener: event.currentTarget });
  return element("button.chip", { type: "button", onclick: open, title: citation.quote }, whereabouts(citation.page, citation.place));
}

/** Whether the answer is the table itself, in Markdown. */
const listsRows = (found) => Boolean(found.table?.rows.length) && (found.answer ?? "").startsWith("| ");
