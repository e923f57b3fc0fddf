/** The settings that were changed in this page, by their names; they stay while the page is open. */
const changed = new Map();

/** What was asked of methods: their steps and settings, by their names. The server builds a method's graph for it, so
 * that it is asked for where it is looked at. */
const details = new Map();

async function methodDetails(name) {
  if (!details.has(name)) details.set(name, await api.get(pathOf("methods", name)));
  return details.get(name);
}

/** The settings that these methods use, in panels; only what was changed is sent. `isReading`: no question is asked. */
async function settingsPanel(methods, { isReading = false, onchange = () => {} } = {}) {
  const looked = await Promise.all(methods.map(methodDetails));
  const used = new Set(looked.flatMap((method) => (isReading ? method.reading_settings : method.settings)));
  const settings = about.settings.filter((one) => used.has(one.name));
  const panels = Map.groupBy ? Map.groupBy(settings, (one) => one.panel) : grouped(settings);
  const drawn = [...panels].map(([panel, some]) => {
    const count = element("span.quiet");
    const tell = () => {
      const set = some.filter((one) => changed.has(one.name)).length;
      count.textContent = set ? ` ${set} changed` : "";
    };
    tell();
    const fields = some.map((one) => settingField(one, () => {
      tell();
      onchange();
    }));
    return element("details.panel", {}, element("summary", {}, panel, count), element("div.fields", {}, fields));
  });
  return element("div.panels", { role: "group", "aria-label": "Settings" }, drawn);
}

function grouped(settings) {
  const panels = new Map();
  for (const one of settings) panels.set(one.panel, [...(panels.get(one.panel) ?? []), one]);
  return panels;
}

/** What is sent of the settings that a method uses; before they were looked at, none was changed. */
function changedSettings(method, isReading = false) {
  const one = details.get(method);
  const used = (isReading ? one?.reading_settings : one?.settings) ?? [];
  return Object.fromEntries(used.filter((name) => changed.has(name)).map((name) => [name, changed.get(name)]));
}

/** A setting as a field of its kind. An empty field is the server's own value again. */
function settingField(one, onchange) {
  const value = changed.has(one.name) ? changed.get(one.name) : one.value;
  const input = settingInput(one, value);
  input.addEventListener("input", () => {
    const typed = typedValue(one, input);
    if (typed === undefined || JSON.stringify(typed) === JSON.stringify(one.value)) changed.delete(one.name);
    else changed.set(one.name, typed);
    onchange();
  });
  const made = field(capital(one.name.replaceAll("_", " ")), input, one.help);
  made.classList.toggle("switch", one.kind === "switch");
  return made;
}

function settingInput(one, value) {
  const plain = { autocomplete: "off", spellcheck: "false", title: one.help };
  if (one.kind === "switch") return element("input", { type: "checkbox", checked: value === true, title: one.help });
  if (one.kind === "choice") {
    const none = value === null || value === "" ? [["", "none"]] : [];
    const named = one.choices.map((each) => [each, each === "" ? "none" : String(each)]);
    return choice(one.choices.includes(value) ? named : [...none, ...named], value ?? "", { title: one.help });
  }
  if (one.kind === "list") {
    const input = element("textarea", { ...plain, rows: 3 });
    input.value = (value ?? []).join("\n");
    return input;
  }
  const isNumber = one.kind === "number" || one.kind === "whole";
  const ends = isNumber ? { type: "number", min: one.least, max: one.most, step: one.kind === "whole" ? 1 : "any" } : { type: "text" };
  return element("input", { ...plain, ...ends, value: value ?? "" });
}

/** The value that was typed; undefined where nothing stands, or nothing that can be used. */
function typedValue(one, input) {
  if (one.kind === "switch") return input.checked;
  if (one.kind === "list") return input.value.split("\n").map((line) => line.trim()).filter(Boolean);
  if (one.kind === "number" || one.kind === "whole") {
    if (input.value === "") return one.value === null ? undefined : one.default === null ? null : undefined;
    return Number(input.value);
  }
  return input.value;
}

/** A choice of a method, each with what it does. */
function methodChoice(value, onchange, label = "Method") {
  const best = about.method ? `As set: ${about.method}` : "The best for the text";
  const named = about.methods.map(({ name, line }) => [name, line ? `${name}: ${line}` : name]);
  const select = choice([["", best], ...named], value);
  select.addEventListener("change", onchange);
  return { box: field(label, select), select };
}

/** How a question is read, for people: a name, what it means, the method, and what is set for it. */
const WAYS_TO_READ = [
  ["Quick", "quotes only: the nearest sentences, without a model", "ranked", { model: "" }],
  ["Careful", "takes notes on each part, then looks up what the question needs", "read-agent", {}],
  ["Thorough", "takes notes, then searches in rounds until it has enough", "gist-research", {}],
];

/** Three ways to read, and all methods under "More"; each of both choices unsets the other. */
function wayChoice(onchange) {
  const method = methodChoice("", () => {
    for (const input of inputs) input.checked = false;
    onchange();
  });
  const inputs = WAYS_TO_READ.map((_, place) => element("input", { type: "radio", name: "way", value: place, checked: !about.method && place === 1 }));
  const labels = inputs.map((input, place) => {
    input.addEventListener("change", () => {
      method.select.value = "";
      onchange();
    });
    const [name, line] = WAYS_TO_READ[place];
    return element("label.way-choice", {}, input, element("span", {}, element("b", {}, name), `: ${line}`));
  });
  const chosen = () => WAYS_TO_READ[inputs.findIndex((input) => input.checked)];
  return {
    box: element("fieldset.reading-ways", {}, element("legend", {}, "Way to read"), labels, opening("More", {}, method.box)),
    /** Careful is what fits the text: notes of a history are others than those of a book. */
    method: () => (chosen()?.[0] === "Careful" ? "" : chosen()?.[2] ?? method.select.value),
    settings: () => chosen()?.[3] ?? {},
  };
}

/** The methods whose settings are offered: the chosen one, or the one that reads most texts. */
const offeredFor = (method) => [method || about.method || "read-agent"];

/** What a run will take, told before it begins; it is asked anew whenever `body()` may have changed. */
function estimating(body, signal) {
  const box = element("p.estimate", { role: "status" });
  let turn = 0;
  const renew = settled(400, async () => {
    const mine = (turn += 1);
    const wanted = body();
    if (!wanted) return void (box.textContent = "");
    const refused = () => ""; // why it can't be done is told once it is asked for: it is still being written
    const told = await ask("POST", "/api/estimate", wanted, signal).then(toldEstimate, refused);
    if (mine === turn) box.textContent = told;
  });
  return { box, renew };
}

/** "About 370 calls, 230,000 words, $0.42, with openai:gpt-5.4-mini." */
function toldEstimate({ calls: made, input_words: input, output_words: output, cost, model }) {
  if (!made.expected) return "No calls of a model: it costs nothing.";
  const price = cost === null ? "price not known" : cost < 0.01 ? "less than 1 cent" : `$${cost.toFixed(2)}`;
  const words = rounded(input.expected + output.expected);
  return `About ${[counted(rounded(made.expected), "call"), counted(words, "word"), price, `with ${model}`].join(", ")}.`;
}

/** A figure as people say it: 368 is 370. */
const rounded = (value) => Number(value.toPrecision(2));
