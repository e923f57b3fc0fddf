/** Seconds before the next try, where the events of a run break off. */
const PAUSES = [1, 2, 4, 8, 15, 30];

/** Milliseconds that each try may take until the server says something. */
const LONGEST_TRY = 20_000;

/** The events of a run, from the first or from after `after`, until its end. What comes is handed over once in each
 * frame, as a list. Where the connection breaks, `broken(seconds)` says when it is tried again; `lost()`: the server
 * doesn't know the run any more, as after it was started anew. Returns a function that ends it. */
function follow(run, { events, broken = () => {}, lost = () => {}, after = 0 }) {
  let [source, timer, frame, tries, ended, isOver, left] = [null, 0, 0, 0, false, false, false];
  let waiting = [];

  const hand = () => {
    frame = 0;
    const list = waiting;
    waiting = [];
    if (list.length && !left) events(list);
  };
  const stop = () => {
    ended = true;
    source?.close();
    clearTimeout(timer);
  };
  const take = (message) => {
    if (ended) return;
    if (tries) broken(null);
    tries = 0;
    after = Number(message.lastEventId) || after;
    const event = JSON.parse(message.data);
    waiting.push(event);
    frame ||= nextFrame(hand);
    isOver = event.type === "end"; // a run that went on after it was stopped has an end in between
  };
  const again = async () => {
    source?.close();
    clearTimeout(timer);
    if (isOver) stop();
    if (ended) return;
    const refused = await refusal(run);
    if (ended) return;
    if (refused) {
      stop();
      if (refused === 404) lost();
      return;
    }
    const seconds = PAUSES[Math.min(tries, PAUSES.length - 1)];
    tries += 1;
    broken(seconds);
    timer = setTimeout(connect, seconds * 1000);
  };
  const connect = () => {
    source = new EventSource(withQuery(pathOf("runs", run, "events"), { after }));
    timer = setTimeout(again, LONGEST_TRY);
    source.onopen = () => clearTimeout(timer);
    source.onmessage = take;
    source.onerror = again;
  };
  connect();
  return () => {
    left = true;
    stop();
  };
}

/** Why the server won't tell of a run: 404, it doesn't know it any more; 401, who asks has to sign in again. */
async function refusal(run) {
  try {
    await api.get(pathOf("runs", run));
  } catch (problem) {
    if ([401, 404].includes(problem.status)) return problem.status;
  }
  return null;
}

/** Call in the next frame; in a page that isn't seen, where no frames are drawn, a little later. */
function nextFrame(then) {
  return document.hidden ? setTimeout(then, 100) : requestAnimationFrame(then);
}
