/** Milliseconds of drawing in one frame, so that the page stays smooth while pages come in. */
const DRAWING = 10;

/** Pages that are drawn before the clock is looked at. */
const PORTION = 60;

/** The document as it is read: its strip fills page by page, notes arrive, pages that are read again are numbered. */
function livePages(run) {
  const box = element("section.live-pages", { "aria-label": "The document as it is read", hidden: true });
  let [data, owner, queue, frame, isLeft, now] = [null, null, [], 0, false, null];

  const begin = async (event) => {
    queue = [];
    const empty = { found: [], hops: [], steps: [], rounds: [], citations: [], pages_read: [] };
    data = {
      title: run.title, link: null, words: event.words, characters: event.characters, read_to: 0, method: run.method,
      model: "", purpose: "", note: event.note ?? noteOf(run.method), parts: event.parts ?? [], pages: [], tree: null,
      question: run.question, options: [], found: run.question ? empty : null, live: true, expected: null,
    };
    owner = { id: event.document, has_original: false };
    box.hidden = false;
    box.replaceChildren(...showPages(data, { document: owner, memory: event.memory }));
    const mine = data;
    try {
      const known = await api.get(pathOf("documents", event.document));
      if (mine !== data) return;
      Object.assign(owner, known);
      data.title = known.title;
      if (event.has_marks) queue.push(...(await marksOf(event.document, event.memory)).map((page, place) => ({ number: place, ...page })));
      frame ||= nextFrame(draw);
    } catch (problem) {
      toldProblem(problem);
    }
  };

  const draw = () => {
    frame = 0;
    if (isLeft || report !== data) return;
    const until = performance.now() + DRAWING;
    do drawSome(data, queue.splice(0, PORTION)); while (queue.length && performance.now() < until);
    if (queue.length) frame = nextFrame(draw);
  };

  /** Pages that the strip has by now; a page that comes before those in front of it waits in the queue. */
  const drawSome = (into, some) => {
    const [fresh, early] = [[], []];
    for (const page of some) {
      const at = page.number;
      const filled = { text: null, blocks: [], ...page };
      if (at < into.pages.length) {
        into.pages[at] = { ...into.pages[at], ...page };
        strip.renew(at);
        if (pages.at === at) pages.note.replaceChildren(...pages.noted(into.pages[at], at));
      } else if (at < into.pages.length + fresh.length) fresh[at - into.pages.length] = filled;
      else if (at === into.pages.length + fresh.length) fresh.push(filled);
      else early.push(page);
    }
    if (fresh.length) strip.grow(fresh);
    if (early.length) (into.early ??= []).push(...early);
    if (fresh.length && into.early) {
      queue.unshift(...into.early.sort((one, other) => one.number - other.number));
      into.early = null;
    }
  };

  const point = (places) => {
    for (const place of places ?? []) {
      if (strip.order.has(place) || !strip.cells[place]) continue;
      strip.readNow(place);
      now?.classList.remove("now");
      now = strip.cells[place];
      now.classList.add("now");
    }
  };

  return {
    box,
    get data() {
      return data;
    },
    memory: null,
    take(event) {
      if (event.type === "memory" && event.memory !== this.memory) {
        this.memory = event.memory;
        begin(event);
      } else if (event.type === "pages" && data && event.memory === this.memory) {
        queue.push(...event.pages);
        frame ||= nextFrame(draw);
      } else if (event.type === "step" && data && report === data) {
        if (queue.length) drawAll();
        point(event.update.pages_read);
      }
    },
    leave: () => (isLeft = true),
  };

  function drawAll() {
    while (queue.length) drawSome(data, queue.splice(0, PORTION));
  }
}

/** A method's word for the note of a page. */
const noteOf = (method) => about.methods.find((one) => one.name === method)?.note ?? "note";
