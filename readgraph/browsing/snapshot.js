// What the page shows now: a copy of its elements, in which those that can be acted on have numbers, and these elements
// themselves by their numbers. The page is left as it is, and nothing in the copy is loaded or run: it belongs to a
// document of its own. Fields are copied as they are filled in now, except for passwords.
([NUMBER, HIDDEN]) => {
  const ROLES = new Set(`button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option combobox
    textbox searchbox spinbutton slider treeitem`.split(/\s+/));
  const ACTED_ON = "a[href], area[href], button, input, select, textarea, summary, [onclick]";
  const root = document.documentElement;
  const copied = document.implementation.createHTMLDocument("").importNode(root, true);
  const originals = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
  const copies = document.createTreeWalker(copied, NodeFilter.SHOW_ELEMENT);
  const elements = [];

  const set = (copy, name, on) => (on ? copy.setAttribute(name, "") : copy.removeAttribute(name));
  const fill = (element, copy) => {
    if (element instanceof HTMLInputElement) {
      if (["checkbox", "radio"].includes(element.type)) set(copy, "checked", element.checked);
      else if (element.type === "password") copy.setAttribute("value", element.value && "•".repeat(8));
      else if (element.type !== "file") copy.setAttribute("value", element.value);
    } else if (element instanceof HTMLTextAreaElement) copy.textContent = element.value;
    else if (element instanceof HTMLOptionElement) set(copy, "selected", element.selected);
  };
  const pointed = (element, style) =>
    style.cursor === "pointer" && getComputedStyle(element.parentElement).cursor !== "pointer";
  const actedOn = (element, style) =>
    element.matches(ACTED_ON) || ROLES.has(element.getAttribute("role")) || element.isContentEditable ||
    element.tabIndex >= 0 || pointed(element, style);

  do {
    const element = originals.currentNode, copy = copies.currentNode;
    for (const name of [NUMBER, HIDDEN]) copy.removeAttribute(name);
    fill(element, copy);
    if (!document.body?.contains(element) || element.localName === "option") continue;
    const style = getComputedStyle(element);
    const unseen = style.visibility !== "visible" && !element.firstElementChild;
    if (style.display === "none" || unseen) copy.setAttribute(HIDDEN, "");
    else if (element !== document.body && actedOn(element, style)) {
      copy.setAttribute(NUMBER, elements.length + 1);
      elements.push(element);
    }
  } while (originals.nextNode() && copies.nextNode());
  return { html: "<!doctype html>" + copied.outerHTML, elements };
}
