/** The state before and after the chosen step. It can be changed: a new step then stands beside the old one. */
const stateView = {
  async show(step) {
    const box = document.getElementById("state");
    if (!step) return box.replaceChildren();
    const { before, after } = await api.get(pathOf("studio", "threads", thread.id, "steps", step.checkpoint));
    if (thread.chosen !== step.checkpoint) return;
    const names = Object.keys(after).sort();
    const [changed, same] = [names.filter((name) => step.changed.includes(name)), names.filter((name) => !step.changed.includes(name))];
    box.replaceChildren(
      element("h2", {}, thread.nameOf(step)),
      ...this.ways(step, after),
      changed.length ? this.table(changed, before, after) : element("p.quiet", {}, "It changed nothing."),
      same.length ? element("details", {}, element("summary", {}, `${counted(same.length, "channel")} unchanged`), this.table(same, null, after)) : "",
    );
  },

  /** What can be done at a step: go on from it, or change the state first. */
  ways(step, after) {
    const change = element("button", { type: "button", onclick: () => this.edit(step, after) }, "Change the state");
    if (!step.next.length) return [element("p.quiet", {}, "The run ended here."), element("div.buttons", {}, change)];
    const next = element("p.quiet", {}, `Next: ${step.next.join(", ")}.`);
    const run = doing("Run on from here", () => runs.goOn(step, false));
    const single = doing("One step from here", () => runs.goOn(step, true));
    return [next, element("div.buttons", {}, run, single, change)];
  },

  table(names, before, after) {
    const rows = names.map((name) => {
      const [was, is] = before ? apart(before[name], after[name]) : [undefined, after[name]];
      return element("tr", {}, element("th", { scope: "row" }, name), before && element("td", {}, shownValue(was)), element("td", {}, shownValue(is)));
    });
    const head = element("tr", {}, ...["Channel", before && "Before", "After"].map((text) => text && element("th", { scope: "col" }, text)));
    return element("div.scrolled", { tabindex: 0, role: "group", "aria-label": "Channels" }, element("table", {}, element("thead", {}, head), element("tbody", {}, rows)));
  },

  /** Fields for the state as JSON; only what was changed is sent. */
  edit(step, after) {
    const names = Object.keys(after).sort();
    const inputs = [...step.changed.filter((name) => name in after), ...names.filter((name) => !step.changed.includes(name))].map((name) => {
      const text = JSON.stringify(after[name], null, 2);
      const input = element("textarea", { rows: Math.min(12, text.split("\n").length), spellcheck: "false", dir: "auto" });
      input.value = text;
      return { name, text, input };
    });
    const keep = doing("Save the change", async () => {
      const values = {};
      for (const { name, text, input } of inputs) {
        if (input.value !== text) values[name] = parsedValue(name, input.value);
      }
      if (!Object.keys(values).length) throw new Problem("Nothing is changed.", 0);
      const { checkpoint } = await api.post(pathOf("studio", "threads", thread.id, "change"), { checkpoint: step.checkpoint, values });
      await thread.load(thread.id, checkpoint);
      document.getElementById("state").focus();
      speak("The change is a new step.");
    }, { class: "main" });
    const leave = () => trying(thread.choose(step.checkpoint)).then(() => document.getElementById("state").focus());
    const back = element("button", { type: "button", onclick: leave }, "Cancel");
    document.getElementById("state").replaceChildren(
      element("h2", {}, `The state after ${thread.nameOf(step)}`),
      element("p.quiet", {}, "Each value is JSON. The old step stays; the change becomes a step of its own."),
      ...inputs.map(({ name, input }) => field(name, input)),
      element("div.buttons", {}, keep, back),
    );
    inputs[0]?.input.focus();
  },
};

/** What two values don't share: of lists what stands behind their common beginning, of objects the parts that differ. */
function apart(before, after) {
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  if (Array.isArray(before) && Array.isArray(after)) {
    let shared = 0;
    while (shared < before.length && shared < after.length && same(before[shared], after[shared])) shared += 1;
    const told = shared ? [`… ${counted(shared, "entry")} alike`] : [];
    return [before, after].map((list) => [...told, ...list.slice(shared)]);
  }
  if (isPlain(before) && isPlain(after)) {
    const names = Object.keys({ ...before, ...after }).filter((name) => !same(before[name], after[name]));
    const parts = names.map((name) => [name, ...apart(before[name], after[name])]);
    return [1, 2].map((at) => Object.fromEntries(parts.filter((part) => part[at] !== undefined).map((part) => [part[0], part[at]])));
  }
  return [before, after];
}

const isPlain = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

const MOST_SHOWN = 20_000; // characters of a value: a browser lays out a whole book for seconds

/** A value as indented JSON, a text as it is; of a long one the beginning. */
function shownValue(value) {
  if (value === undefined) return element("span.quiet", {}, "not set");
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  if (text.length <= MOST_SHOWN) return prose("pre", text);
  const line = `The beginning of ${number(text.length)} characters: “Change the state” shows all.`;
  return element("div", {}, prose("pre", text.slice(0, MOST_SHOWN)), element("p.quiet", {}, line));
}

function parsedValue(name, text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem(`${name} is no valid JSON: a text stands in double quotes.`, 0);
  }
}
