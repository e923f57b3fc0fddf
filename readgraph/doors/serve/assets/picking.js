/** The choice of the texts that a question is about: all of them, or some, which are found by their titles. */
function picking(ids, onchange, signal, none = "All: those that fit the question are found and read.", dated = true) {
  const chosen = new Map();
  const chips = element("ul.chips", { "aria-label": "Chosen texts" });
  const found = element("ul.found-texts", { "aria-label": "Found documents", "data-found": "" });
  const words = element("input", { type: "search", autocomplete: "off", placeholder: "Words of a title" });
  const state = element("span.quiet", { role: "status" });
  const day = element("input", { type: "date", onchange });
  const place = element("input", { type: "text", autocomplete: "off", dir: "auto", onchange });

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
    state.textContent = chosen.size ? `${counted(chosen.size, "document")} chosen` : none;
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
  const box = opening("Which documents", { class: "picking", open: ids.length > 0 || !none.startsWith("All") }, chips, element("div", { "data-search": "" }, field("Choose documents", words), found),
    dated ? opening("As it was on a day", {}, field("Day", day, "Later texts and sessions are left out. What has no date stays.")) : "",
    dated ? opening("As if read up to a place", {}, field("Place", place, "Such as: page 120, chapter 7, session 3. What follows it is not known.")) : "");
  box.firstChild.append(" ", state);
  return { box, begin, ids: () => [...chosen.keys()], day: () => day.value, place: () => place.value.trim() };
}

/** Search inside the texts: passages with their places, the best first. */
async function searchView(box, signal) {
  const words = element("input", { type: "search", autocomplete: "off", dir: "auto" });
  const scope = await collectionChoice(() => look(), signal);
  const state = element("p.quiet", { role: "status" });
  const list = element("ol.documents", { "aria-label": "Passages", "data-found": "" });
  let turn = 0;
  const look = async () => {
    const mine = (turn += 1);
    if (!words.value.trim()) return list.replaceChildren();
    try {
      const path = withQuery("/api/search", { query: words.value.trim(), collection: scope.select.value });
      const { hits } = await api.get(path, signal);
      if (mine !== turn) return;
      list.replaceChildren(...hits.map(hitItem));
      state.textContent = hits.length ? counted(hits.length, "passage") : "No passage has one of these words.";
    } catch (problem) {
      if (mine === turn) state.textContent = toldProblem(problem);
    }
  };
  words.addEventListener("input", settled(250, look));
  const help = "Words of the texts themselves; no model is asked.";
  const found = element("div", { "data-search": "" }, field("Words", words, help), scope.box, state, list);
  box.replaceChildren(element("h1", {}, "Search inside the texts"), found);
  words.focus({ preventScroll: true });
}

/** A passage with its words marked; it leads to its part, where the text is read. */
function hitItem(hit) {
  const part = hit.page === null ? [] : ["part", `${hit.page}`];
  const spans = hit.marks.map(([start, end]) => ({ start: start - hit.start, end: end - hit.start }));
  const where = hit.place || (hit.page === null ? "" : `part ${hit.page}`);
  return element(
    "li.document", {},
    element("h2", {}, prose("a.title", hit.title || hit.document, { href: placeOf("document", hit.document, ...part) })),
    where ? prose("p.quiet", where) : null,
    prose("p", new MarkedText(hit.text.replace(/\s/gu, " "), [], spans).pieces()),
  );
}

/** The choice among the named collections; hidden where there is none. */
async function collectionChoice(onchange, signal, none = "All texts") {
  const { collections } = await api.get("/api/collections", signal);
  const names = collections.map((one) => [one.name, `${one.name} (${counted(one.documents.length, "document")})`]);
  const select = choice([["", none], ...names], "");
  select.addEventListener("change", onchange);
  const box = field("Collection", select);
  const show = (isWanted) => (box.hidden = !isWanted || !collections.length);
  show(true);
  return { box, select, show };
}

/** The collections of a document: it can be put into one, and taken out. */
async function collectionsPanel(owner, signal) {
  const list = element("ul.chips", { "aria-label": "In these collections" });
  const names = element("datalist", { id: "collection-names" });
  const name = element("input", { type: "text", autocomplete: "off", list: "collection-names", dir: "auto" });
  const draw = async () => {
    const { collections } = await api.get("/api/collections", signal);
    const leave = (one) => async () => {
      await api.remove(withQuery(pathOf("collections", one.name), { document: owner.id }));
      await draw();
      name.focus();
    };
    const inside = collections.filter((one) => one.documents.some((each) => each.id === owner.id));
    list.replaceChildren(...inside.map((one) => element("li", {}, doing(`${one.name} ×`, leave(one), { class: "chip", "aria-label": `Take it out of ${one.name}` }))));
    names.replaceChildren(...collections.map((one) => element("option", { value: one.name })));
  };
  const add = doing("Add", async () => {
    if (!name.value.trim()) throw new Problem("Write the collection's name first.", 0);
    await api.put(pathOf("collections", name.value.trim()), { documents: [owner.id] });
    name.value = "";
    await draw();
    speak("Added.");
  }, { "data-go": "" });
  await draw();
  return opening("Collections", { class: "how", "data-form": "" }, list, names, field("Put it into", name, "A new name makes a collection."), add);
}
