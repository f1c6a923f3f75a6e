// Where frames stand: which contexts are wide enough to be seen, their rows and places. Nothing is drawn here.

const NARROWEST = 0.4;

// What frames are as wide as.
const MEASURES = {
  sends: { sums: tree.sends, starts: tree.startSends, own: tree.own, one: "send" },
  objects: { sums: tree.objects, starts: tree.startObjects, own: tree.ownObjects, one: "object" },
};

// The frames of a picture of this width whose full width is `zoom`: rows of { node, left, width }, the root's first.
// Contexts above the zoomed one are as wide as the picture.
function layout(zoom, by, width) {
  const { sums, starts } = MEASURES[by];
  const base = starts[zoom], whole = sums[zoom];
  const rows = pathTo(zoom).map((node) => [{ node, left: 0, width }]);
  if (whole <= 0) return rows;
  let node = zoom + 1;
  while (node < tree.end[zoom]) {
    const wide = sums[node] / whole * width;
    if (wide < NARROWEST) {
      node = tree.end[node];
      continue;
    }
    const row = tree.depth[node];
    (rows[row] ??= []).push({ node, left: (starts[node] - base) / whole * width, width: wide });
    node += 1;
  }
  return rows;
}

// The frame of a row at a place, or undefined.
function frameAt(row, x) {
  let low = 0, high = (row?.length ?? 0) - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const { left, width } = row[middle];
    if (x < left) high = middle - 1;
    else if (x >= left + width) low = middle + 1;
    else return row[middle];
  }
  return undefined;
}

// Which contexts have a text in their name; a text in quotes must be the whole name. Answers undefined for no text.
function findContexts(text) {
  if (!text) return undefined;
  const isWhole = text.length > 2 && text.startsWith('"') && text.endsWith('"');
  const wanted = (isWhole ? text.slice(1, -1) : text).toLowerCase();
  const fits = (name) => (isWhole ? name === wanted : name.includes(wanted));
  const ofMethod = methods.map((method) => fits(method.lower));
  const ofBlock = methods.map((method, number) => (isWhole ? ofMethod[number] : fits("[] in " + method.lower)));
  return (node) => {
    const method = tree.method[node];
    if (method >= 0) return isBlock(node) ? ofBlock[method] : ofMethod[method];
    return method !== SMALLER && fits(methodName(method));
  };
}

// How many contexts are found, and the sum below the outermost of them.
function matched(isFound, by) {
  const { sums } = MEASURES[by];
  let count = 0, sum = 0, covered = 0;
  for (let node = 0; node < tree.length; node++) {
    if (!isFound(node)) continue;
    count += 1;
    if (node < covered) continue;
    sum += sums[node];
    covered = tree.end[node];
  }
  return { count, sum };
}
