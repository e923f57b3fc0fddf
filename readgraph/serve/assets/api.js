/** What the server refused, in one line that says what to do. */
class Problem extends Error {
  constructor(line, status) {
    super(line);
    this.status = status;
  }
}

/** Milliseconds that the server may take for one answer. */
const LONGEST_WAIT = 120_000;

const NOT_THERE = "The server doesn't answer. Is `readgraph serve` still running?";

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
