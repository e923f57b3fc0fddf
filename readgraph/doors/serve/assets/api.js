/** What the server refused, in one line that says what to do. */
class Problem extends Error {
  constructor(line, status) {
    super(line);
    this.status = status;
  }
}

/** Milliseconds that the server may take for one answer. */
const LONGEST_WAIT = 120_000;

const NOT_THERE = "The server doesn't answer. Is it still running?";

/** Ask the server; the answer is a JSON value. `signal` ends it when its view is left. */
async function ask(method, path, body, signal) {
  const limit = AbortSignal.timeout(LONGEST_WAIT);
  const either = signal && AbortSignal.any ? AbortSignal.any([signal, limit]) : (signal ?? limit);
  const settings = { method, signal: either, headers: { Accept: "application/json" } };
  if (body !== undefined) {
    settings.headers["Content-Type"] = "application/json";
    settings.body = JSON.stringify(body);
  }
  let [status, text] = [0, ""];
  try {
    const answer = await fetch(path, settings);
    [status, text] = [answer.status, await answer.text()];
  } catch (error) {
    throw error.name === "AbortError" ? error : new Problem(NOT_THERE, 0);
  }
  return read(status, text);
}

/** The value of an answer; an answer that reports a problem is thrown as one. */
function read(status, text) {
  let value = null;
  try {
    value = JSON.parse(text);
  } catch {
    if (status < 400) throw new Problem("The server sent something that can't be read.", status);
  }
  if (status === 401) signedOut();
  if (status >= 400) throw new Problem(value?.problem ?? `The server answered with error ${status}.`, status);
  return value;
}

const api = {
  get: (path, signal) => ask("GET", path, undefined, signal),
  post: (path, body = {}) => ask("POST", path, body),
  put: (path, body) => ask("PUT", path, body),
  remove: (path) => ask("DELETE", path),
};

/** A path with its parts escaped: `pathOf("documents", id)`. */
const pathOf = (...parts) => `/api/${parts.map(encodeURIComponent).join("/")}`;

/** A path with the values that are set as its query. */
function withQuery(path, values) {
  const set = Object.entries(values).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const query = new URLSearchParams(set).toString();
  return query ? `${path}?${query}` : path;
}

/** Send a file as it is; `onsent(share)` is called as it goes, with a number from 0 to 1. */
function sendFile(file, name, onsent) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("PUT", pathOf("files", name));
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = (event) => event.lengthComputable && onsent(event.loaded / event.total);
    request.onerror = () => failed(new Problem(`${file.name} could not be sent: it can't be read any more, or the server doesn't answer.`, 0));
    request.onload = () => {
      try {
        done(read(request.status, request.responseText));
      } catch (problem) {
        failed(problem);
      }
    };
    request.send(file);
  });
}

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
