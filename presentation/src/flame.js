// Zoom and search in a flame graph that is a file of its own. A frame says where it is by its depth, and by where it begins and how
// wide it is in counts. Its name is its title up to the last colon, and is only ever set as text.
(() => {
  "use strict";
  const svg = document.currentScript?.closest("svg") ?? document.documentElement;
  const { margin, width, character } = Object.fromEntries(Object.entries(svg.dataset).map(([name, value]) => [name, Number(value)]));
  const frames = [...svg.querySelectorAll(".frame")].map((group) => {
    const [depth, start, weight] = group.dataset.at.split(" ").map(Number);
    const title = group.querySelector("title").textContent;
    const parts = { rect: group.querySelector("rect"), text: group.querySelector("text") };
    return { group, depth, start, weight, end: start + weight, ...parts, name: title.slice(0, title.lastIndexOf(": ")) };
  });
  if (frames.length === 0) return;
  const say = (id, words) => { svg.getElementById(id).textContent = words; };
  const share = (part) => (part / Math.max(1, frames[0].weight) * 100).toFixed(1) + "%";
  let zoomed = frames[0];

  function label(frame, wide) {
    const room = Math.floor((wide - 8) / character);
    const letters = Array.from(frame.name);
    const shown = room < 3 ? "" : letters.length <= room ? frame.name : letters.slice(0, room - 1).join("") + "…";
    if (!frame.text && shown) {
      frame.text = frame.group.appendChild(document.createElementNS(svg.namespaceURI, "text"));
      frame.text.setAttribute("y", Number(frame.rect.getAttribute("y")) + 12);
    }
    if (frame.text) frame.text.textContent = shown;
  }

  // Frames above the zoomed one are as wide as the picture; frames beside it are not shown.
  function zoom(to) {
    zoomed = to;
    for (const frame of frames) {
      const isAbove = frame.depth < to.depth && frame.start <= to.start && frame.end >= to.end;
      const isInside = frame === to || (frame.depth > to.depth && frame.start >= to.start && frame.end <= to.end);
      const left = isAbove ? 0 : (frame.start - to.start) / Math.max(1, to.weight) * width;
      const wide = isAbove ? width : frame.weight / Math.max(1, to.weight) * width;
      const isShown = isAbove || frame === to || (isInside && wide >= 0.5);
      frame.group.style.display = isShown ? "inline" : "none";
      frame.group.classList.toggle("above", isAbove);
      if (!isShown) continue;
      frame.rect.setAttribute("x", (margin + left).toFixed(2));
      frame.rect.setAttribute("width", (wide > 2 ? wide - 0.5 : wide).toFixed(2));
      label(frame, wide);
      frame.text?.setAttribute("x", (margin + left + 4).toFixed(2));
    }
    say("zoomed", to === frames[0] ? "" : "Zoom out");
  }

  function find(text) {
    const wanted = text.trim().toLowerCase();
    let count = 0, sum = 0, covered = -1;
    for (const frame of frames) {
      const isFound = wanted !== "" && frame.name.toLowerCase().includes(wanted);
      frame.group.classList.toggle("found", isFound);
      if (!isFound) continue;
      count += 1;
      // A frame on a found one is part of its sum.
      if (frame.start < covered) continue;
      sum += frame.weight;
      covered = frame.end;
    }
    say("found", wanted === "" ? "" : count === 0 ? "nothing found" : `${count.toLocaleString("en")} found: ${share(sum)}`);
  }

  const field = document.createElementNS("http://www.w3.org/1999/xhtml", "input");
  for (const [name, value] of Object.entries({ type: "search", placeholder: "Find methods  (/)", "aria-label": "Find methods", autocomplete: "off" })) field.setAttribute(name, value);
  field.addEventListener("input", () => find(field.value));
  svg.getElementById("search").append(field);
  const frameOf = (event) => frames.find(({ group }) => group === event.target.closest?.(".frame"));
  svg.addEventListener("click", (event) => {
    if (event.target.id === "zoomed") return zoom(frames[0]);
    const frame = frameOf(event);
    return frame && frame.weight > 0 && zoom(frame);
  });
  svg.ownerDocument.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target !== field) zoom(frames[0]);
    if (event.key !== "/" || event.target === field || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
})();
