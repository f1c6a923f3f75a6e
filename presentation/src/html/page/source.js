// Sources as rows of a table: their lines, and which of them are folded.

// Lines without counts that are folded at least, and that stay beside lines with counts.
const FOLDED = 12, MARGIN = 3;

const linesOf = (text) => text.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n");

// Parts of a source that are shown, and long ones without counts, which are folded. Neighbours of counts are shown.
function partsOf(length, isCounted) {
  const parts = [];
  let last = -1;
  for (let index = 0; index <= length; index++) {
    if (index < length && !isCounted(index)) continue;
    const from = last < 0 ? 0 : Math.min(index, last + 1 + MARGIN), to = Math.max(from, index - MARGIN);
    const isLong = to - from >= FOLDED;
    if (last >= 0 || !isLong) parts.push({ lines: [last < 0 ? 0 : last, isLong ? from : index] });
    if (isLong) parts.push({ lines: [from, to], isFolded: true });
    if (isLong && to < index) parts.push({ lines: [to, index] });
    last = index;
  }
  return parts.filter(({ lines: [from, to] }) => from < to);
}

// One row in place of folded ones, with a button that shows them; `columns` stand before the text.
function foldedLines([from, to], what, drawn, columns = 3) {
  const open = (event) => event.target.closest("tr").replaceWith(...drawn([from, to]));
  return h("tr", { class: "folded" }, h("td", { colspan: columns }), h("td", { class: "text" },
    h("button", { type: "button", class: "quiet", onclick: open }, `… ${grouped(to - from)} ${what} …`)));
}

// How many blanks all lines begin with. A method's source starts at its name, its other lines as they stand in the class.
function indentOf(lines) {
  const blanks = lines.filter((line) => line.trim() !== "").map((line) => line.match(/^\s*/)[0].length);
  return blanks.reduce((least, blank) => Math.min(least, blank), blanks[0] ?? 0);
}
