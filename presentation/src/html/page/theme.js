// Light or dark: what was chosen, else what the system prefers.

const theme = () => document.documentElement.dataset.theme;

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  const button = document.getElementById("theme");
  button.textContent = name === "dark" ? "☀ Light" : "☾ Dark";
  button.setAttribute("aria-label", `Use the ${name === "dark" ? "light" : "dark"} theme`);
  document.dispatchEvent(new Event("themechange"));
}

// What was chosen before, in browsers that remember anything for files.
const memory = {
  get: () => { try { return localStorage.getItem("tally-theme"); } catch { return null; } },
  set: (name) => { try { localStorage.setItem("tally-theme", name); } catch { /* not remembered */ } },
};

function startTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const preferred = () => (["light", "dark"].includes(memory.get()) ? memory.get() : system.matches ? "dark" : "light");
  setTheme(preferred());
  system.addEventListener("change", () => setTheme(preferred()));
  document.getElementById("theme").addEventListener("click", () => {
    const name = theme() === "dark" ? "light" : "dark";
    memory.set(name);
    setTheme(name);
  });
}
