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
  router.start();
}

/** The server wants to know who is there: the password lets in, or the address that the terminal shows. */
function signedOut() {
  const password = element("input", { type: "password", autocomplete: "current-password" });
  const enter = async () => {
    const settings = { method: "POST", headers: { "Content-Type": "application/json" } };
    const answer = await fetch("/api/login", { ...settings, body: JSON.stringify({ password: password.value }) });
    if (!answer.ok) throw new Problem("This is not the password.", answer.status);
    about ? router.go() : startRoom();
  };
  const go = doing("Enter", enter, { class: "main" });
  password.addEventListener("keydown", (event) => event.key === "Enter" && go.querySelector("button").click());
  const line = "Where the server has no password, open the address that `readgraph serve` printed on the terminal.";
  document.getElementById("view").replaceChildren(element("h1", {}, "Who is there?"), field("Password", password), go, element("p.quiet", {}, line));
  password.focus();
}

document.addEventListener("DOMContentLoaded", startRoom);
