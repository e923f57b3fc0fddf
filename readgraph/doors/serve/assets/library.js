/** How many documents are asked for at once. */
const LISTED = 50;

/** The first screen: a question to all documents, then these, the newest first; more of them come as one goes down. */
async function libraryView(box, signal) {
  const form = await askForm([], signal);
  const list = element("ul.documents", { "aria-label": "Documents", "data-found": "" });
  const about_ = element("p.quiet", { role: "status" });
  const more = element("button", { type: "button", hidden: true, onclick: () => next() }, "Show more");
  const words = element("input", { type: "search", autocomplete: "off", spellcheck: "false", placeholder: "Words of a title" });
  const trouble = element("p.trouble", { role: "alert" });
  let [turn, offset, total, busy] = [0, 0, 0, false];

  const next = async (isFresh = false) => {
    if (busy && !isFresh) return;
    busy = true;
    const mine = (turn += isFresh ? 1 : 0);
    if (isFresh) offset = 0;
    const query = words.value.trim();
    try {
      const came = await api.get(withQuery("/api/documents", { query, offset, limit: LISTED }), signal);
      if (mine !== turn) return;
      const drawn = came.documents.map((one, place) => documentItem(one, adding.fresh.has(one.id) || (!query && offset + place === 0), signal));
      total = came.total;
      offset += came.documents.length;
      isFresh ? list.replaceChildren(...drawn) : list.append(...drawn);
      about_.textContent = librarySize(came, query);
      more.hidden = offset >= total || !came.documents.length;
      trouble.textContent = "";
      const isEmpty = !total && !query;
      const head = isEmpty ? first : asking;
      if (begin.firstChild !== head) begin.replaceChildren(head); // what is being written stays
      documents.hidden = isEmpty;
    } catch (problem) {
      trouble.textContent = toldProblem(problem);
    }
    busy = false;
  };

  words.addEventListener("input", settled(150, () => next(true)));
  const asking = element("section.asking", { "aria-labelledby": "asking" }, element("h1", { id: "asking" }, "Ask your documents"), form.box);
  const [first, begin] = [firstStep(), element("div")];
  const documents = element("section.library", { "aria-label": "Documents", "data-search": "" },
    element("div.heading", {}, element("h2", {}, "Documents"), about_), field("Filter", words), list, more);
  await next(true);
  const watched = watchedPanel(signal);
  box.replaceChildren(begin, addingPanel(), watched.panel, trouble, documents);
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

/** What an empty library offers: a text of one's own, or the story that comes with the program. */
function firstStep() {
  const story = doing("Try it with an example story", () => {
    adding.queue("The Lamp at Sarn Head", () => api.post("/api/example"));
  }, { class: "main" });
  const line = "Nothing here yet. Add a text of your own below, or a story of 13,700 words that comes with the program.";
  return element("section.first", { "aria-label": "Begin" }, element("h1", {}, "Begin with a text"), element("p", {}, line), story);
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
  if (!total) return query ? "No title has these words." : "";
  return query ? counted(total, "document") : `${counted(total, "document")}, ${counted(words, "word")}`;
}

/** A document of the list, and what may be done with it next; `isNew`: with questions to begin with. */
function documentItem(one, isNew, signal) {
  const link = prose("a.title", one.title || one.source || one.id, { href: placeOf("document", one.id) });
  const told = [counted(one.words, "word"), one.parts.length ? counted(one.parts.length, "document") : "",
    one.sessions ? counted(one.sessions, "session") : "", day(one.added), one.source, howFar(one)];
  const title = one.title || one.id;
  const ways = [["ask", "Ask"], ["summarise", "Summarise"]].map(([way, label]) =>
    element("a.chip", { href: placeOf(way, one.id), "aria-label": `${label}: ${shortened(title, LONGEST_TITLE)}` }, label));
  const item = element(
    "li.document",
    {},
    element("h3", {}, link),
    prose("p.quiet", told.filter(Boolean).join(" · ")),
    one.replaced_by ? element("p.quiet", {}, "An earlier version: ", element("a", { href: placeOf("document", one.replaced_by) }, "the newer one"), ".") : "",
    element("div.offers", {}, ways),
  );
  if (isNew) suggestions(one.id, signal).then((offered) => offered && item.append(offered));
  return item;
}

/** How far a document was read. */
function howFar(one) {
  if (one.memories.some((memory) => memory.complete)) return "read";
  const far = Math.max(0, ...one.memories.map((memory) => memory.read_to));
  return far ? `read to ${percent(far, one.characters)}` : one.read_together ? "read together with others" : "";
}

function toldMemory(one, memory) {
  const far = memory.complete ? counted(memory.pages, "part") : percent(memory.read_to, one.characters || 1);
  return [memory.method, memory.purpose && `for ${shortened(memory.purpose, 40)}`, far].filter(Boolean).join(" · ");
}

const memoryTitle = (memory) => [memory.model || "without a model", day(memory.started)].filter(Boolean).join(", ");
