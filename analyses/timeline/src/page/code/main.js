// The views by their addresses, and the start.

const VIEWS = {
  "": summaryView,
  path: pathView,
  processors: processorsView,
  features: featuresView,
  waits: waitsView,
  matrix: matrixView,
};

const LINKS = [["", "Summary"], ["path", "Path"], ["processors", "Processors"], ["features", "Features"], ["waits", "Waits"], ["matrix", "Matrix"]];

const PARENTS = {};

const pageTitle = (view) => `${view.title} · ${runName()} · Tally timeline`;

readAll().then(() => {
  startViews();
  performance.mark("ready");
}, (error) => {
  startTheme();
  document.getElementById("main").append(h("p", { class: "empty" }, `This browser cannot unpack the data of this page: ${error.message}`));
});
