/** What this server can do: its methods and settings. */
let about = null;

/** Whoever is not let in goes to the reading room, which asks who is there. */
const signedOut = () => location.replace("/");

/** The run that is followed, if one is: begun here, or going on from a step. */
const runs = {
  leave: () => {},
  run: null,

  async begin(single) {
    const question = asking.question.value.trim();
    if (!question) throw new Problem("Write a question first.", 0);
    const documents = asking.text.value ? [asking.text.value] : [];
    thread.clear();
    const wanted = { question, documents, method: asking.method.value, settings: changedSettings(asking.method.value) };
    this.follow(await api.post("/api/runs", { ...wanted, pause_before: this.stops(single) }));
  },

  /** Go on from a step: to the end or the next stop, or for one step. */
  async goOn(step, single) {
    const wanted = { checkpoint: step.checkpoint, pause_before: this.stops(single), settings: changedSettings(asking.method.value) };
    this.follow(await api.post(pathOf("studio", "threads", thread.id, "go-on"), wanted));
  },

  stops: (single) => (single ? [...drawing.nodes.keys()] : [...drawing.stops]),

  follow(run) {
    this.leave();
    this.run = run;
    history.replaceState(null, "", `#${run.thread}`);
    asking.tell(run, "Begins");
    const renew = settled(150, () => thread.load(run.thread).catch(() => {})); // its first step may not be kept yet
    this.leave = follow(run.id, {
      events: (list) => list.forEach((event) => this.take(event, renew)),
      broken: (seconds) => asking.tell(this.run, seconds ? `The connection broke; it is tried again in ${duration(seconds)}` : ""),
      lost: () => asking.tell({ ...this.run, state: "failed", problem: "The server was started anew: go on from a step." }, ""),
    });
  },

  take(event, renew) {
    if (event.type === "begin") {
      drawing.write("");
      drawing.mark(thread.lineTo(thread.steps.at(-1)?.checkpoint), { running: event.node });
      asking.tell(this.run, event.doing);
    } else if (event.type === "text") drawing.write(event.text);
    else if (event.type === "progress" && event.of) asking.tell(this.run, `${event.doing}: ${number(event.done)} of ${number(event.of)}`);
    else if (event.type === "step") renew();
    else if (event.type === "run" || event.type === "end") {
      this.run = event.run;
      asking.tell(event.run, "");
      if (event.run.state !== "working") renew();
    }
  },
};

/** The form: the graph, the text, the question, the settings; and what the run is doing. */
const asking = {
  make(graphs, documents, questions) {
    this.method = choice(graphs.map((one) => [one.method, one.method]), graphs[0].method);
    const texts = documents.map((one) => [one.id, one.title || one.id]);
    this.text = choice([...texts, ["", "All texts: the nearest are found"]], texts[0]?.[0] ?? "");
    this.question = element("textarea", { rows: 3, dir: "auto" });
    this.line = element("p.quiet", { role: "status" });
    this.trouble = element("p.trouble", { role: "alert" });
    this.settings = element("div");
    const stop = doing("Stop", () => api.post(pathOf("runs", runs.run.id, "stop")), { hidden: true });
    this.stop = stop.querySelector("button");
    const onwards = (single) => () => runs.goOn(thread.steps.at(-1), single);
    this.onward = [doing("Next step", onwards(true)), doing("Run on", onwards(false))];
    this.begin = [doing("Run", () => runs.begin(false), { class: "main" }), doing("One step at a time", () => runs.begin(true))];
    this.method.addEventListener("change", () => this.show().catch((problem) => (this.trouble.textContent = toldProblem(problem))));
    this.question.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey) return;
      event.preventDefault();
      this.begin[0].querySelector("button").click();
    });
    const earlier = choice([["", "none"], ...questions.map((one) => [one.thread, `${shortened(one.question, 60)} (${one.method})`])], "");
    earlier.addEventListener("change", () => earlier.value && showNamed(earlier.value).catch((problem) => (this.trouble.textContent = toldProblem(problem))));
    const none = texts.length ? "" : element("p", {}, "The library holds no text yet. ", element("a", { href: "/" }, "Add one in the reading room."));
    for (const box of this.onward) box.hidden = true;
    document.getElementById("asking").replaceChildren(
      field("Graph", this.method), field("Text", this.text), none, field("Question", this.question),
      element("div.buttons", {}, ...this.begin, stop, ...this.onward), this.line, this.trouble, this.settings,
      questions.length ? field("Earlier run", earlier) : "",
    );
  },

  /** Draw the chosen graph, with its settings. */
  async show() {
    thread.clear();
    this.trouble.textContent = "";
    const graph = await api.get(withQuery("/api/studio/graph", { method: this.method.value }));
    drawing.show(graph);
    if (!about.methods.some((one) => one.name === graph.method)) about.methods.push({ name: graph.method, settings: graph.settings });
    this.settings.replaceChildren(element("details", {}, element("summary", {}, "Settings"), settingsPanel([graph.method])));
  },

  tell(run, doing) {
    const told = { working: "Works", paused: "It waits before the next step", done: "Done", failed: "Failed", stopped: "Stopped" };
    const isWorking = run.state === "working" || run.state === "waiting";
    this.line.textContent = isWorking ? `${doing || told.working}…` : `${told[run.state] ?? run.state}.`;
    this.trouble.textContent = run.problem ?? "";
    this.stop.hidden = !isWorking;
    for (const box of this.onward) box.hidden = run.state !== "paused";
    for (const box of this.begin) box.querySelector("button").disabled = isWorking;
  },
};

/** Show a thread that the address names: the graph that ran in it, and its steps. */
async function showNamed(id) {
  runs.leave();
  const loaded = await api.get(pathOf("studio", "threads", id));
  asking.method.value = loaded.method;
  await asking.show();
  asking.question.value = loaded.question;
  if (loaded.document) asking.text.value = loaded.document;
  history.replaceState(null, "", `#${id}`);
  await thread.load(id);
}

async function startStudio() {
  try {
    const [own, graphs, { documents }, { questions }] = await Promise.all([
      api.get("/api/about"), api.get("/api/studio/graphs"), api.get(withQuery("/api/documents", { limit: 200 })),
      api.get("/api/questions"),
    ]);
    about = own;
    asking.make(graphs, documents, questions);
    const named = location.hash.slice(1);
    if (named) await showNamed(named);
    else await asking.show();
  } catch (problem) {
    const box = document.getElementById("asking");
    box.append(element("p.trouble", { role: "alert" }, toldProblem(problem)));
  }
}

document.addEventListener("DOMContentLoaded", startStudio);
