// The views by their addresses, and the start.

const VIEWS = {
  "": summaryView,
  methods: rankingView,
  flame: flameView,
  classes: blueprintView,
  method: methodView,
  allocations: allocationsView,
};

// Views of what a profile of another tool does not know have no link.
const LINKS = [
  ["", "Summary"], ["methods", "Ranking"], (isTally || hasTree) && ["flame", "Flame graph"],
  ["classes", capitalized(words.classes)], isTally && ["allocations", "Allocations"],
].filter(Boolean);

// Views without a link of their own, and the views whose links stand for them.
const PARENTS = { method: "methods" };

const pageTitle = (view) => `${view.title} · ${runName()} · Tally profile`;

startViews();
