// Where frames stand: which are wide enough to be seen, their rows and places. Nothing is drawn here.

const NARROWEST = 0.4;

// The frames of a picture of this width whose full width is `zoom`: rows of { node, left, width, self }, the root's first; `self`
// is how much of a frame, at its right end, are the context's own sends.
function layout(zoom, by, width) {
  const sums = WIDTHS[by];
  const whole = sums[zoom];
  const rows = pathTo(zoom).map((node) => [{ node, left: 0, width, self: node === zoom ? selfWidth(node, by, whole, width) : 0 }]);
  if (whole <= 0) return rows;
  const next = [];
  next[tree.depth[zoom] + 1] = 0;
  let node = zoom + 1;
  while (node < tree.end[zoom]) {
    const row = tree.depth[node];
    const left = next[row], wide = sums[node] / whole * width;
    next[row] = left + wide;
    if (wide < NARROWEST) {
      node = tree.end[node];
      continue;
    }
    next[row + 1] = left;
    (rows[row] ??= []).push({ node, left, width: wide, self: selfWidth(node, by, whole, width) });
    node += 1;
  }
  return rows;
}

function selfWidth(node, by, whole, width) {
  const [before, after] = [tree.own[0][node], tree.own[1][node]];
  const own = by === "both" ? Math.max(before, after) : by === "before" ? before : after;
  return whole <= 0 ? 0 : own / whole * width;
}

// The frame of a row at a place, or undefined.
function frameAt(row, x) {
  return row?.find(({ left, width }) => x >= left && x < left + width);
}
