// A method's source with its counts: by line in the margin, by send in the text.

// Lines that are shown at first.
const MOST_LINES = 2000;

function sourceCard(method) {
  const text = data.sources[method.number];
  const own = sitesOf(method.number);
  if (text === undefined) {
    const why = leftOut.sources ? "It was left out to keep this file small; `tally annotate` shows it." : "It is not in the profile.";
    return [card("Source", h("p", { class: "soft" }, why)), sendsCard(method, own)];
  }
  const lines = linesOf(text);
  const byLine = byKey(own, (site) => site.line);
  const indent = indentOf(lines.slice(1));
  const body = h("tbody");
  const section = h("section", { class: "card" });
  const drawn = ([from, to]) => lines.slice(from, to).map((line, n) => sourceLine(method, line, from + n, byLine, indent));
  const isCounted = (index) => byLine(method.line + index).length > 0;
  let room = MOST_LINES;
  for (const { lines: [from, to], isFolded } of partsOf(lines.length, own.length > 0 ? isCounted : () => true)) {
    const end = isFolded ? from : Math.min(to, from + room);
    body.append(...drawn([from, end]));
    room -= end - from;
    if (end < to) body.append(foldedLines([end, to], isFolded ? "lines without sends" : "more lines", drawn, hasWork ? 4 : 3));
  }
  section.append(sourceHead(section, own), h("div", { class: "source", tabindex: "0", role: "region", "aria-label": "Source" },
    h("table", null, h("thead", null, h("tr", null,
      h("th", { scope: "col" }, "line"), h("th", { scope: "col" }, "sends"), h("th", { scope: "col", class: "below" }, "below"), hasWork && h("th", { scope: "col", class: "below" }, "work"), h("th", { scope: "col" }, "source"))), body)));
  return [section, sendsCard(method, own)];
}

function sourceHead(element, own) {
  const box = h("input", { type: "checkbox", checked: true, onchange: () => element.classList.toggle("without-times", !box.checked) });
  return h("div", { class: "source-tools" }, h("h2", null, "Source"),
    own.length > 0 && h("label", null, box, "counts at each send"));
}

function sourceLine(method, line, index, byLine, indent) {
  const number = method.line + index;
  const placed = byLine(number).slice().sort((a, b) => a.column - b.column);
  const sends = placed.reduce((sum, site) => sum + amount(site.sends), 0);
  const below = placed.reduce((sum, site) => sum + amount(site.total), 0);
  const work = placed.reduce((sum, site) => sum + amount(site.work), 0);
  const heat = Math.min(1, (sends + below) / Math.max(1, amount(method.total)));
  const count = h("td", { class: sends ? "count hot" : "count" }, sends ? grouped(sends) : "");
  const deep = h("td", { class: "count below" + (below ? " hot" : "") }, below ? grouped(below) : "");
  for (const cell of [count, deep]) if (heat > 0) cell.style.backgroundColor = `rgb(var(--heat) / ${(0.06 + heat * 0.4).toFixed(3)})`;
  return h("tr", { "data-line": number }, h("td", { class: "at" }, String(number)), count, deep,
    hasWork && h("td", { class: "count below" }, work ? grouped(work) : ""),
    h("td", { class: "text" }, annotated(method, index === 0 ? line : line.slice(indent), placed, index === 0 ? undefined : indent)));
}

// The first part of a selector, as it stands in the text.
const firstPart = (selector) => selector.match(/^[^:]+:/)?.[0] ?? selector;

// A line in pieces: text, and sends with their counts. Columns count characters, not code units, from the file's
// margin, which is `given` to the left of where the line begins here.
function annotated(method, line, placed, given) {
  const characters = Array.from(line);
  const shift = given ?? shiftOf(characters, placed);
  const pieces = [];
  let done = 0;
  for (const site of placed) {
    const token = Array.from(firstPart(strings[site.selector]));
    const start = site.column - 1 - shift;
    if (start < done || characters.slice(start, start + token.length).join("") !== token.join("")) continue;
    pieces.push(characters.slice(done, start).join(""), sendInText(method, site, token.join("")));
    done = start + token.length;
  }
  pieces.push(characters.slice(done).join("") || (done === 0 ? " " : ""));
  return pieces;
}

// A source begins in the middle of its first line: there, columns are this much too great.
function shiftOf(characters, placed) {
  const fits = (shift) => placed.every((site) => {
    const token = Array.from(firstPart(strings[site.selector]));
    const start = site.column - 1 - shift;
    return start >= 0 && characters.slice(start, start + token.length).join("") === token.join("");
  });
  const most = Math.min(200, ...placed.map((site) => site.column - 1));
  for (let shift = 0; shift <= most; shift++) if (fits(shift)) return shift;
  return 0;
}

function siteTitle(site) {
  const target = site.isSuper ? " to super" : "";
  return `${strings[site.selector]}${target}: ${plural(site.sends, "send")}, ${plural(site.calls, "activation")}, ${grouped(site.total)} sends below`;
}

// The method that a site leads to, if the profile leaves no doubt.
function targetOf(method, site) {
  if (amount(site.calls) === 0) return undefined;
  const selector = strings[site.selector];
  const targets = calleesOf(method.number).map((call) => call.callee).filter((callee) => callee >= 0 && methods[callee].name.endsWith(">>" + selector));
  return targets.length === 1 ? targets[0] : undefined;
}

function sendInText(method, site, token) {
  const heat = Math.min(1, (amount(site.sends) + amount(site.total)) / Math.max(1, amount(method.total)));
  const target = targetOf(method, site);
  const title = siteTitle(site);
  const element = target === undefined ? h("span", { class: "send", title }, token) : h("a", { class: "send", title, href: address("method", target) }, token);
  element.style.backgroundColor = `rgb(var(--heat) / ${(0.08 + heat * 0.42).toFixed(3)})`;
  return [element, h("span", { class: "times", title, "aria-label": plural(site.sends, "send") }, brief(site.sends))];
}

function sendsCard(method, own) {
  if (own.length === 0) {
    if (amount(method.own) === 0) return null;
    return card("Sends", h("p", { class: "soft" }, hasSites || leftOut.sitesOfMethods ? "The places of its sends were left out to keep this file small." : "Send sites were not counted in this run."));
  }
  const place = (site) => `${site.line}:${site.column}`;
  const message = (site) => {
    const target = targetOf(method, site);
    const text = strings[site.selector];
    return h("span", { class: "label" },
      target === undefined ? h("span", { class: "name", title: text }, text) : h("a", { class: "name", href: address("method", target), title: text }, text),
      h("span", { class: "where" }, `${site.isSuper ? "super, " : ""}line ${place(site)}`));
  };
  const columns = [
    { key: "message", title: "message", wide: true, value: (site) => strings[site.selector], cell: message },
    shares("sends", "sends", (site) => site.sends, method.own, () => kindOf(method.number)),
    numbers("calls", "activations", (site) => site.calls),
    numbers("total", "sends below", (site) => site.total),
    hasWork && numbers("work", "work", (site) => site.work),
  ].filter(Boolean);
  return card("Sends by place", table({ label: "Sends by place", columns, rows: own, order: { key: "sends", isUp: false }, page: 20 }).element);
}
