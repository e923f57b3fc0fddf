let fields = 0;

/** A form's field under its label; `help` is read with it. */
function field(label, input, help = "") {
  input.id ||= `field-${(fields += 1)}`;
  const about = help ? element("span.help", { id: `${input.id}-help` }, help) : null;
  if (help) input.setAttribute("aria-describedby", about.id);
  return element("div.field", {}, element("label", { for: input.id }, label), input, about);
}

/** A button that does something which takes a while: it is off until that is done, and a problem is shown after it. */
function doing(label, act, settings = {}) {
  const trouble = element("span.trouble", { role: "alert" });
  const close = element("button.chip", { type: "button", hidden: true, "aria-label": "Close this message", onclick: () => read(true) }, "×");
  /** What was read goes away: when it is closed, and when something else is written. */
  const read = (isClosed = false) => {
    trouble.textContent = "";
    close.hidden = true;
    document.removeEventListener("input", read);
    if (isClosed === true) button.focus();
  };
  const button = element("button", { type: "button", ...settings }, label);
  button.addEventListener("click", async () => {
    button.disabled = true;
    button.setAttribute("aria-busy", "true");
    read();
    try {
      await act(button);
    } catch (problem) {
      trouble.textContent = toldProblem(problem);
      close.hidden = !trouble.textContent;
      document.addEventListener("input", read);
    }
    button.removeAttribute("aria-busy");
    button.disabled = false;
  });
  return element("span.doing", {}, button, trouble, close);
}

/** A button that deletes something, once its reader agrees to a question that says what is lost. */
function deleting(name, asked, path, after) {
  return doing("Delete", async (button) => {
    if (await isSure(typeof asked === "function" ? await asked() : asked)) {
      await api.remove(path);
      await after();
      speak("Deleted.");
    } else {
      button.disabled = false;
      button.focus();
    }
  }, { class: "delete", "aria-label": `Delete ${name}` });
}

/** Whether the reader agrees; Escape says no. */
function isSure(line) {
  return new Promise((answer) => {
    const ending = (value) => ({ type: "button", onclick: () => box.close(value) });
    const ways = element("div.buttons", {}, element("button", ending(""), "Keep"), element("button.danger", ending("delete"), "Delete"));
    const box = element("dialog.sure", { "aria-labelledby": "sure" }, prose("p", line, { id: "sure" }), ways);
    box.addEventListener("close", () => {
      box.remove();
      answer(box.returnValue === "delete");
    });
    document.body.append(box);
    box.showModal();
  });
}

/** The line that tells a problem; nothing where the view was left. */
function toldProblem(problem) {
  if (problem.name === "AbortError") return "";
  if (!(problem instanceof Problem)) console.error(problem);
  return problem instanceof Problem ? problem.message : "Something went wrong in this page; load it again.";
}

/** A choice among `[value, label]`. */
function choice(pairs, value, settings = {}) {
  const options = pairs.map(([each, label]) => element("option", { value: each, selected: each === value }, label));
  return element("select", settings, options);
}

/** What can be opened under a line. */
const opening = (summary, settings, ...inside) => element("details", settings, element("summary", {}, summary), ...inside);

/** Say something to those who listen to the page. */
function speak(line) {
  const spoken = document.getElementById("spoken");
  if (spoken.textContent !== line) spoken.textContent = line;
}

/** Call once the calls have ceased for a while. */
function settled(milliseconds, act) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds);
  };
}

/** "22 November 2026, 22:49" of a time as the server tells it: a number of seconds, or a date. */
function day(time) {
  const at = new Date(typeof time === "number" ? time * 1000 : time);
  if (Number.isNaN(at.getTime())) return "";
  return at.toLocaleString("en-GB", { day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" });
}

/** "2 h 5 min", "3 min 20 s", "8 s". */
function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  if (hours) return `${hours} h ${minutes} min`;
  return minutes ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}

const shortened = (text, most) => ([...text].length > most ? `${[...text].slice(0, most - 1).join("").trimEnd()}…` : text);
