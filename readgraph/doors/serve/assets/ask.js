/** To sum texts up, to make a table of them, or to check a text against them; what that will take is told first. */
async function makingView(box, task, ids, signal) {
  const isTable = task === "table", isCheck = task === "check", isWiki = task === "wiki";
  const label = { table: "Make a table", check: "Check a text", wiki: "Make a wiki" }[task] ?? "Summarise";
  const renew = () => estimate.renew();
  const texts = picking((ids ?? "").split(",").filter(Boolean), renew, signal, "No text is chosen yet.");
  const wanted = element("textarea", { rows: isCheck ? 10 : 2, dir: "auto" });
  const part = element("input", { type: "text", autocomplete: "off", dir: "auto" });
  const words = element("input", { type: "number", min: 20, max: 10_000, step: 1, placeholder: "300" });
  for (const input of [wanted, part, words]) input.addEventListener("input", renew);
  const body = () => {
    if (!texts.ids().length || ((isTable || isCheck) && !wanted.value.trim())) return null;
    const common = { task, documents: texts.ids(), as_of: texts.day(), question: wanted.value.trim() };
    if (isCheck || isWiki) return common;
    if (isTable) return { ...common, settings: changedSettings("survey") };
    return { ...common, part: part.value.trim(), words: Number(words.value) || null };
  };
  const estimate = estimating(body, signal);
  const go = doing(isTable ? "Make the table" : isCheck ? "Check it" : isWiki ? "Make the wiki" : "Summarise", async () => {
    if (!texts.ids().length) throw new Problem("Choose the texts first.", 0);
    if (!body()) throw new Problem(isTable ? "Say what the table is to hold." : "There is nothing to check: put a text in.", 0);
    location.hash = placeOf("run", (await beginRun(body())).id);
  }, { class: "main" });
  await texts.begin();
  const fields = isTable ? [
    field("What the table is to hold", wanted, "Such as: every person: name, role, first appearance"),
    opening("Settings", { class: "how" }, settingsPanel(["survey"], { onchange: renew })),
  ] : isCheck ? [field("The text to check", wanted, "Each sentence is looked for in the texts above.")] : isWiki ? [] : [
    field("What it is to be about", wanted, "Left empty: all of the text."),
    field("Only this part", part, "A heading of the text, or the number of a part. Left empty: all of it."),
    field("Words, at most", words),
  ];
  const free = isTable
    ? "No model is set: columns are filled by patterns, such as names and dates."
    : isCheck ? "No model is set: rules decide what they can, and leave the rest open."
    : isWiki ? "No model is set: names are found by rules, and pages are of the texts' own sentences."
    : "No model is set: the summary is made of the text's own sentences.";
  const none = about.model ? null : element("p.notice", {}, free);
  const heading = element("h1", {}, label);
  box.replaceChildren(...[heading, none, texts.box, ...fields, estimate.box, go].filter(Boolean));
  renew();
}

/** Ask about one text, several, or all. */
async function askView(box, ids, signal, asked = "") {
  const texts = picking((ids ?? "").split(",").filter(Boolean), () => {
    scope.show(!texts.ids().length);
    estimate.renew();
  }, signal);
  const { question, options, box: wording } = questionFields(() => estimate.renew());
  const scope = await collectionChoice(() => estimate.renew(), signal);
  question.value = asked;
  const settings = element("div");
  const pause = element("input", { type: "checkbox" });
  const review = element("input", { type: "checkbox" });
  const canPause = () => about.methods.find((one) => one.name === offeredFor(way.method())[0])?.steps.includes("look_up");
  const body = () => {
    if (!question.value.trim()) return null;
    return {
      documents: texts.ids(), as_of: texts.day(), collection: texts.ids().length ? "" : scope.select.value, method: way.method(), question: question.value.trim(), options: options(),
      settings: { ...changedSettings(offeredFor(way.method())[0]), ...way.settings() }, ...(pause.checked && canPause() ? { pause_before: ["look_up"] } : {}), review: review.checked,
    };
  };
  const estimate = estimating(body, signal);
  const draw = () => {
    settings.replaceChildren(settingsPanel(offeredFor(way.method()), { onchange: estimate.renew }));
    pausing.hidden = !canPause();
    estimate.renew();
  };
  const way = wayChoice(draw);
  const begin = async () => {
    const wanted = body();
    if (!wanted) {
      question.focus();
      throw new Problem("Write a question first.", 0);
    }
    location.hash = placeOf("run", (await beginRun(wanted)).id);
  };
  const go = doing("Ask", begin, { class: "main" });
  const pausing = field("Stop before parts are looked up, so that I can choose them", pause);
  const reviewing = field("Ask me at each step where a person can decide", review);
  for (const one of [pausing, reviewing]) one.classList.add("switch");
  question.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) go.querySelector("button").click();
  });
  const none = (about.has_model ?? about.model) ? null : element("p.notice", {}, "No model is set: answers are the passages nearest to the question.");
  await texts.begin();
  scope.show(!texts.ids().length);
  const more = opening("How it is read", { class: "how" }, way.box, settings, pausing, reviewing);
  const heading = element("div.heading", {}, element("h1", {}, "Ask"), element("div.buttons", {}, makingWays(ids)));
  box.replaceChildren(...[heading, none, texts.box, scope.box, wording, more, estimate.box, go].filter(Boolean));
  draw();
  if (ids) question.focus({ preventScroll: true });
}

/** Questions to begin with, which the text can answer; each leads to where it can be changed and asked. */
async function suggestions(id, memory, signal) {
  const none = { questions: [] }; // nothing else hangs on them
  const { questions } = await api.get(pathOf("documents", id, "memories", memory, "suggestions"), signal).catch(() => none);
  const items = questions.map((one) => element("li", {}, prose("a", one, { href: placeOf("ask", id, one) })));
  return items.length ? section("suggested", "You could ask", element("ul", {}, items)) : null;
}

/** The fields of a question, and of the options of a multiple choice. */
function questionFields(onchange) {
  const question = element("textarea", { rows: 3, dir: "auto", required: true });
  const lines = element("textarea", { rows: 4, dir: "auto" });
  for (const input of [question, lines]) input.addEventListener("input", onchange);
  const options = () => lines.value.split("\n").map((line) => line.trim()).filter(Boolean);
  const choices = opening("Options to choose from", {}, field("Options", lines, "One on each line; from two to 26."));
  const box = element("div.wording", {}, field("Question", question), choices);
  return { question, options, box };
}
