/** The way to put a note right: it is kept as the reader's own, and the method's can come back. */
function correcting(page, place) {
  const path = pathOf("documents", shown.document.id, "memories", shown.memory, "notes", place);
  const box = element("div.correcting");
  const text = element("textarea", { rows: 6, "aria-label": `Your ${report.note}`, dir: "auto" });
  const save = doing("Save", async () => corrected(place, await api.put(path, { text: text.value })));
  const begin = () => {
    text.value = page.note;
    const cancel = element("button", { type: "button", onclick: () => stand(true) }, "Cancel");
    box.replaceChildren(text, element("div.buttons", {}, save, cancel));
    text.focus();
  };
  const restore = () => doing("Restore the method's own", async () => corrected(place, await api.remove(path)));
  const stand = (isBack = false) => {
    const button = element("button", { type: "button", onclick: begin }, "Correct");
    box.replaceChildren(button, ...(page.corrected ? [restore()] : []));
    if (isBack) button.focus();
  };
  text.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") stand(true);
  });
  stand();
  return box;
}

/** Draw a note anew that was corrected or restored. */
async function corrected(place, { renewed = [] }) {
  const { document: owner, memory } = shown;
  const data = report;
  const path = withQuery(pathOf("documents", owner.id, "memories", memory, "pages"), { numbers: place });
  const { pages: came } = await api.get(path);
  for (const page of came) data.pages[page.number] = { ...data.pages[page.number], ...page };
  if (data !== report) return;
  strip.renew(place);
  if (pages.at === place) pages.open(place, { quietly: true });
  pages.note.querySelector(".correcting button")?.focus();
  speak(renewed.length ? `Saved; ${counted(renewed.length, "summary")} above will be written anew.` : "Saved.");
}
