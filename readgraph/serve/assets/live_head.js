const STATES = {
  waiting: "Waiting to begin",
  working: "Working",
  paused: "Paused",
  done: "Done",
  failed: "It failed",
  stopped: "Stopped; what was read is kept",
};

/** How a run goes: its state, a bar, figures, and the ways to stop it and to go on. */
function runHead(run) {
  const state = element("p.state", {});
  const bar = element("progress", { max: 1, hidden: true, "aria-label": "How far it is" });
  const facts = element("dl.facts", { hidden: true });
  const break_ = element("p.trouble.broken", { role: "alert", hidden: true });
  const trouble = element("p.trouble.problem", { role: "alert" });
  const stop = doing("Stop", () => api.post(pathOf("runs", run.id, "stop"))); // its events tell when it has stopped
  const on = doing("Go on", async () => went(await goneOn(run.id)));
  const box = element("section.run", { "aria-label": "How it goes" }, state, bar, facts, trouble, break_, element("div.buttons", {}, stop, on));
  let [current, spokenAt, latest] = [run, 0, {}];

  /** A run that goes on may be the same or another one. */
  const went = (next) => (next.id === run.id ? head.goneOn?.(next) : (location.hash = placeOf("run", next.id)));

  const set = (next) => {
    current = next;
    state.textContent = STATES[next.state] ?? next.state;
    state.dataset.state = next.state;
    trouble.textContent = next.problem ?? "";
    stop.hidden = !["waiting", "working"].includes(next.state);
    on.hidden = !["stopped", "failed"].includes(next.state) || next.kind === "add";
    if (next.state === "done") bar.hidden = true;
    const isTold = next.state === "done" && next.kind === "ask"; // the answer itself is said
    if (["done", "failed", "stopped"].includes(next.state) && !isTold) speak(`${state.textContent}. ${next.problem ?? ""}`);
  };

  /** What of the step was told before stays, where an event says less. */
  const progress = (news) => {
    latest = latest.node === news.node ? { ...latest, ...news } : news;
    const event = latest;
    const { usage, done, of } = event;
    if (current.state === "working") state.textContent = `${event.doing || "Working"}…`;
    bar.hidden = !of;
    if (of) [bar.max, bar.value] = [of, Math.min(done ?? 0, of)];
    const told = [
      ["done", of ? percent(done, of) : null],
      ["parts", event.pages === undefined || event.pages === null ? null : number(event.pages)],
      ["notes", event.notes === undefined || event.notes === null ? null : number(event.notes)],
      ["calls", usage ? calls(usage) : null],
      ["words", usage?.calls ? `${number(usage.input_words)} in, ${number(usage.output_words)} out` : null],
      ["money so far", usage?.calls ? (event.cost === null || event.cost === undefined ? "not known" : inDollars(event.cost)) : null],
      ["time left", event.seconds_left === null || event.seconds_left === undefined ? null : `about ${duration(event.seconds_left)}`],
    ];
    const shownFacts = told.filter(([, value]) => value !== null);
    facts.hidden = !shownFacts.length;
    facts.replaceChildren(...shownFacts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
    if (of && performance.now() - spokenAt > 15_000) {
      spokenAt = performance.now();
      speak(`${event.doing}: ${percent(done, of)}`);
    }
  };

  const head = {
    box,
    set,
    take(event) {
      if (event.type === "run" || event.type === "end") set(event.run);
      else if (event.type === "progress") progress(event);
      else if (event.type === "begin" && current.state === "working") state.textContent = `${event.doing}…`;
      else if (event.type === "waiting" && current.state === "working") state.textContent = `Waiting ${duration(event.seconds)}: ${event.reason}`;
    },
    broken(seconds) {
      break_.hidden = seconds === null;
      break_.textContent = seconds === null ? "" : `The connection to the server broke. The next try is in ${seconds} s.`;
    },
  };
  set(run);
  return head;
}

/** Go on with a run; one that the server doesn't know any more begins again, with what it had read. */
async function goneOn(id) {
  try {
    return await api.post(pathOf("runs", id, "go-on"));
  } catch (problem) {
    const body = bodies.all()[id];
    if (problem.status !== 404 || !body) throw problem;
    return beginRun(body);
  }
}

const percent = (done, of) => `${Math.min(100, Math.floor((100 * (done ?? 0)) / of))} %`;
