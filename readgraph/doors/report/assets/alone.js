/** The page of a report that stands alone, with its data in the page. */
document.title = `${report.question || report.title} – reading report`;
document.body.prepend(
  reportHeader(),
  ...reportParts(),
  element("footer", {}, "Made by readgraph. This page holds all it shows: it loads nothing and sends nothing."),
);
openFirst(report.found);
