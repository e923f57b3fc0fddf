/** Enter in a field does what its form is for; arrows go along a list, and from a search field into what it found. */
function takeKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    const done = event.key === "Enter" ? sentBy(event) : goneAlong(event);
    if (done) event.preventDefault();
  });
}

/** Fields in which Enter means something else. */
const ENTER_IS_THEIRS = "[type=checkbox], [type=radio], [type=file], [type=search]";

/** Press the main button of the form whose field has the focus, or its only one (`data-go`). In a field of several lines
 * Ctrl+Enter does it, or in one that holds a question (`data-enter`) Enter alone: Shift+Enter begins a new line. */
function sentBy(event) {
  const input = event.target;
  if (!input.matches("input, textarea") || input.matches(ENTER_IS_THEIRS)) return input.matches("[type=search]") && chosenFirst(input);
  if (input.localName === "textarea" && !(event.ctrlKey || event.metaKey) && (event.shiftKey || input.dataset.enter === undefined)) return false;
  const form = input.closest("[data-form]");
  const button = form?.querySelector("button.main") ?? form?.querySelector("button[data-go]");
  button?.click();
  return Boolean(button);
}

/** What a list's items are reached by. */
const REACHED = "a, button, summary";

/** The list that a search field fills stands behind it, in the same box. */
const filledBy = (input) => input.closest("[data-search]")?.querySelector(`[data-found] > li :is(${REACHED})`);

/** Take the first of what a search found. */
function chosenFirst(input) {
  const first = filledBy(input);
  if (first?.localName === "button") first.click();
  else first?.focus();
  return Boolean(first);
}

/** Go to the item above or below; above the first one is the search field. */
function goneAlong(event) {
  const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  if (!step || event.ctrlKey || event.metaKey || event.shiftKey) return false;
  const { target } = event;
  const item = target.matches(REACHED) && target.closest("#view li, .added > li");
  let next = null;
  if (target.matches("[type=search]") && event.key === "ArrowDown") next = filledBy(target);
  else if (item) {
    for (let one = item[step]; one && !next; one = one[step]) next = one.querySelector(REACHED);
    if (!next && event.key === "ArrowUp" && item.parentElement.dataset.found !== undefined) next = item.closest("[data-search]")?.querySelector("[type=search]");
  }
  next?.focus();
  return Boolean(next);
}
