/** The views by the location after "#": the back button goes through them. A view gets its box, what the location names
 * and a signal that ends with it; it may return a function that is called when it is left. */
const VIEWS = [
  [/^\/library$/, "Ask", (box, _, signal) => libraryView(box, signal)],
  [/^\/document\/([^/]+)\/part\/(\d+)$/, "Ask", (box, [id, part], signal) => documentView(box, id, null, signal, Number(part))],
  [/^\/document\/([^/]+)\/([^/]+)\/part\/(\d+)$/, "Ask", (box, [id, memory, part], signal) => documentView(box, id, memory, signal, Number(part))],
  [/^\/document\/([^/]+)(?:\/([^/]+))?$/, "Ask", (box, [id, memory], signal) => documentView(box, id, memory, signal)],
  [/^\/search$/, "Search", (box, _, signal) => searchView(box, signal)],
  [/^\/summarise(?:\/([^/]+))?$/, "Ask", (box, [ids], signal) => makingView(box, "summary", ids, signal)],
  [/^\/wiki(?:\/([^/]+))?$/, "Ask", (box, [ids], signal) => makingView(box, "wiki", ids, signal)],
  [/^\/verify(?:\/([^/]+))?$/, "Ask", (box, [ids], signal) => makingView(box, "check", ids, signal)],
  [/^\/table(?:\/([^/]+))?$/, "Ask", (box, [ids], signal) => makingView(box, "table", ids, signal)],
  [/^\/ask(?:\/([^/]+))?(?:\/([^/]+))?$/, "Ask", (box, [ids, question], signal) => askView(box, ids, signal, question)],
  [/^\/run\/([^/]+)$/, "Questions", (box, [run], signal) => runView(box, run, signal)],
  [/^\/questions$/, "Questions", (box, _, signal) => questionsView(box, signal)],
  [/^\/question\/([^/]+)$/, "Questions", (box, [thread], signal) => questionView(box, thread, signal)],
  [/^\/compare(?:\/([^/]+)\/([^/]+))?$/, "Questions", (box, runs, signal) => compareView(box, runs, signal)],
  [/^\/agents$/, "Agents", (box, _, signal) => agentsView(box, signal)],
  [/^\/agents\/([^/]+)$/, "Agents", (box, [name], signal) => agentView(box, name, signal)],
];

const WAYS = { Ask: "library", Search: "search", Questions: "questions", Agents: "agents" };

/** The location of a view: `placeOf("document", id)`. */
const placeOf = (...parts) => `#/${parts.map(encodeURIComponent).join("/")}`;

/** A part of the location as it is meant; one that is badly escaped stays as it is, and nothing has that name. */
function partOfPlace(value) {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

const router = {
  visit: 0,
  leaving: null,
  shown: null,

  start() {
    const links = Object.entries(WAYS).map(([label, way]) => element("a", { href: placeOf(way) }, label));
    document.getElementById("ways").append(...links);
    document.getElementById("skip").addEventListener("click", () => this.box().focus());
    window.addEventListener("hashchange", () => this.go());
    this.go();
  },

  box: () => document.getElementById("view"),

  /** Show the view of the location; the focus goes to it, except at the first. */
  async go() {
    const place = location.hash.slice(1) || "/library";
    const [way, name, view] = VIEWS.find(([pattern]) => pattern.test(place)) ?? VIEWS[0];
    const values = (place.match(way) ?? []).slice(1).map((value) => value && partOfPlace(value));
    this.visit += 1;
    const visit = this.visit;
    this.leaving?.();
    const ending = new AbortController();
    const undo = [];
    this.leaving = () => {
      ending.abort();
      for (const act of undo) act();
    };
    for (const link of document.querySelectorAll("#ways a")) {
      if (link.textContent === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const box = element("div", {}, element("p.quiet", {}, "…"));
    report = null;
    adding.close(false);
    this.box().replaceChildren(box);
    if (visit > 1) {
      this.box().focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    entitled(name);
    try {
      const act = await view(box, values, ending.signal);
      if (act) visit === this.visit ? undo.push(act) : act();
    } catch (problem) {
      if (visit === this.visit && toldProblem(problem)) box.replaceChildren(troubled(problem, () => this.go()));
    }
  },
};

/** What to do where a view can't be shown. */
function troubled(problem, again) {
  const button = element("button", { type: "button", onclick: again }, "Try again");
  const away = element("a.button", { href: placeOf("library") }, "To the library");
  return element("div.refused", {}, element("p", { role: "alert" }, toldProblem(problem)), element("div.buttons", {}, button, away));
}

/** The title of the browser's window. */
function entitled(title) {
  document.title = `${title} – Reading room`;
}
