/** Where questions and what is made of texts begin: what is wanted of which texts, and what that will take. */

/** The form of a question to one text, several, or all; `asked` is the question to begin with. */
async function askForm(ids, signal, asked = "") {
  const texts = picking(ids, () => {
    scope.show(!texts.ids().length);
    estimate.renew();
  }, signal);
  const { question, options, choices } = questionFields(() => estimate.renew());
  const scope = await collectionChoice(() => estimate.renew(), signal);
  question.value = asked;
  const settings = element("div");
  const pause = element("input", { type: "checkbox" });
  const review = element("input", { type: "checkbox" });
  const method = () => offeredFor(way.method())[0];
  const body = () => {
    if (!question.value.trim()) return null;
    return {
      documents: texts.ids(), as_of: texts.day(), up_to: texts.place(), collection: texts.ids().length ? "" : scope.select.value, method: way.method(), question: question.value.trim(), options: options(),
      settings: { ...changedSettings(method()), ...way.settings() }, ...(pause.checked && !pausing.hidden ? { pause_before: ["look_up"] } : {}), review: review.checked,
    };
  };
  const estimate = estimating(body, signal);
  const draw = async () => {
    estimate.renew();
    if (!more.open) return;
    const wanted = method();
    const panel = await settingsPanel([wanted], { onchange: estimate.renew });
    if (wanted !== method()) return;
    settings.replaceChildren(panel);
    pausing.hidden = !(await methodDetails(wanted)).steps.includes("look_up");
  };
  const way = wayChoice(draw);
  const go = doing("Ask", async () => {
    const wanted = body();
    if (!wanted) {
      question.focus();
      throw new Problem("Write a question first.", 0);
    }
    location.hash = placeOf("run", (await beginRun(wanted)).id);
  }, { class: "main" });
  const pausing = field("Stop before parts are looked up, so that I can choose them", pause);
  const reviewing = field("Ask me at each step where a person can decide", review);
  for (const one of [pausing, reviewing]) one.classList.add("switch");
  pausing.hidden = true;
  const none = (about.has_model ?? about.model) ? null : element("p.quiet", {}, "No model is set: answers are sentences of the texts themselves.");
  await texts.begin();
  scope.show(!texts.ids().length);
  const more = opening("How it is read", { class: "how" }, way.box, choices, settings, pausing, reviewing);
  more.addEventListener("toggle", draw);
  const box = element("div.ask-form", { "data-form": "" },
    ...[field("Question", question), element("div.going", {}, go, estimate.box), none, texts.box, scope.box, more, element("div.buttons", {}, makingWays(ids.join()))].filter(Boolean));
  if (asked) estimate.renew();
  return { box, question, place: texts.place };
}

/** Ask about chosen texts; of a single one there are questions to begin with. */
async function askView(box, ids, signal, asked = "") {
  const chosen = (ids ?? "").split(",").filter(Boolean);
  const form = await askForm(chosen, signal, asked);
  box.replaceChildren(element("h1", {}, "Ask"), form.box);
  form.question.focus({ preventScroll: true });
  if (chosen.length !== 1 || asked) return;
  const offered = element("div");
  const offer = async () => offered.replaceChildren(...[await suggestions(chosen[0], signal, form.place())].filter(Boolean));
  form.box.addEventListener("change", offer);
  box.append(offered);
  offer();
}

/** What is made of texts besides answers: its name, the button, and what it is made of without a model. */
const MADE = {
  summary: ["Summarise", "Summarise", "the summary is made of the text's own sentences."],
  table: ["Make a table", "Make the table", "columns are filled by patterns, such as names and dates."],
  check: ["Check a text", "Check it", "rules decide what they can, and leave the rest open."],
  wiki: ["Make a wiki", "Make the wiki", "names are found by rules, and pages are of the texts' own sentences."],
};

/** To sum texts up, to make a table of them, or to check a text against them; what that will take is told first. */
async function makingView(box, task, ids, signal) {
  const [heading, label, free] = MADE[task];
  const [isTable, isCheck] = [task === "table", task === "check"];
  const renew = () => estimate.renew();
  const texts = picking((ids ?? "").split(",").filter(Boolean), renew, signal, "No text is chosen yet.");
  const wanted = element("textarea", { rows: isCheck ? 10 : 2, dir: "auto", "data-enter": isCheck ? null : "" });
  const part = element("input", { type: "text", autocomplete: "off", dir: "auto" });
  const words = element("input", { type: "number", min: 20, max: 10_000, step: 1, placeholder: "300" });
  for (const input of [wanted, part, words]) input.addEventListener("input", renew);
  const body = () => {
    if (!texts.ids().length || ((isTable || isCheck) && !wanted.value.trim())) return null;
    const common = { task, documents: texts.ids(), as_of: texts.day(), up_to: texts.place(), question: wanted.value.trim() };
    if (isTable) return { ...common, settings: changedSettings("survey") };
    return task === "summary" ? { ...common, part: part.value.trim(), words: Number(words.value) || null } : common;
  };
  const estimate = estimating(body, signal);
  const go = doing(label, async () => {
    if (!texts.ids().length) throw new Problem("Choose the texts first.", 0);
    if (!body()) throw new Problem(isTable ? "Say what the table is to hold." : "There is nothing to check: put a text in.", 0);
    location.hash = placeOf("run", (await beginRun(body())).id);
  }, { class: "main" });
  await texts.begin();
  const fields = {
    table: () => [field("What the table is to hold", wanted, "Such as: every person: name, role, first appearance"), settingsOf("survey", renew)],
    check: () => [field("The text to check", wanted, "Each sentence is looked for in the texts above.")],
    wiki: () => [],
    summary: () => [
      field("What it is to be about", wanted, "Left empty: all of the text."),
      field("Only this part", part, "A heading of the text, or the number of a part. Left empty: all of it."),
      field("Words, at most", words),
    ],
  }[task]();
  const none = about.model ? null : element("p.quiet", {}, `No model is set: ${free}`);
  const form = element("div", { "data-form": "" }, texts.box, fields, element("div.going", {}, go, estimate.box));
  box.replaceChildren(...[element("h1", {}, heading), none, form].filter(Boolean));
  renew();
}

/** The settings of one method, which come when they are opened. */
function settingsOf(method, onchange) {
  const hold = element("div");
  const box = opening("Settings", { class: "how" }, hold);
  box.addEventListener("toggle", async () => hold.childElementCount || hold.append(await settingsPanel([method], { onchange })));
  return box;
}

/** Questions to begin with, which the text can answer; each leads to where it can be changed and asked. */
async function suggestions(id, signal, place = "") {
  const none = { questions: [] }; // nothing else hangs on them
  const { questions } = await api.get(withQuery(pathOf("documents", id, "suggestions"), { up_to: place }), signal).catch(() => none);
  const items = questions.map((one) => element("li", {}, prose("a", one, { href: placeOf("ask", id, one) })));
  return items.length ? element("ul.suggested", { "aria-label": "You could ask" }, items) : null;
}

/** The fields of a question, and of the options of a multiple choice. */
function questionFields(onchange) {
  const question = element("textarea", { rows: 2, dir: "auto", required: true, placeholder: "What do you want to know?", "data-enter": "" });
  const lines = element("textarea", { rows: 4, dir: "auto" });
  for (const input of [question, lines]) input.addEventListener("input", onchange);
  const options = () => lines.value.split("\n").map((line) => line.trim()).filter(Boolean);
  const choices = opening("Options to choose from", { class: "options-given" }, field("Options", lines, "One on each line; from two to 26."));
  return { question, options, choices };
}
