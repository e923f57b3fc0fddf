/** Two methods on one question, side by side: two runs, then two answers with their figures. */
async function compareView(box, [one, other], signal) {
  if (one && other) return comparedView(box, [one, other], signal);
  const texts = picking([], () => renew(), signal);
  const { question, options, choices } = questionFields(() => renew());
  const settings = element("div");
  const sides = ["read-agent", "mem-walker"].map((name, place) => {
    const value = about.methods.some((method) => method.name === name) ? name : "";
    const method = methodChoice(value, () => draw(), place ? "Second method" : "First method");
    const body = () => question.value.trim() ? {
      documents: texts.ids(), as_of: texts.day(), up_to: texts.place(), method: method.select.value, question: question.value.trim(), options: options(),
      settings: changedSettings(offeredFor(method.select.value)[0]),
    } : null;
    return { method, body, estimate: estimating(body, signal) };
  });
  const renew = () => sides.forEach((side) => side.estimate.renew());
  const draw = async () => {
    renew();
    if (how.open) settings.replaceChildren(await settingsPanel(sides.flatMap((side) => offeredFor(side.method.select.value)), { onchange: renew }));
  };
  const go = doing("Compare", async () => {
    const bodies_ = sides.map((side) => side.body());
    if (!bodies_[0]) throw new Problem("Write a question first.", 0);
    const runs = [];
    for (const body of bodies_) runs.push(await beginRun(body));
    location.hash = placeOf("compare", ...runs.map((run) => run.id));
  }, { class: "main" });
  await texts.begin();
  const columns = element("div.sides", {}, sides.map((side) => element("div", {}, side.method.box, side.estimate.box)));
  const how = opening("Settings of both", { class: "how" }, choices, settings);
  how.addEventListener("toggle", draw);
  const form = element("div.ask-form", { "data-form": "" }, field("Question", question), texts.box, columns, how, go);
  box.replaceChildren(element("h1", {}, "Compare two methods"), form);
  renew();
}

/** The two runs as they go. A click on a mark shows its page below, in the report that it belongs to. */
async function comparedView(box, ids, signal) {
  const columns = element("div.sides");
  const reading = element("div.compared-pages");
  const title = prose("h1", "");
  box.replaceChildren(title, columns, reading);
  const stops = await Promise.all(ids.map((id, place) => comparedSide(id, place, { title, columns, reading }, signal)));
  return () => stops.forEach((stop) => stop());
}

async function comparedSide(id, place, { title, columns, reading }, signal) {
  const name = element("h2", {});
  const column = element("section.side", { "aria-label": place ? "Second method" : "First method" }, name);
  columns.append(column);
  let run;
  try {
    run = await api.get(pathOf("runs", id), signal);
  } catch (problem) {
    if (problem.status !== 404) throw problem;
    column.append(lostRun(id));
    return () => {};
  }
  title.textContent = run.question;
  entitled(run.question);
  name.textContent = run.method || "…";
  const head = runHead(run);
  const way = liveSteps(run, { data: null, memory: null });
  column.append(head.box, ...way.boxes);
  const take = async (event) => {
    head.take(event);
    if (event.type === "end" && event.run.state === "done") bodies.drop(id);
    way.take(event);
    if (event.type !== "result") return;
    await withAllPages(event.report, event.document, event.memory);
    head.box.classList.add("over");
    for (const part of way.boxes) part.remove();
    name.textContent = event.report.method;
    column.append(comparedAnswer(event, reading));
  };
  head.goneOn = (next) => {
    stop();
    stop = follow(id, { ...hears, after: next.last_event });
  };
  const hears = { events: (list) => list.forEach(take), broken: (seconds) => head.broken(seconds), lost: () => column.append(lostRun(id)) };
  let stop = follow(id, hears);
  return () => stop();
}

/** One of the answers, with what it took; its pages are shown below both as soon as they are wanted. */
function comparedAnswer(event, reading) {
  const data = event.report;
  const before = report;
  report = data;
  const answer = answerSection(data.found);
  const heading = answer.querySelector("h1");
  answer.removeAttribute("aria-labelledby");
  heading.remove();
  const made = element("div.compared", { "data-report": "" }, answer, factList(data.found));
  report = before;
  const owner = { id: event.document, has_original: false };
  api.get(pathOf("documents", event.document)).then((known) => Object.assign(owner, known), () => {});
  const turn = (happening) => {
    if (report === data || !happening.target.closest("[data-citation], .chip")) return;
    showCited(null);
    for (const one of document.querySelectorAll("[data-report]")) one.dataset.report = one === made ? "shown" : "";
    const heading_ = element("h2", {}, `The document, as ${data.method} read it`);
    reading.replaceChildren(heading_, ...showPages(data, { document: owner, memory: event.memory }));
  };
  for (const kind of ["click", "keydown"]) made.addEventListener(kind, turn, { capture: true });
  const link = element("a.button", { href: placeOf("question", event.thread) }, "Open this answer");
  made.append(element("p.buttons", {}, link));
  return made;
}
