/** How many documents are asked for at once. */
const LISTED = 50;

/** The documents of the library, newest first; more of them come as one goes down. */
async function libraryView(box, signal) {
  const list = element("ul.documents");
  const about = element("p.quiet", { role: "status" });
  const more = element("button", { type: "button", hidden: true, onclick: () => next() }, "Show more");
  const words = element("input", { type: "search", autocomplete: "off", spellcheck: "false", placeholder: "Words of the title" });
  const trouble = element("p.trouble", { role: "alert" });
  let [turn, offset, total, busy] = [0, 0, 0, false];

  const next = async (isFresh = false) => {
    if (busy && !isFresh) return;
    busy = true;
    const mine = (turn += isFresh ? 1 : 0);
    if (isFresh) offset = 0;
    try {
      const path = withQuery("/api/documents", { query: words.value.trim(), offset, limit: LISTED });
      const came = await api.get(path, signal);
      if (mine !== turn) return;
      total = came.total;
      offset += came.documents.length;
      const drawn = came.documents.map(documentItem);
      isFresh ? list.replaceChildren(...drawn) : list.append(...drawn);
      about.textContent = librarySize(came, words.value.trim());
      more.hidden = offset >= total || !came.documents.length;
      trouble.textContent = "";
    } catch (problem) {
      trouble.textContent = toldProblem(problem);
    }
    busy = false;
  };

  words.addEventListener("input", settled(150, () => next(true)));
  const heading = element("div.heading", {}, element("h1", {}, "Library"), about);
  await next(true);
  const watched = watchedPanel(signal);
  box.replaceChildren(heading, addingPanel(), watched.panel, field("Search", words), trouble, list, more);
  const seen = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && next(), { rootMargin: "400px" });
  seen.observe(more);
  const renewed = () => next(true);
  document.addEventListener("added", renewed);
  return () => {
    seen.disconnect();
    watched.end();
    document.removeEventListener("added", renewed);
  };
}

/** How often the watched folders are asked for, in milliseconds. */
const WATCHED_EVERY = 5000;

/** The folders that a command watches, and what became of their files; nothing where none was watched. */
function watchedPanel(signal) {
  const panel = element("section.watched", { "aria-label": "Watched folders", hidden: true });
  const open = new Set();
  const folderItem = ({ folder, counts, files }) => {
    const states = Object.entries(counts).map(([state, count]) => `${count} ${state}`);
    const rows = files.map((one) => element("li", {}, prose("span", one.file), prose("span.quiet", [one.state, one.reason].filter(Boolean).join(": "))));
    const fold = element("details", { open: open.has(folder) }, prose("summary", `${folder}: ${states.join(", ")}`),
      rows.length ? element("ul", {}, rows) : element("p.quiet", {}, "All files were read."));
    fold.addEventListener("toggle", () => (fold.open ? open.add(folder) : open.delete(folder)));
    return fold;
  };
  let shown = "";
  const renew = async () => {
    if (document.hidden) return;
    const { folders } = await api.get("/api/watched", signal);
    if (JSON.stringify(folders) === shown) return;
    shown = JSON.stringify(folders);
    panel.hidden = !folders.length;
    panel.replaceChildren(element("h2", {}, "Watched folders"), ...folders.map(folderItem));
  };
  const quietly = () => renew().catch(() => {}); // the list of documents tells of trouble
  const timer = setInterval(quietly, WATCHED_EVERY);
  quietly();
  return { panel, end: () => clearInterval(timer) };
}

function librarySize({ total, words }, query) {
  if (!total) return query ? "No title has these words." : "Nothing here yet. Drop files anywhere on this page to begin.";
  return query ? counted(total, "document") : `${counted(total, "document")}, ${counted(words, "word")}`;
}

function documentItem(one) {
  const link = prose("a.title", one.title || one.source || one.id, { href: placeOf("document", one.id) });
  const about = [counted(one.words, "word"), one.parts.length ? counted(one.parts.length, "document") : "",
    one.sessions ? counted(one.sessions, "session") : "", day(one.added)];
  const memories = one.memories.map((memory) => element("li", {}, memoryLink(one, memory)));
  return element(
    "li.document",
    {},
    element("h2", {}, link),
    prose("p.quiet", [...about, one.source].filter(Boolean).join(" · ")),
    one.replaced_by ? element("p.quiet", {}, "An earlier version: ", element("a", { href: placeOf("document", one.replaced_by) }, "the newer one"), ".") : "",
    memories.length ? element("ul.memories", { "aria-label": "Read with" }, memories) : element("p.quiet", {}, one.read_together ? "Read together with others." : "Not read yet."),
  );
}

/** Who read a document, how far and when. */
function memoryLink(one, memory) {
  const link = element("a.chip", { href: placeOf("document", one.id, memory.id), title: memoryTitle(memory) }, toldMemory(one, memory));
  if (!memory.complete) link.classList.add("partly");
  return link;
}

function toldMemory(one, memory) {
  const share = one.characters ? Math.floor((100 * memory.read_to) / one.characters) : 100;
  const far = memory.complete ? counted(memory.pages, "part") : `${share} %`;
  return [memory.method, memory.purpose && `for ${shortened(memory.purpose, 40)}`, far].filter(Boolean).join(" · ");
}

const memoryTitle = (memory) => [memory.model || "without a model", day(memory.started)].filter(Boolean).join(", ");
