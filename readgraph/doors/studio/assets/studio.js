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
    const wanted = { question, documents, method: asking.method.value, settings: changedSettings(asking.method.value) };
    const run = await api.post("/api/runs", { ...wanted, pause_before: this.stops(single) });
    thread.clear();
    this.follow(run);
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
    this.onward = element("div.buttons", { hidden: true }, doing("Next step", onwards(true), { class: "main" }), doing("Run on", onwards(false)));
    this.begin = [doing("Run", () => runs.begin(false), { class: "main" }), doing("One step at a time", () => runs.begin(true))];
    this.method.addEventListener("change", () => trying(this.show()));
    this.question.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey) return;
      event.preventDefault();
      this.begin[0].querySelector("button").click();
    });
    this.earlier = choice([["", "none"], ...questions.map((one) => [one.thread, `${shortened(one.question, 60)} (${one.method})`])], "");
    this.earlier.addEventListener("change", () => this.earlier.value && trying(showNamed(this.earlier.value)));
    const none = texts.length ? "" : element("p", {}, "The library holds no text yet. ", element("a", { href: "/" }, "Add one in the reading room."));
    document.getElementById("asking").replaceChildren(
      field("Graph", this.method), field("Text", this.text), none, field("Question", this.question),
      element("div.buttons", {}, ...this.begin, stop), this.line, this.onward, this.trouble, this.settings,
      questions.length ? field("Earlier run", this.earlier) : "",
    );
  },

  /** Draw the chosen graph, with its settings. */
  async show() {
    runs.leave();
    thread.clear();
    history.replaceState(null, "", location.pathname);
    this.earlier.value = "";
    this.tell({ state: "" }, "");
    const method = this.method.value;
    const [graph, panel] = await Promise.all([api.get(withQuery("/api/studio/graph", { method })), settingsPanel([method])]);
    if (this.method.value !== method) return; // another was chosen meanwhile
    drawing.show(graph);
    this.settings.replaceChildren(opening("Settings", {}, panel));
  },

  tell(run, doing) {
    const told = { working: "Works", paused: "It waits before the next step.", done: "Done.", failed: "Failed.", stopped: "Stopped: go on from any step." };
    const isWorking = run.state === "working" || run.state === "waiting";
    const answer = element("a", { href: `/#/question/${run.thread}` }, "The answer in the reading room");
    this.line.replaceChildren(isWorking ? `${doing || told.working}…` : told[run.state] ?? "", ...(run.state === "done" ? [" ", answer] : []));
    this.trouble.textContent = run.problem ?? "";
    this.stop.hidden = !isWorking;
    this.onward.hidden = run.state !== "paused";
    const [begin, single] = this.begin.map((box) => box.querySelector("button"));
    begin.disabled = single.disabled = isWorking;
    begin.classList.toggle("main", this.onward.hidden);
    begin.textContent = this.onward.hidden ? "Run" : "Run from the beginning";
    single.hidden = !this.onward.hidden;
  },
};

/** Wait for something that a person asked for without a button; a problem is shown. */
const trying = (work) => work.catch((problem) => (asking.trouble.textContent = toldProblem(problem)));

/** Show a thread that the address names: the graph that ran in it, and its steps. */
async function showNamed(id) {
  const loaded = await api.get(pathOf("studio", "threads", id));
  asking.method.value = loaded.method;
  await asking.show();
  asking.question.value = loaded.question;
  if (loaded.document) asking.text.value = loaded.document;
  history.replaceState(null, "", `#${id}`);
  asking.earlier.value = id;
  await thread.load(id);
  if (!thread.steps.at(-1)?.next.length) asking.tell({ state: "done", thread: id }, "");
  const { runs: listed } = await api.get("/api/runs");
  const run = listed.find((one) => one.thread === id && !one.ended);
  if (run) runs.follow(run); // it is still at work, or waits
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
    if (!named) return await asking.show();
    await showNamed(named).catch(async (problem) => {
      await asking.show();
      asking.trouble.textContent = toldProblem(problem);
    });
  } catch (problem) {
    const box = document.getElementById("asking");
    box.append(element("p.trouble", { role: "alert" }, toldProblem(problem)));
  }
}

document.addEventListener("DOMContentLoaded", startStudio);
