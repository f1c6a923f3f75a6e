// What the page knows of the two sides, and the tree that both make together.
//
// A context's width counts what it sends now and what it does not send any more: the greater of its own sends before and
// after, summed up over all that is below it. So frames that are gone keep their place, and no frame is wider than what
// stands on it and itself.

const data = JSON.parse(document.getElementById("profile").textContent);
const [oldSide, newSide] = data.sides;
const RUN = -1, OTHER = -2, SMALLER = -3;

// After minus before, exact however large the counts are.
const minus = ([before, after]) => BigInt(after) - BigInt(before);

function signed(difference) {
  if (difference === 0n) return "=";
  return (difference > 0n ? "+" : "−") + grouped(difference < 0n ? -difference : difference);
}

// The difference in percent of what was before, with one decimal.
function percent([before, after]) {
  if (amount(before) === 0) return amount(after) === 0 ? "" : "new";
  const tenths = Math.round((amount(after) - amount(before)) / amount(before) * 1000) / 10;
  return (tenths > 0 ? "+" : tenths < 0 ? "−" : "") + Math.abs(tenths).toFixed(1) + "%";
}

const direction = (difference) => (difference > 0n ? "more" : difference < 0n ? "fewer" : "even");

const tree = (() => {
  const { up, name, block, calls, own } = data.contexts;
  const length = up.length;
  const of = (column) => Float64Array.from(column, amount);
  const made = {
    length, name, block, calls, own: own.map(of), up,
    depth: new Uint32Array(length), parent: new Int32Array(length).fill(-1), end: new Uint32Array(length),
    total: [new Float64Array(length), new Float64Array(length)], either: new Float64Array(length), changed: new Float64Array(length),
  };
  const path = [];
  for (let node = 0; node < length; node++) {
    const depth = path.length - up[node];
    path.length = depth;
    made.depth[node] = depth;
    made.parent[node] = depth > 0 ? path[depth - 1] : -1;
    path.push(node);
  }
  for (let node = length - 1; node >= 0; node--) {
    const [before, after] = [made.own[0][node], made.own[1][node]];
    made.end[node] = Math.max(made.end[node], node + 1);
    made.total[0][node] += before;
    made.total[1][node] += after;
    made.either[node] += Math.max(before, after);
    made.changed[node] += Math.abs(after - before);
    const above = made.parent[node];
    if (above < 0) continue;
    made.end[above] = Math.max(made.end[above], made.end[node]);
    made.total[0][above] += made.total[0][node];
    made.total[1][above] += made.total[1][node];
    made.either[above] += made.either[node];
    made.changed[above] += made.changed[node];
  }
  return made;
})();

// What frames can be as wide as.
const WIDTHS = { both: tree.either, before: tree.total[0], after: tree.total[1] };

const nameOf = (node) => data.names[tree.name[node]];

// Whether a context was not there before, or is not there any more.
function sideOf(node) {
  if (tree.name[node] < 0) return "both";
  if (amount(tree.calls[0][node]) + tree.total[0][node] === 0) return "new";
  if (amount(tree.calls[1][node]) + tree.total[1][node] === 0) return "gone";
  return "both";
}

function contextName(node) {
  const number = tree.name[node];
  if (number === RUN) return data.runs.length > 1 ? `all ${grouped(data.runs.length)} runs` : "run";
  if (number === OTHER) return "(no room in the tree)";
  if (number === SMALLER) return `… (${grouped(tree.block[node])} smaller)`;
  const name = nameOf(node).name;
  return amount(tree.block[node]) > 0 ? `[] in ${name}` : name;
}

const FATES = { edited: "bad", added: "bad", removed: "bad", renamed: "plain", moved: "plain", "text only": "plain" };

function fateBadge(fate) {
  return fate ? h("span", { class: "badge fate " + (FATES[fate] ?? "plain") }, fate) : null;
}
