"use strict";

/** What the report shows: see readgraph/doors/report/page.py. A page that came without data sets it before it makes the parts
 * of a report, and may do so again. */
let report = JSON.parse(document.getElementById("data")?.textContent ?? "null");

/** An element; `settings` are attributes, and listeners under the names of their events ("onclick"). Strings become
 * text nodes: nothing here, or anywhere in this script, is read as markup. */
function element(tag, settings = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const made = document.createElement(name);
  made.classList.add(...classes);
  for (const [key, value] of Object.entries(settings)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

/** A section with its heading. */
function section(name, heading, ...children) {
  const id = `${name}-heading`;
  return element(`section.${name}`, { "aria-labelledby": id }, element("h2", { id }, heading), ...children);
}

/** Text of the document, or of a model, which may be in any script. */
const prose = (tag, text, settings = {}) => element(tag, { dir: "auto", ...settings }, text);

const inEnglish = new Intl.NumberFormat("en"); // made once: a long text's strip names thousands of numbers
const number = (value) => inEnglish.format(value);
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** "1 part", "2 parts", "2 memories". */
function counted(count, thing) {
  const several = thing.endsWith("y") ? `${thing.slice(0, -1)}ies` : `${thing}s`;
  return `${number(count)} ${count === 1 ? thing : several}`;
}

/** "quote not found 2, gist 1". */
function tally(fallbacks) {
  const told = Object.entries(fallbacks).map(([kind, count]) => `${kind.replaceAll("_", " ")} ${count}`);
  return told.join(", ");
}

/** A page of a PDF in a place; there are several, with "or", where it is not known which one a picture showed. */
const PDF_PAGE = /(^|, | or )PDF page (\d+)(?= or |$| \((.*)\)$)/gs;

/** The pages of PDFs that a place names, each with what stands before it: the title, where there are several documents. */
function pdfPages(place) {
  let end = 0;
  return [...(place?.matchAll(PDF_PAGE) ?? [])].map((found) => {
    const title = place.slice(end, found.index).replace(/^ or /, "");
    end = found.index + found[0].length;
    return { title, page: Number(found[2]) };
  });
}

/** The document of a collection with this title, if it is the only one. */
function partTitled(title) {
  const alike = report.parts.filter((part) => part.title === title);
  return alike.length === 1 ? alike[0] : null;
}

/** A place as people say it: "PDF page 5 (v)" is "page v (5th in the file)". */
function placeInWords(place) {
  return place?.replace(/(^|, )PDF page (\d+) \((.*)\)$/s, (_, before, page, printed) => {
    const ending = /1\d$/.test(page) ? "th" : ({ 1: "st", 2: "nd", 3: "rd" }[page.at(-1)] ?? "th");
    return `${before}page ${printed} (${page}${ending} in the file)`;
  }).replace(/(^|, | or )PDF page (\d+)(?= or |$)/g, "$1page $2");
}

/** Where a page is: the source's own place, or "part 4" where the source names none. */
const whereabouts = (page, place) => placeInWords(place) || `part ${page}`;

/** A button that opens a page; its title is the source's own place. */
function pageButton(page, label = `part ${page}`) {
  if (!report.pages[page]) return element("span.chip", {}, label);
  const open = (event) => pages.open(page, { opener: event.currentTarget });
  return element("button.chip", { type: "button", onclick: open, title: report.pages[page].place }, label);
}
