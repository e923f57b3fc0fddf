/** Milliseconds of drawing in one frame, so that the page stays smooth while pages come in. */
const DRAWING = 10;

/** Pages that are drawn before the clock is looked at. */
const PORTION = 60;

/** The document as it is read: its strip fills page by page, notes arrive, pages that are read again are numbered. */
function livePages(run) {
  const box = element("section.live-pages", { "aria-label": "The document as it is read", hidden: true });
  let [data, owner, queue, frame, isLeft, now] = [null, null, [], 0, false, null];

  const begin = async (event) => {
    queue = [];
    const empty = { found: [], hops: [], steps: [], rounds: [], citations: [], pages_read: [] };
    data = {
      title: run.title, link: null, words: event.words, characters: event.characters, read_to: 0, method: run.method,
      model: "", purpose: "", note: event.note ?? noteOf(run.method), parts: event.parts ?? [], pages: [], tree: null,
      question: run.question, options: [], found: run.question ? empty : null, live: true, expected: null,
    };
    owner = { id: event.document, has_original: false };
    box.hidden = false;
    box.replaceChildren(...showPages(data, { document: owner, memory: event.memory }));
    const mine = data;
    try {
      const known = await api.get(pathOf("documents", event.document));
      if (mine !== data) return;
      Object.assign(owner, known);
      data.title = known.title;
      if (event.has_marks) queue.push(...(await marksOf(event.document, event.memory)).map((page, place) => ({ number: place, ...page })));
      frame ||= nextFrame(draw);
    } catch (problem) {
      toldProblem(problem);
    }
  };

  const draw = () => {
    frame = 0;
    if (isLeft || report !== data) return;
    const until = performance.now() + DRAWING;
    do drawSome(data, queue.splice(0, PORTION)); while (queue.length && performance.now() < until);
    if (queue.length) frame = nextFrame(draw);
  };

  /** Pages that the strip has by now; a page that comes before those in front of it waits in the queue. */
  const drawSome = (into, some) => {
    const [fresh, early] = [[], []];
    for (const page of some) {
      const at = page.number;
      const filled = { text: null, blocks: [], ...page };
      if (at < into.pages.length) {
        into.pages[at] = { ...into.pages[at], ...page };
        strip.renew(at);
        if (pages.at === at) pages.note.replaceChildren(...pages.noted(into.pages[at], at));
      } else if (at < into.pages.length + fresh.length) fresh[at - into.pages.length] = filled;
      else if (at === into.pages.length + fresh.length) fresh.push(filled);
      else early.push(page);
    }
    if (fresh.length) strip.grow(fresh);
    if (early.length) (into.early ??= []).push(...early);
    if (fresh.length && into.early) {
      queue.unshift(...into.early.sort((one, other) => one.number - other.number));
      into.early = null;
    }
  };

  const point = (places) => {
    for (const place of places ?? []) {
      if (strip.order.has(place) || !strip.cells[place]) continue;
      strip.readNow(place);
      now?.classList.remove("now");
      now = strip.cells[place];
      now.classList.add("now");
    }
  };

  return {
    box,
    get data() {
      return data;
    },
    memory: null,
    take(event) {
      if (event.type === "memory" && event.memory !== this.memory) {
        this.memory = event.memory;
        begin(event);
      } else if (event.type === "pages" && data && event.memory === this.memory) {
        queue.push(...event.pages);
        frame ||= nextFrame(draw);
      } else if (event.type === "step" && data && report === data) {
        if (queue.length) drawAll();
        point(event.update.pages_read);
      }
    },
    leave: () => (isLeft = true),
  };

  function drawAll() {
    while (queue.length) drawSome(data, queue.splice(0, PORTION));
  }
}

/** A method's word for the note of a page. */
const noteOf = (method) => about.methods.find((one) => one.name === method)?.note ?? "note";

/** The way of a question as it happens: what each step did, the walk through the tree, the rounds of research, an
 * agent's thoughts and calls, and the answer while it is written. */
function liveSteps(run, live) {
  const list = element("ol.doings");
  const walk = element("div.walk-box", { hidden: true });
  const rounds = element("div.rounds-box", { hidden: true });
  const said = element("p.said", { dir: "auto" });
  const answer = element("section.answering", { "aria-label": "The answer while it is written", hidden: true }, said);
  const box = element("section.way", { "aria-label": "What is done", hidden: true }, walk, rounds, list);
  let [hops, treeOf, writer] = [[], null, ""];

  const add = (node, summary, usage, ...more) => {
    box.hidden = false;
    const used = usage?.calls || usage?.cached_calls ? element("span.quiet", {}, counted(usage.calls + (usage.cached_calls ?? 0), "call")) : null;
    list.append(element("li", { "data-node": node }, element("b", {}, capital(node.replaceAll("_", " "))), prose("span", (report === live.data ? namedNodes(summary) : summary) || "–"), used, ...more));
  };

  /** Calls that wait for one reason are told in one line. */
  const waits = ({ seconds, reason }) => {
    const last = list.lastElementChild;
    if (last?.dataset.node === "waiting" && last.dataset.reason === reason) last.remove();
    add("waiting", `${duration(seconds)}: ${reason}`, null);
    list.lastElementChild.dataset.reason = reason;
  };

  const step = async ({ node, update }) => {
    if (update.hops?.length) await walked(update.hops); // so that its nodes have their names
    for (const one of update.steps ?? []) {
      const trouble = tally(one.fallbacks ?? {});
      add(one.node ?? node, one.summary, one.usage, trouble ? element("span.trouble", {}, `fall-backs: ${trouble}`) : null);
    }
    if (update.rounds?.length && live.data) {
      box.hidden = rounds.hidden = false;
      rounds.replaceChildren(element("h2", {}, "The rounds of research"), roundList(update.rounds));
    }
    if (typeof update.answer === "string") {
      answer.hidden = false;
      said.replaceChildren(update.answer);
    }
    writer = "";
  };

  /** The walk in the tree of the memory, which is fetched at the first decision. */
  const walked = async (made) => {
    hops = made;
    if (!live.data) return;
    if (!treeOf) {
      treeOf = api.get(pathOf("documents", shown.document.id, "memories", live.memory)).catch(() => null);
      live.data.tree = (await treeOf)?.tree ?? null;
    }
    if (!live.data?.tree || report !== live.data) return;
    live.data.found.hops = hops;
    box.hidden = walk.hidden = false;
    walk.replaceChildren(element("h2", {}, `The walk: ${counted(hops.length, "decision")}`), tree.make());
    walk.querySelector(`[data-node="${CSS.escape(hops.at(-1).next_node ?? hops.at(-1).node)}"]`)?.classList.add("here");
  };

  const agent = ({ event }) => {
    box.hidden = false;
    list.append(agentEvent(event));
  };

  const happened = (event) => {
    if (event.type === "begin" && event.node === writer) writer = "";
    else if (event.type === "step") return step(event);
    else if (event.type === "event") agent(event);
    else if (event.type === "waiting") waits(event);
    else if (event.type === "refused") add("asked again", event.reason, null);
    else if (event.type === "text") {
      answer.hidden = false;
      if (writer !== event.node) said.replaceChildren();
      writer = event.node;
      said.append(event.text);
    }
    return null;
  };
  let turn = Promise.resolve(); // events are drawn in their order, also where one waits for the tree

  return {
    boxes: [answer, box],
    take: (event) => (turn = turn.then(() => happened(event)).catch((problem) => console.error(problem))),
  };
}

/** What happened to an agent: a message, or its thoughts and the function that it called. */
function agentEvent(event) {
  const call = event.kind === "call";
  const given = call ? Object.entries(event.arguments ?? {}).map(([name, value]) => `${name}: ${shortened(String(value), 160)}`) : [];
  const result = call && event.result ? prose(event.failed ? "span.trouble" : "span.quiet", shortened(event.result, 240)) : null;
  return element(
    "li",
    { "data-kind": event.kind },
    element("b", {}, call ? event.function.replaceAll("_", " ") : capital(event.kind ?? "event")),
    event.text ? prose(call ? "span.thoughts" : "span", event.text) : null,
    given.length ? prose("span", given.join("; ")) : null,
    result,
  );
}

/** How far something is; where that isn't known, or all is done but the end of it, the bar moves to and fro. */
function showShare(bar, done = 0, of = 0) {
  if (of && done < of) [bar.max, bar.value] = [of, done];
  else bar.removeAttribute("value");
}

const STATES = {
  waiting: "Waiting to begin",
  working: "Opening the text…",
  paused: "Paused",
  done: "Done",
  failed: "It failed",
  stopped: "Stopped; what was read is kept",
};

/** How a run goes: its state, a bar, figures, and the ways to stop it and to go on. */
function runHead(run) {
  const state = element("p.state", {});
  const bar = element("progress", { "aria-label": "How far it is" });
  const left = element("p.quiet");
  const facts = element("dl.facts");
  const more = opening("What it took so far", { hidden: true }, facts);
  const break_ = element("p.trouble.broken", { role: "alert", hidden: true });
  const trouble = element("p.trouble.problem", { role: "alert" });
  const stop = doing("Stop", () => api.post(pathOf("runs", run.id, "stop"))); // its events tell when it has stopped
  const on = doing("Go on", async () => went(await goneOn(run.id)));
  const box = element("section.run", { "aria-label": "How it goes" }, state, bar, left, more, trouble, break_, element("div.buttons", {}, stop, on));
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
    bar.hidden = !["waiting", "working"].includes(next.state);
    if (bar.hidden) left.textContent = "";
    const isTold = next.state === "done" && next.kind === "ask"; // the answer itself is said
    if (["done", "failed", "stopped"].includes(next.state) && !isTold) speak(`${state.textContent}. ${next.problem ?? ""}`);
  };

  /** What of the step was told before stays, where an event says less. */
  const progress = (news) => {
    latest = latest.node === news.node ? { ...latest, ...news, seconds_left: news.seconds_left ?? latest.seconds_left } : news;
    const event = latest;
    const { usage, done, of } = event;
    const isOver = of && done >= of; // the next node has begun by then, or will
    if (current.state === "working" && !isOver) state.textContent = `${event.doing || "Working"}…`;
    showShare(bar, done ?? 0, of);
    const isKnown = event.seconds_left !== null && event.seconds_left !== undefined;
    left.textContent = isOver ? "" : [of ? percent(done, of) : "", isKnown ? `about ${duration(Math.max(1, event.seconds_left))} left` : ""].filter(Boolean).join(", ");
    const told = [
      ["parts", event.pages === undefined || event.pages === null ? null : number(event.pages)],
      ["notes", event.notes === undefined || event.notes === null ? null : number(event.notes)],
      ["calls", usage ? calls(usage) : null],
      ["words", usage?.calls ? `${number(usage.input_words)} in, ${number(usage.output_words)} out` : null],
      ["money so far", usage?.calls ? (event.cost === null || event.cost === undefined ? "not known" : inDollars(event.cost)) : null],
    ];
    const shownFacts = told.filter(([, value]) => value !== null);
    more.hidden = !shownFacts.length;
    facts.replaceChildren(...shownFacts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
    if (of && performance.now() - spokenAt > 15_000) {
      spokenAt = performance.now();
      speak(`${event.doing}: ${percent(done, of)}`);
    }
  };

  /** Something else begins, of which nothing is known yet but that it is done. */
  const begun = ({ doing: what }) => {
    state.textContent = `${what}…`;
    left.textContent = "";
    showShare(bar);
  };

  const head = {
    box,
    set,
    take(event) {
      if (event.type === "run" || event.type === "end") set(event.run);
      else if (event.type === "progress") progress(event);
      else if (event.type === "begin" && current.state === "working") begun(event);
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
