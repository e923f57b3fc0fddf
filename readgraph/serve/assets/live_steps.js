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
