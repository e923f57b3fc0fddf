/** How many files go up and are converted at a time. */
const AT_ONCE = 2;

/** The texts that were dropped, chosen, pasted or named, each with how far it is; `fresh` are the ids of those that came
 * in. It outlasts the view. */
const adding = {
  waiting: [],
  going: 0,
  fresh: new Set(),
  list: null,

  box: () => document.getElementById("adding"),

  files(files) {
    for (const { file, name } of files) this.queue(name, (line) => sendFile(file, name, (share) => line.sent(share)));
  },

  /** Add what `send` sends; it returns the run that the server began. */
  queue(name, send) {
    if (!this.list) this.open();
    const line = addedLine(name);
    this.list.append(line.item);
    this.box().hidden = false;
    this.waiting.push({ line, send });
    this.next();
  },

  open() {
    this.list = element("ol.added", {});
    const close = element("button", { type: "button", onclick: () => this.close() }, "Close");
    const head = element("div.heading", {}, element("h2", {}, "Adding"), close);
    this.box().replaceChildren(head, this.list);
  },

  /** Put away the lines that are done; those that failed too, if they were seen. */
  close(isSeen = true) {
    const over = isSeen ? ["done", "failed"] : ["done"];
    for (const item of [...(this.list?.children ?? [])]) if (over.includes(item.dataset.state)) item.remove();
    this.box().hidden = !this.list?.childElementCount;
    if (isSeen) router.box().focus();
  },

  async next() {
    if (this.going >= AT_ONCE || !this.waiting.length) return;
    const { line, send } = this.waiting.shift();
    this.going += 1;
    try {
      const run = await send(line);
      await new Promise((done) => line.follow(run, done));
    } catch (problem) {
      line.failed(toldProblem(problem));
    }
    this.going -= 1;
    this.next();
  },
};

/** A line that tells how far one text is. */
function addedLine(name) {
  const bar = element("progress", { max: 1, value: 0, "aria-label": `How far ${name} is` });
  const state = element("span.quiet", {}, "waiting");
  const what = prose("span.name", name);
  const item = element("li", { "data-state": "going" }, what, bar, state);
  const ended = (kind, line, ...more) => {
    item.dataset.state = kind;
    bar.remove();
    state.className = kind === "failed" ? "trouble" : "quiet";
    state.replaceChildren(line, ...more);
  };
  const line = {
    item,
    sent(share) {
      showShare(bar, share, 1);
      state.textContent = share < 1 ? `sent ${Math.floor(share * 100)} %` : "being converted";
    },
    failed(problem) {
      ended("failed", problem);
      speak(`${name}: ${problem}`);
    },
    follow(run, done) {
      const documents = [], notices = [];
      const take = (event) => {
        if (event.type === "converting") {
          showShare(bar, event.done, event.of);
          state.textContent = event.of ? `page ${number(event.done)} of ${number(event.of)}` : "being converted";
        } else if (event.type === "document") {
          documents.push(event.document);
          adding.fresh.add(event.document.id);
        }
        else if (event.type === "notice") notices.push(event.text);
        else if (event.type === "left_out") notices.push(event.problem);
        else if (event.type === "end") {
          finish(event.run);
        }
      };
      const finish = (end) => {
        if (end?.state === "done") {
          const links = documents.map((one) => prose("a", one.title || "open", { href: placeOf("document", one.id) }));
          ended("done", "added ", ...links.flatMap((link) => [link, " "]), notices.join(" "));
          speak([`${name} was added.`, ...notices].join(" "));
          document.dispatchEvent(new Event("added"));
        } else line.failed(end?.problem ?? "It was stopped.");
        done();
      };
      state.textContent = "being converted";
      follow(run.id, {
        events: (list) => list.forEach(take),
        broken: (seconds) => seconds && (state.textContent = `The connection broke; next try in ${seconds} s`),
        lost: () => finish({ problem: "The server was started anew meanwhile; add it once more." }),
      });
    },
  };
  return line;
}

/** The ways to add texts. */
function addingPanel() {
  const files = element("input.unseen", { type: "file", multiple: true, id: "files", "aria-label": "Choose files" });
  const folder = element("input.unseen", { type: "file", webkitdirectory: true, id: "folder", "aria-label": "Choose a folder" });
  for (const input of [files, folder]) {
    input.tabIndex = -1;
    input.addEventListener("change", () => {
      adding.files([...input.files].map((file) => ({ file, name: file.name })));
      input.value = "";
    });
  }
  const pick = (label, input) => element("button", { type: "button", onclick: () => input.click() }, label);
  const drop = element("p.quiet", {}, "Drop files or a folder anywhere on this page (books, PDFs, notes, exports of chats), or:");
  return element(
    "section.add",
    { "aria-label": "Add to the library" },
    drop,
    element("div.buttons", {}, pick("Choose files", files), pick("Choose a folder", folder), files, folder),
    pasting(),
    addressing(),
  );
}

function pasting() {
  const title = element("input", { type: "text", autocomplete: "off" });
  const text = element("textarea", { rows: 8, dir: "auto" });
  const add = doing("Add the text", async () => {
    if (!text.value.trim()) throw new Problem("Paste a text first.", 0);
    const body = { text: text.value, title: title.value.trim() };
    adding.queue(body.title || shortened(body.text.trim().replace(/\s+/gu, " "), 40), () => api.post("/api/texts", body));
    [title.value, text.value] = ["", ""];
  }, { "data-go": "" });
  return opening("Paste a text", { "data-form": "" }, field("Title", title), field("Text", text), add);
}

function addressing() {
  const address = element("input", { type: "url", placeholder: "https://", autocomplete: "off" });
  const add = doing("Add the page", async () => {
    const named = address.value.trim();
    if (!named) throw new Problem("Name an address first.", 0);
    adding.queue(named, () => api.post("/api/addresses", { address: named }));
    address.value = "";
  }, { "data-go": "" });
  return opening("Add a web page by its address", { "data-form": "" }, field("Address", address), add);
}

/** Files dropped anywhere on the page; of a folder, all that is in it. */
function takeDrops() {
  const cover = document.getElementById("dropping");
  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    cover.hidden = false;
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) cover.hidden = true;
  });
  document.addEventListener("drop", async (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    cover.hidden = true;
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    adding.files(entries.length ? await filesIn(entries) : [...event.dataTransfer.files].map((file) => ({ file, name: file.name })));
  });
}

async function filesIn(entries) {
  const found = [];
  for (const entry of entries) {
    if (entry.isFile) {
      found.push({ file: await new Promise((done, failed) => entry.file(done, failed)), name: entry.name });
    } else if (!entry.name.startsWith(".")) {
      const reader = entry.createReader();
      const batch = () => new Promise((done, failed) => reader.readEntries(done, failed));
      for (let some = await batch(); some.length; some = await batch()) found.push(...(await filesIn(some)));
    }
  }
  return found.filter(({ name }) => !name.startsWith("."));
}
