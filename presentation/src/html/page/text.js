// Numbers and names as people read them. Counts beyond what a number holds exactly come as strings of digits;
// they are shown as they are, and rounded only where they are compared or drawn.

const amount = (count) => Number(count ?? 0);

function grouped(count) {
  return String(count ?? 0).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

// In a few characters, for where there is no room: 21.9k.
function brief(count) {
  let rest = amount(count);
  for (const unit of ["", "k", "M", "G", "T", "P", "E"]) {
    if (rest < 999.5 || unit === "E") {
      return (unit === "" || rest >= 99.95 ? String(Math.round(rest)) : rest.toFixed(1)) + unit;
    }
    rest /= 1000;
  }
  return "";
}

function share(part, whole) {
  const all = amount(whole);
  return all === 0 ? "–" : (Math.round(amount(part) / all * 1000) / 10).toFixed(1) + "%";
}

const plural = (count, one, many = one + "s") => `${grouped(count)} ${amount(count) === 1 ? one : many}`;

const compareTexts = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
