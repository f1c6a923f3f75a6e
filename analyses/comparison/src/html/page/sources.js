// The sources of both sides as a difference of lines, each line with its sends before and after.

// Pairs of lines that are compared at most; what is longer is shown as gone and new.
const MOST_PAIRS = 4e6;

// The rows of a difference: { before, after }, indices of lines; a line of one side has no other index. Equal beginnings
// and ends are taken off, and of the rest a longest common subsequence stays.
function alignedLines(old, now) {
  let start = 0, ends = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  while (ends < old.length - start && ends < now.length - start && old[old.length - 1 - ends] === now[now.length - 1 - ends]) ends += 1;
  const rows = Array.from({ length: start }, (_, n) => ({ before: n, after: n }));
  rows.push(...alignedMiddle(old.slice(start, old.length - ends), now.slice(start, now.length - ends))
    .map(({ before, after }) => ({ before: before === undefined ? undefined : before + start, after: after === undefined ? undefined : after + start })));
  for (let n = ends; n > 0; n--) rows.push({ before: old.length - n, after: now.length - n });
  return rows;
}

function alignedMiddle(old, now) {
  const gone = (from) => old.slice(from).map((_, n) => ({ before: from + n }));
  const fresh = (from) => now.slice(from).map((_, n) => ({ after: from + n }));
  if (old.length * now.length > MOST_PAIRS) return [...gone(0), ...fresh(0)];
  // By the lines from which two rests begin: the length of what they have in common.
  const wide = now.length + 1, common = new Uint32Array((old.length + 1) * wide);
  for (let b = old.length - 1; b >= 0; b--) {
    for (let a = now.length - 1; a >= 0; a--) {
      common[b * wide + a] = old[b] === now[a] ? common[(b + 1) * wide + a + 1] + 1 : Math.max(common[(b + 1) * wide + a], common[b * wide + a + 1]);
    }
  }
  const rows = [];
  let b = 0, a = 0;
  while (b < old.length && a < now.length) {
    if (old[b] === now[a]) rows.push({ before: b++, after: a++ });
    else if (common[(b + 1) * wide + a] >= common[b * wide + a + 1]) rows.push({ before: b++ });
    else rows.push({ after: a++ });
  }
  return [...rows, ...gone(b), ...fresh(a)];
}

// Lines without the blanks that all but the first begin with; the first one begins at the method's name.
function trimmedLines(text) {
  const lines = linesOf(text), indent = indentOf(lines.slice(1));
  return lines.map((line, index) => (index === 0 ? line : line.slice(indent)));
}

// A side of a method, ready to be shown: its lines, and the sends of each, if these are known.
function shownSide(side) {
  return side && { ...side, rows: side.text === undefined ? [] : trimmedLines(side.text), sends: side.lines && new Map(side.lines) };
}

function sendsCell(side, index, kind) {
  if (index === undefined) return h("td", { class: "count" });
  if (!side.sends) return h("td", { class: "count", title: "not known" }, "?");
  const sends = side.sends.get(index);
  return h("td", { class: "count" + (sends === undefined ? "" : " hot") + kind }, sends === undefined ? "" : grouped(sends));
}

function sourceRow([old, now], { before, after }) {
  const kind = before === undefined ? "new" : after === undefined ? "gone" : "same";
  const sends = (side, index) => BigInt(side?.sends?.get(index) ?? 0);
  const difference = kind === "same" && old.sends && now.sends ? sends(now, after) - sends(old, before) : 0n;
  const mark = difference === 0n ? "" : " " + direction(difference);
  const number = (side, index) => h("td", { class: "at" }, index === undefined ? "" : String(side.line + index));
  return h("tr", { class: kind }, number(old, before), number(now, after), sendsCell(old, before, ""), sendsCell(now, after, mark),
    h("td", { class: "sign" }, { new: "+", gone: "−", same: "" }[kind]),
    h("td", { class: "text" }, (kind === "gone" ? old.rows[before] : now.rows[after]) || " "));
}

// What the page cannot show of a method.
function missingOf(pair, own) {
  return [oldSide, newSide].map((name, n) => {
    const side = pair[n];
    if (!side) return null;
    if (side.text === undefined) return `The measurement of ${name} holds no source of it; it has ${plural(own[n], "own send")} there.`;
    if (side.sends) return null;
    return `The sends of single lines are not known in ${name}, only their sum, ${grouped(own[n])}: send sites were not counted, or the method also ran outside of what is compared.`;
  }).filter(Boolean);
}

function sourceTable(row) {
  const pair = row.sides.map(shownSide);
  const rows = alignedLines(pair[0]?.rows ?? [], pair[1]?.rows ?? []);
  const isNoted = ({ before, after }) => before === undefined || after === undefined || pair[0].sends?.has(before) || pair[1].sends?.has(after);
  const drawn = ([from, to]) => rows.slice(from, to).map((one) => sourceRow(pair, one));
  const body = h("tbody");
  for (const { lines, isFolded } of partsOf(rows.length, (n) => isNoted(rows[n]))) {
    body.append(...(isFolded ? [foldedLines(lines, "lines as before, without sends", drawn, 5)] : drawn(lines)));
  }
  const head = (text, look) => h("th", { scope: "col", class: look }, text);
  const places = [...new Set(pair.filter(Boolean).map((side) => `${side.file}:${side.line}`))];
  return [
    h("p", { class: "hint" }, places.join(" → ")),
    missingOf(pair, row.own).map((text) => h("p", { class: "hint" }, text)),
    h("div", { class: "source both", tabindex: "0", role: "region", "aria-label": `Source of ${row.name}` }, h("table", null,
      h("thead", null, h("tr", null, head("line before", "at"), head("line now", "at"), head("sends before"), head("sends now"), head("", "sign"), head("source", "text"))), body)),
  ];
}

function sourceDetails(row, isOpen) {
  const difference = minus(row.own);
  const details = h("details", { "data-method": row.name }, h("summary", null,
    h("span", { class: "name" }, row.name), fateBadge(row.fate), row.oldName && h("span", { class: "where" }, "was " + row.oldName),
    h("span", { class: "delta " + direction(difference) }, difference === 0n ? "as many own sends" : `${signed(difference)} own sends`)));
  // A source is drawn once it is looked at.
  const draw = () => { if (details.open && details.children.length === 1) details.append(...sourceTable(row).flat()); };
  details.addEventListener("toggle", draw);
  details.open = isOpen;
  if (isOpen) draw();
  return details;
}

// Sources that are open at first, and that are listed at a time.
const OPENED = 3, LISTED = 20;

function sourcesCard() {
  const rows = data.sources;
  if (rows.length === 0) return { element: null, has: () => false, find: () => {} };
  const state = { kind: rows.some((row) => row.fate) ? "edited" : "all", q: "", shown: LISTED };
  const list = h("div", { class: "sources openable" });
  const pager = h("div", { class: "pager" });
  const counted = h("p", { class: "hint counted", role: "status" });
  const kinds = choice("Which sources", [["edited", "Edited"], ["all", "All that differ"]], state.kind, (kind) => change({ kind }));
  const field = searchField("Filter sources by name", "", (q) => change({ q }));

  function change(changes) {
    Object.assign(state, { shown: LISTED }, changes);
    press(kinds, state.kind);
    const wanted = state.q.toLowerCase();
    const fits = (row) => (state.kind === "all" || row.fate) && [row.name, row.oldName ?? ""].some((name) => name.toLowerCase().includes(wanted));
    const found = rows.filter(fits);
    const missing = data.leftOut.sources > 0 ? ` ${grouped(data.leftOut.sources)} with smaller differences are not in this file.` : "";
    counted.textContent = `${plural(found.length, "method")} with another text or another number of own sends. A count is the sends from its line, over the runs that both sides have; a line without one sends nothing.${missing}`;
    list.replaceChildren(...found.slice(0, state.shown).map((row, n) => sourceDetails(row, n < OPENED && state.shown === LISTED)));
    pager.replaceChildren(...(found.length <= state.shown ? [] : [
      h("button", { type: "button", class: "button", onclick: () => change({ shown: state.shown + 5 * LISTED }) }, "Show more"),
      h("span", null, `${grouped(state.shown)} of ${grouped(found.length)}`)]));
  }

  change({});
  const names = new Set(rows.map((row) => row.name));
  const element = h("section", { class: "card", id: "sources" }, h("h2", null, "Sources of both sides"),
    h("div", { class: "tools" }, kinds, field), counted, list, pager);
  const find = (q) => {
    field.value = q;
    change({ kind: "all", q });
    element.scrollIntoView();
  };
  return { element, has: (name) => names.has(name), find };
}

const sources = sourcesCard();
