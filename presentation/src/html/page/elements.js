// Elements are made one by one and texts are set as texts: nothing of a profile is ever parsed as markup.

function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// The same for an element of a drawing. The page's own drawing knows the namespace.
function s(tag, attributes, ...children) {
  const element = document.createElementNS(document.querySelector(".marks").namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes ?? {})) element.setAttribute(name, value);
  element.append(...children.flat(2));
  return element;
}

// The address of a view: `#/method/12?q=text`.
function address(view, argument, options) {
  const given = Object.entries(options ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const query = new URLSearchParams(given).toString();
  return "#/" + view + (argument === undefined ? "" : "/" + encodeURIComponent(argument)) + (query ? "?" + query : "");
}

function card(title, ...content) {
  return h("section", { class: "card" }, h("h2", null, title), content);
}

const hint = (text) => h("p", { class: "hint" }, text);

function tile(label, value, extra) {
  const shown = value === undefined ? h("dd", { class: "none" }, "not counted") : h("dd", null, grouped(value));
  return h("div", null, h("dt", null, label, extra && ` · ${extra}`), shown);
}

function bar(part, whole, kind) {
  const fill = h("i", { class: kind });
  fill.style.width = amount(whole) === 0 ? "0" : Math.min(100, amount(part) / amount(whole) * 100) + "%";
  if (amount(part) === 0) fill.style.minWidth = "0";
  return h("span", { class: "bar", "aria-hidden": "true" }, fill);
}

// A count with its share of a whole.
function shared(part, whole, kind) {
  return [grouped(part), h("span", { class: "share" }, share(part, whole)), bar(part, whole, kind)];
}

const dot = (kind) => h("i", { class: "dot " + kind, title: kind === "rest" ? null : kind });

function choice(label, options, chosen, choose) {
  const button = ([value, text, disabled]) => h("button", {
    type: "button", "aria-pressed": String(value === chosen), disabled: disabled ?? false, "data-value": value,
    onclick: () => choose(value),
  }, text);
  return h("div", { class: "choice", role: "group", "aria-label": label }, options.map(button));
}

function press(group, chosen) {
  for (const button of group.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.value === chosen));
}

// The key that leads to the search field from anywhere outside of one.
const SEARCH_KEY = "/";

document.addEventListener("keydown", (event) => {
  if (event.key !== SEARCH_KEY || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.("input, textarea, select")) return;
  // Of several, the one that is seen, or else comes next.
  const fields = [...document.querySelectorAll("main .search")];
  const field = fields.find((one) => one.getBoundingClientRect().bottom > 0) ?? fields[0];
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
});

// An input that reports what was typed once typing pauses.
function searchField(label, value, tell) {
  let pending;
  const field = h("input", { class: "search", type: "search", "aria-label": label, placeholder: `${label}  (${SEARCH_KEY})`, autocomplete: "off", spellcheck: "false" });
  field.value = value;
  field.addEventListener("input", () => {
    clearTimeout(pending);
    pending = setTimeout(() => tell(field.value.trim()), 120);
  });
  return field;
}

function announce(text) {
  document.getElementById("status").textContent = text;
}
