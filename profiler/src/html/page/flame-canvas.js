// Draws frames, the rows in view only.

const ROW = 21;

const PALETTES = {
  light: { program: [30, 84, 72], library: [212, 42, 78], rest: [40, 12, 80], ink: "#1f1c18", soft: "#6a6359", found: "#e58ad6", mark: "#1f1c18" },
  dark: { program: [29, 62, 34], library: [213, 33, 33], rest: [220, 4, 30], ink: "#f3f0ea", soft: "#a9a399", found: "#9c2f8a", mark: "#ffffff" },
};

// A number in 0 ..< 1 that a text always has.
function fraction(text) {
  let hash = 2166136261;
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 16777619);
  return (hash >>> 8) / 2 ** 24;
}

// A class has a shade of its own, so that neighbours can be told apart.
function shade(palette, number, isOfBlock) {
  const [hue, saturation, lightness] = palette[kindOf(number)];
  if (number < 0) return `hsl(${hue} ${saturation}% ${lightness}%)`;
  const turn = fraction(methods[number].class) - 0.5, step = fraction(methods[number].name) - 0.5;
  return `hsl(${hue + turn * 22} ${saturation}% ${lightness + step * 7 + (isOfBlock ? 4 : 0)}%)`;
}

function makePainter(canvas) {
  const context = canvas.getContext("2d");
  const widths = new Map();
  let colours = new Map(), coloursOf;

  function colour(node) {
    const now = theme();
    if (coloursOf !== now) [colours, coloursOf] = [new Map(), now];
    const number = tree.method[node], key = number * 2 + (isBlock(node) ? 1 : 0);
    if (!colours.has(key)) colours.set(key, shade(PALETTES[now], number, isBlock(node)));
    return colours.get(key);
  }

  function widthOf(text) {
    if (!widths.has(text)) widths.set(text, context.measureText(text).width);
    return widths.get(text);
  }

  function shortened(text, room) {
    const whole = widthOf(text);
    if (whole <= room) return text;
    let length = Math.floor(text.length * room / whole);
    while (length > 1 && context.measureText(text.slice(0, length) + "…").width > room) length -= 1;
    return length > 1 ? text.slice(0, length) + "…" : "";
  }

  function drawFrame(frame, y, { zoom, isFound, selected, hovered }) {
    const palette = PALETTES[theme()];
    const { node, left, width } = frame;
    const isAbove = node !== zoom && zoom < tree.end[node] && zoom > node;
    const found = isFound?.(node);
    context.globalAlpha = isAbove ? 0.45 : isFound && !found ? 0.4 : 1;
    context.fillStyle = found ? palette.found : colour(node);
    context.fillRect(left, y, width > 3 ? width - 1 : width, ROW - 1);
    if (node === hovered || node === selected) {
      context.globalAlpha = 1;
      context.strokeStyle = palette.mark;
      context.lineWidth = node === selected ? 2 : 1;
      context.strokeRect(left + 1, y + 1, Math.max(1, width - 3), ROW - 3);
    }
    if (width < 30) return;
    context.globalAlpha = isAbove ? 0.75 : isFound && !found ? 0.65 : 1;
    context.fillStyle = palette.ink;
    context.fillText(shortened(contextName(node), width - 11), left + 5, y + ROW / 2);
  }

  // Draws the rows from `top` on, as far as they are seen.
  return function paint({ rows, width, height, top, isIcicle, ...marks }) {
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
    const first = Math.floor(top / ROW), last = Math.ceil((top + height) / ROW);
    for (let place = Math.max(0, first); place < Math.min(last, rows.length); place++) {
      const row = rows[isIcicle ? place : rows.length - 1 - place];
      for (const frame of row) drawFrame(frame, place * ROW - top, marks);
    }
    context.globalAlpha = 1;
  };
}
