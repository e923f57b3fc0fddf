/** What this server can do: its methods and settings. */
let about = null;

/** Begin the room once the page stands. */
async function startRoom() {
  try {
    about = await api.get("/api/about");
  } catch (problem) {
    if (problem.status !== 401) document.getElementById("view").replaceChildren(troubled(problem, startRoom));
    return;
  }
  takeDrops();
  takeKeys();
  router.start();
}

/** The server wants to know who is there: the password lets in, or the address that the terminal shows. */
function signedOut() {
  const password = element("input", { type: "password", autocomplete: "current-password" });
  const back = () => (about ? router.go() : startRoom());
  const enter = async () => {
    const token = password.value.match(/[?&]token=([\w-]+)/)?.[1];
    if (token) return location.replace(`/?token=${token}${location.hash}`);
    const settings = { method: "POST", headers: { "Content-Type": "application/json" } };
    const answer = await fetch("/api/login", { ...settings, body: JSON.stringify({ password: password.value }) });
    if (!answer.ok) throw new Problem("This is not the password.", answer.status);
    back();
  };
  const go = doing("Enter", enter, { class: "main" });
  const sent = (event) => {
    event.preventDefault();
    go.querySelector("button").click();
  };
  const line = "Where no password is set, the address lets in that was shown when the server started. It is another one each time.";
  document.getElementById("view").replaceChildren(
    element("h1", {}, "Who is there?"),
    element("form", { onsubmit: sent }, field("Password, or the whole address", password), go),
    element("p.quiet", {}, line),
  );
  password.focus();
  const look = async () => {
    if (!password.isConnected) return removeEventListener("focus", look);
    const answer = await fetch("/api/about").catch(() => null); // another tab may have been let in
    if (answer?.ok && password.isConnected) back();
  };
  addEventListener("focus", look);
}

document.addEventListener("DOMContentLoaded", startRoom);
