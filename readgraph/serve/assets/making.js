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
