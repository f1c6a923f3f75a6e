// Addresses to views: `#/view/argument?options`. The page says what its views are:
//
//   VIEWS            functions from argument and options to { element, title }; `update`, `mounted` and `leave` if there is more
//   LINKS            names of views, and the texts of the links to them
//   PARENTS          for views without a link, the view whose link stands for them
//   pageTitle(view)  the title of the window

const scrolled = new Map();
const main = document.getElementById("main");
let shownView, shownName, isNewPlace = false;

function parsedAddress() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, argument] = path.split("/");
  const decoded = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
  return { name: Object.hasOwn(VIEWS, name) ? name : "", argument: argument === undefined ? undefined : decoded(argument), options: Object.fromEntries(new URLSearchParams(query ?? "")) };
}

// Goes to an address; in place of the one that is shown, or so that "back" comes back to it.
function go(to, replaces = false) {
  if (replaces) {
    history.replaceState(null, "", to);
    show();
  } else {
    isNewPlace = true;
    location.hash = to;
  }
}

function show() {
  const { name, argument, options } = parsedAddress();
  if (shownView?.update && shownName === name) {
    shownView.update(argument, options);
  } else {
    shownView?.leave?.();
    shownView = VIEWS[name](argument, options);
    shownName = name;
    main.replaceChildren(shownView.element);
    shownView.mounted?.();
  }
  document.title = pageTitle(shownView);
  for (const link of document.querySelectorAll("#views a")) {
    const isHere = link.dataset.view === (PARENTS[name] ?? name);
    if (isHere) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else {
      link.removeAttribute("aria-current");
    }
  }
}

function onAddress() {
  if (location.hash === "#main") return;
  const wasName = shownName, wasView = shownView;
  show();
  // A new page begins at its top; one that "back" leads to, where it was left.
  if (wasView !== shownView || wasName !== shownName) {
    window.scrollTo(0, isNewPlace ? 0 : scrolled.get(location.hash) ?? 0);
    main.querySelector("h1")?.focus({ preventScroll: true });
  }
  isNewPlace = false;
}

function startViews() {
  startTheme();
  document.getElementById("views").append(...LINKS.map(([name, text]) => h("a", { href: address(name), "data-view": name }, text)));
  history.scrollRestoration = "manual";
  document.addEventListener("click", (event) => { if (event.target.closest?.('a[href^="#/"]')) isNewPlace = true; });
  document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
  window.addEventListener("scroll", () => scrolled.set(location.hash, window.scrollY), { passive: true });
  window.addEventListener("hashchange", onAddress);
  show();
  document.documentElement.dataset.ready = "true";
}
