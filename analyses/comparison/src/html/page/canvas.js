// Draws frames, the rows in view only. Red is more, blue is fewer: pale for what a context causes in all, strong at its right end
// for its own sends. What is gone has a dashed edge and "−" before its name, what is new "+"; hatched is what sends as
// much as before, by parts that changed against each other.

const ROW = 22;

const PALETTES = {
  light: { more: [6, 74, 58], fewer: [212, 66, 55], plain: "#e4dfd6", paper: "#fff", ink: "#1f1c18", edge: "#7d766b", mark: "#1f1c18", hatch: "#b0a799", pale: [92, 70], found: "#b3179b" },
  dark: { more: [8, 62, 52], fewer: [212, 56, 54], plain: "#383b41", paper: "#1c1e22", ink: "#f3f0ea", edge: "#a9a399", mark: "#fff", hatch: "#62666f", pale: [25, 38], found: "#f07bdc" },
};

// How much of a whole differs, from 0 to 1, so that little is seen too.
function strength(difference, whole) {
  return difference === 0 || whole <= 0 ? 0 : 0.25 + 0.75 * Math.sqrt(Math.min(1, Math.abs(difference) / whole));
}

function paleColour(palette, node) {
  const difference = tree.total[1][node] - tree.total[0][node];
  if (difference === 0) return palette.plain;
  const [hue, saturation] = difference > 0 ? palette.more : palette.fewer;
  const part = strength(difference, tree.either[node]);
  const [from, to] = palette.pale;
  return `hsl(${hue} ${saturation * (0.35 + 0.65 * part)}% ${from + (to - from) * part}%)`;
}

function selfColour(palette, node) {
  const difference = tree.own[1][node] - tree.own[0][node];
  if (difference === 0) return undefined;
  const [hue, saturation, lightness] = difference > 0 ? palette.more : palette.fewer;
  return `hsl(${hue} ${saturation}% ${lightness}%)`;
}

function makePainter(canvas) {
  const context = canvas.getContext("2d");

  function shortened(text, room) {
    if (context.measureText(text).width <= room) return text;
    let length = Math.floor(text.length * room / context.measureText(text).width);
    while (length > 1 && context.measureText(text.slice(0, length) + "…").width > room) length -= 1;
    return length > 1 ? text.slice(0, length) + "…" : "";
  }

  function hatch(left, y, width, colour) {
    context.save();
    context.beginPath();
    context.rect(left, y, width, ROW - 1);
    context.clip();
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.beginPath();
    for (let x = left - ROW; x < left + width; x += 7) {
      context.moveTo(x, y + ROW);
      context.lineTo(x + ROW, y);
    }
    context.stroke();
    context.restore();
  }

  function drawFrame({ node, left, width, self }, y, { zoom, selected, hovered, isFound }) {
    const palette = PALETTES[theme()];
    const isAbove = node !== zoom && zoom < tree.end[node] && zoom > node;
    const wide = width > 3 ? width - 1 : width;
    context.globalAlpha = isAbove ? 0.5 : isFound && !isFound(node) ? 0.35 : 1;
    context.fillStyle = paleColour(palette, node);
    context.fillRect(left, y, wide, ROW - 1);
    if (tree.total[0][node] === tree.total[1][node] && tree.changed[node] > 0) hatch(left, y, wide, palette.hatch);
    const own = selfColour(palette, node);
    if (own) {
      const part = Math.min(wide, Math.max(self, Math.min(3, wide)));
      context.fillStyle = own;
      context.fillRect(left + wide - part, y, part, ROW - 1);
    }
    const side = sideOf(node);
    if (side === "gone" && width > 4) {
      context.setLineDash([3, 2]);
      context.strokeStyle = palette.edge;
      context.lineWidth = 1;
      context.strokeRect(left + 0.5, y + 0.5, wide - 1, ROW - 2);
      context.setLineDash([]);
    }
    if (node === hovered || node === selected) {
      context.globalAlpha = 1;
      context.strokeStyle = palette.mark;
      context.lineWidth = node === selected ? 2 : 1;
      context.strokeRect(left + 1, y + 1, Math.max(1, wide - 2), ROW - 3);
    }
    if (width < 30) return;
    const sign = side === "gone" ? "− " : side === "new" ? "+ " : "";
    context.fillStyle = palette.ink;
    context.fillText(shortened(sign + contextName(node), width - 11), left + 5, y + ROW / 2);
  }

  // Draws the rows from `top` on, as far as they are seen, the root's at the bottom.
  return function paint({ rows, width, height, top, ...marks }) {
    const scale = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.style.width = width + "px";
      canvas.style.height = height + "px";
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif";
    context.textBaseline = "middle";
    const first = Math.max(0, Math.floor(top / ROW)), last = Math.min(rows.length, Math.ceil((top + height) / ROW));
    for (let place = first; place < last; place++) {
      for (const frame of rows[rows.length - 1 - place]) drawFrame(frame, place * ROW - top, marks);
    }
    context.globalAlpha = 1;
  };
}
