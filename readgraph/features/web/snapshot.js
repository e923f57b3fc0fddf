// What the page shows now: a copy of its elements, in which those that can be acted on have numbers, these elements
// themselves by their numbers, and the passwords that stand in its fields. The page is left as it is, and nothing in the
// copy is loaded or run: it belongs to a document of its own. Fields are copied as they are filled in now. Wherever the
// page shows a password, one in its fields or one of `known`, MASK stands for it; no tag is changed by that.
([NUMBER, HIDDEN, MASK, known, shortest]) => {
  const ROLES = new Set(`button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option combobox
    textbox searchbox spinbutton slider treeitem`.split(/\s+/));
  const SECRET = "input[type=password], input[autocomplete~=current-password], input[autocomplete~=new-password]";
  const OF_THE_FORM = ["type", "role", "for", "id", "list", "autocomplete", "aria-labelledby", NUMBER, HIDDEN];
  const ACTED_ON = "a[href], area[href], button, input, select, textarea, summary, [onclick]";
  const FRAME = "iframe, frame, object, embed";
  const root = document.documentElement;
  const copied = document.implementation.createHTMLDocument("").importNode(root, true);
  const originals = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
  const copies = document.createTreeWalker(copied, NodeFilter.SHOW_ELEMENT);
  const passwords = [...root.querySelectorAll(SECRET)].map(field => field.value).filter(each => each.length >= shortest);
  const masked = [...known, ...passwords, ...passwords.map(encodeURIComponent)];
  const elements = [];

  const set = (copy, name, on) => (on ? copy.setAttribute(name, "") : copy.removeAttribute(name));
  const fill = (element, copy) => {
    if (element instanceof HTMLInputElement) {
      if (["checkbox", "radio"].includes(element.type)) set(copy, "checked", element.checked);
      else if (element.matches(SECRET)) copy.setAttribute("value", element.value && MASK);
      else if (element.type !== "file") copy.setAttribute("value", element.value);
    } else if (element instanceof HTMLTextAreaElement) copy.textContent = element.value;
    else if (element instanceof HTMLOptionElement) {
      set(copy, "selected", element.selected);
      copy.textContent = element.label;
    }
  };
  const without = text => masked.reduce((left, secret) => left.replaceAll(secret, MASK), text);
  const mask = copy => {
    for (const { name, value } of copy.attributes)
      if (!OF_THE_FORM.includes(name) && without(value) !== value) copy.setAttribute(name, without(value));
    for (const node of copy.childNodes)
      if (node.nodeType === Node.TEXT_NODE) node.data = without(node.data);
  };
  const pointed = (element, style) =>
    style.cursor === "pointer" && getComputedStyle(element.parentElement).cursor !== "pointer";
  const actedOn = (element, style) =>
    !element.matches(FRAME) && (element.matches(ACTED_ON) || ROLES.has(element.getAttribute("role")) ||
    element.isContentEditable || element.tabIndex >= 0 || pointed(element, style));

  do {
    const element = originals.currentNode, copy = copies.currentNode;
    for (const name of [NUMBER, HIDDEN]) copy.removeAttribute(name);
    fill(element, copy);
    mask(copy);
    if (!document.body?.contains(element) || element.localName === "option") continue;
    const style = getComputedStyle(element);
    const unseen = style.visibility !== "visible" && !element.firstElementChild;
    if (style.display === "none" || unseen) copy.setAttribute(HIDDEN, "");
    else if (element !== document.body && actedOn(element, style)) {
      copy.setAttribute(NUMBER, elements.length + 1);
      elements.push(element);
    }
  } while (originals.nextNode() && copies.nextNode());
  return { html: "<!doctype html>" + copied.outerHTML, elements, passwords };
}
