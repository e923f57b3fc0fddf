/** The choice of the texts that a question is about: all of them, or some, which are found by their titles. */
function picking(ids, onchange, signal, none = "All texts: those that fit the question are found and read.", dated = true) {
  const chosen = new Map();
  const chips = element("ul.chips", { "aria-label": "Chosen texts" });
  const found = element("ul.found-texts", { "aria-label": "Found texts" });
  const words = element("input", { type: "search", autocomplete: "off", placeholder: "Words of a title" });
  const state = element("p.quiet", { role: "status" });
  const day = element("input", { type: "date", onchange });

  const draw = () => {
    const drop = (id) => () => {
      chosen.delete(id);
      draw();
      onchange();
      words.focus();
    };
    chips.replaceChildren(...[...chosen].map(([id, title]) => element(
      "li", {}, element("button.chip", { type: "button", onclick: drop(id), "aria-label": `Leave out ${title}` }, `${title} ×`),
    )));
    state.textContent = chosen.size ? "" : none;
  };
  const pick = (one) => {
    chosen.set(one.id, one.title || one.id);
    words.value = "";
    found.replaceChildren();
    draw();
    onchange();
    words.focus();
  };
  const look = settled(150, async () => {
    const query = words.value.trim();
    if (!query) return found.replaceChildren();
    try {
      const { documents } = await api.get(withQuery("/api/documents", { query, limit: 8 }), signal);
      const shownOnes = documents.filter((one) => !chosen.has(one.id));
      const items = shownOnes.map((one) => element("li", {}, prose("button", one.title || one.id, { type: "button", onclick: () => pick(one) })));
      found.replaceChildren(...(items.length ? items : [element("li.quiet", {}, "No other title has these words.")]));
    } catch (problem) {
      found.replaceChildren(element("li.trouble", {}, toldProblem(problem)));
    }
  });
  words.addEventListener("input", look);
  words.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
    if (event.key === "Escape") found.replaceChildren();
  });

  const begin = async () => {
    let lost = 0;
    for (const id of ids) {
      try {
        chosen.set(id, (await api.get(pathOf("documents", id), signal)).title || id);
      } catch (problem) {
        if (![400, 404].includes(problem.status)) throw problem;
        lost += 1;
      }
    }
    draw();
    if (lost) state.textContent = `${lost === 1 ? "A chosen text is" : `${lost} chosen texts are`} not in the library any more. ${state.textContent}`;
  };
  const box = element("fieldset.picking", {}, element("legend", {}, "Which texts"), chips, state, field("Add a text", words), found,
    dated ? opening("As it was on a day", {}, field("Day", day, "Later texts and sessions are left out. What has no date stays.")) : "");
  return { box, begin, ids: () => [...chosen.keys()], day: () => day.value };
}
