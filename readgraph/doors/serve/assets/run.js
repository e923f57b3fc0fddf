/** Characters of a title where it only says which text is meant. */
const LONGEST_TITLE = 120;

const KINDS = { add: "Adding", read: "Reading", chat: "Talk with an agent" };

/** A run as it happens, and then what came of it. */
async function runView(box, id, signal) {
  let run;
  try {
    run = await api.get(pathOf("runs", id), signal);
  } catch (problem) {
    if (problem.status === 404) return void box.replaceChildren(lostRun(id));
    throw problem;
  }
  entitled(run.question || run.title || "A run");
  const outcome = element("div.outcome");
  let [stop, live, way] = [() => {}, null, null];

  const begin = (after = 0) => {
    live?.leave();
    const [head, hold] = [runHead(run), element("div.hold")];
    [live, way] = [livePages(run), null];
    way = liveSteps(run, live);
    const title = prose("h1", run.question || run.title || "A run");
    const told = prose("p.quiet", run.question ? shortened(run.title, LONGEST_TITLE) : "");
    const body = element("div.live", {}, head.box, hold, way.boxes[0], live.box, way.boxes[1]);
    box.replaceChildren(element("div.heading", {}, title, told), body, outcome);
    outcome.replaceChildren();
    head.goneOn = (next) => {
      stop();
      run = next;
      begin(next.last_event);
    };
    const take = (event) => {
      for (const part of [head, live, way]) part.take(event);
      if (event.type === "end" && event.run.state === "done") bodies.drop(run.id);
      if (event.type === "paused") hold.replaceChildren(pausedBox(run, event));
      if (event.type === "asked") hold.replaceChildren(askedBox(run, event.asked));
      if (event.type === "run" && event.run.state === "working") hold.replaceChildren();
      if (event.type === "result") result(event, run, box, body, outcome).catch((problem) => outcome.replaceChildren(troubled(problem, () => router.go())));
      if (event.type === "document" && run.kind === "add") outcome.append(documentItem(event.document, true));
    };
    const lost = () => box.append(lostRun(id));
    const broken = (seconds) => head.broken(seconds);
    stop = follow(run.id, { events: (list) => list.forEach(take), broken, lost, after });
  };
  begin();
  return () => {
    live.leave();
    stop();
  };
}

/** Put what came of a run in the place of how it went. */
async function result(event, run, box, body, outcome) {
  await withAllPages(event.report, event.document, event.memory);
  const suggested = run.kind === "read" ? await suggestions(event.document) : null;
  if (!box.isConnected) return;
  body.querySelector(".run")?.classList.add("over");
  for (const part of body.querySelectorAll(".live-pages, .way, .answering")) part.remove();
  const owner = { id: event.document, has_original: false };
  if (run.kind === "ask") {
    box.querySelector(".heading h1")?.remove();
    showAnswer(outcome, event, run, owner);
    speak(`The answer: ${event.report.found.answer ?? "none was found."}`);
  } else {
    outcome.replaceChildren();
    const doneBox = element("div");
    const links = element("p.buttons", {}, element("a.button", { href: placeOf("ask", event.document) }, "Ask about it"),
      element("a.button", { href: placeOf("document", event.document) }, "Open the document"));
    const took = body.querySelector(".run .facts:not(:empty)");
    outcome.append(...[links, suggested, took, doneBox].filter(Boolean));
    showReport(doneBox, event.report, { document: owner, memory: event.memory });
  }
  try {
    Object.assign(owner, await api.get(pathOf("documents", event.document)));
    if (pages.at !== null && shown.document === owner) pages.open(pages.at, { citation: pages.citation, quietly: true });
  } catch (problem) {
    toldProblem(problem);
  }
}

/** What a run wanted, kept in this browser so that it can go on after the server was started anew. */
const bodies = {
  keep(run, body) {
    const kept = Object.entries(this.all()).slice(-40);
    this.put({ ...Object.fromEntries(kept), [run]: body });
  },
  /** A run that has come to its end needs it no more. */
  drop(run) {
    const { [run]: _, ...rest } = this.all();
    this.put(rest);
  },
  put(all) {
    try {
      localStorage.setItem("runs", JSON.stringify(all));
    } catch {
      // a browser that keeps nothing; only going on after a restart is lost
    }
  },
  all() {
    try {
      return JSON.parse(localStorage.getItem("runs") ?? "{}");
    } catch {
      return {};
    }
  },
};

/** Begin a run, remember what it wanted, and show it. */
async function beginRun(body) {
  const run = await api.post("/api/runs", body);
  bodies.keep(run.id, body);
  return run;
}

/** A run that the server doesn't know any more. */
function lostRun(id) {
  const body = bodies.all()[id];
  const line = "The server doesn't know this run: it was started anew since. What was read is kept, and going on pays nothing twice.";
  const on = body ? doing("Go on", async () => location.replace(placeOf("run", (await beginRun(body)).id))) : null;
  return element("section.lost", { role: "alert" }, element("p", {}, line), element("div.buttons", {}, on, element("a.button", { href: placeOf("library") }, "To the library")));
}

/** An input for the numbers of parts, and what is typed in it. */
const partsInput = (chosen) => element("input", { type: "text", inputmode: "numeric", value: chosen.join(", "), autocomplete: "off" });
const typedParts = (input) => input.value.split(/[\s,;]+/u).filter(Boolean);

/** A run that waits for its reader: the parts that are to be looked up can be chosen before it goes on. */
function pausedBox(run, { offered }) {
  const chosen = offered?.pages_chosen ?? [];
  const numbers = partsInput(chosen);
  const go = doing("Go on", async () => {
    const typed = typedParts(numbers);
    if (typed.some((one) => !/^\d+$/.test(one))) throw new Problem("Name the parts by their numbers, such as 3, 7.", 0);
    const body = typed.join() === chosen.join() ? {} : { pages: typed.map(Number) };
    const next = await api.post(pathOf("runs", run.id, "go-on"), body);
    if (next.id !== run.id) location.hash = placeOf("run", next.id);
  }, { class: "main" });
  const open = doing("Add the part that is open below", async () => {
    if (pages.at === null) throw new Problem("Open a part in the strip below first.", 0);
    const typed = typedParts(numbers);
    if (!typed.includes(`${pages.at}`)) numbers.value = [...typed, pages.at].join(", ");
  });
  const help = chosen.length ? "The method chose these. Change the numbers to have other parts looked up." : "Left empty, the method chooses.";
  return element("section.pausing", { "aria-label": "Paused", "data-form": "" }, element("h2", {}, "Which parts are to be looked up?"), field("Parts", numbers, help), element("div.buttons", {}, go, open));
}

/** A run whose step asks its reader: which parts, what is searched, or whether the answer stands. */
function askedBox(run, asked) {
  const reply = (said) => api.post(pathOf("runs", run.id, "go-on"), { reply: said });
  const box = (heading, ...parts) => element("section.pausing", { "aria-label": heading, "data-form": "" }, element("h2", {}, heading),
    asked.problem ? prose("p.trouble", asked.problem, { role: "alert" }) : "", ...parts);
  if (asked.kind === "choose_pages") {
    const numbers = partsInput(asked.pages);
    return box("Which parts are to be looked up?", field("Parts", numbers, `The method chose these, of 0 to ${asked.of - 1}.`),
      doing("Look these up", () => reply({ pages: typedParts(numbers).map(Number) }), { class: "main" }));
  }
  if (asked.kind === "confirm_plan") {
    const plan = asked.plan;
    const lines = element("textarea", { rows: 5, dir: "auto" });
    lines.value = plan.keyword.join("\n");
    const rest = [...plan.vector.map((one) => `by meaning: ${one}`), ...plan.page.map((one) => `part ${one}`)].join("; ");
    return box("What is to be searched?", field("Words to search for", lines, `One search on each line.${rest ? ` Also ${rest}.` : ""}`),
      doing("Search", () => reply({ accept: false, keyword: lines.value.split("\n").map((one) => one.trim()).filter(Boolean) }), { class: "main" }));
  }
  const own = element("textarea", { rows: 3, dir: "auto" });
  const quotes = asked.quotes.map((one) => element("li", {}, prose("q", one.quote), prose("span.quiet", one.place ?? `part ${one.page}`)));
  const instead = doing("Take mine instead", () => {
    if (!own.value.trim()) throw new Problem("Write an answer first.", 0);
    return reply({ accept: false, answer: own.value.trim() });
  }, { "data-go": "" });
  return box("Does this answer stand?", prose("p.said", asked.answer ?? "No answer."), element("ul", {}, quotes),
    element("div.buttons", {}, doing("It stands", () => reply({ accept: true }), { class: "main" }), doing("No answer", () => reply({ accept: false }))),
    element("div", { "data-form": "" }, field("Another answer", own), instead));
}

function deletingRun(run) {
  const name = shortened(run.question || run.title || "this run", LONGEST_TITLE);
  const after = () => {
    bodies.drop(run.id);
    router.go();
  };
  return deleting(`the run ${name}`, `Take “${name}” from this list? What was read and answered stays.`, pathOf("runs", run.id), after);
}

/** Runs that are listed: those at work, what was made and is kept nowhere else, and readings that ended early. */
const isListed = (run) => !ENDS.includes(run.state) || (run.kind === "ask" ? !run.thread : run.state !== "done");

const ENDS = ["done", "failed", "stopped"];

function runItem(run) {
  return element(
    "li.document", {},
    element("h2", {}, prose("a.title", run.question || run.title || "A run", { href: run.kind === "chat" ? placeOf("agents", run.title) : placeOf("run", run.id) })),
    element("p.quiet", {}, [KINDS[run.kind], STATES[run.state], run.question ? shortened(run.title, LONGEST_TITLE) : "", day(run.began)].filter(Boolean).join(" · ")),
    run.problem ? element("p.trouble", {}, run.problem) : null,
    ENDS.includes(run.state) ? deletingRun(run) : null,
  );
}

/** What was begun in this browser, and not finished when the server ended. */
function lostRuns(runs) {
  const known = new Set(runs.map((run) => run.id));
  for (const run of runs) if (run.state === "done") bodies.drop(run.id);
  const begun = Object.entries(bodies.all()).filter(([id]) => !known.has(id)).reverse();
  return begun.map(([id, body]) => element(
    "li.document", {},
    element("h2", {}, prose("a.title", body.question || "A reading", { href: placeOf("run", id) })),
    element("p.quiet", {}, "Not finished when the server ended"),
  ));
}
