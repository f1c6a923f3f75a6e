// The texts whose contrast with what stands behind them is lower than 4.5 to 1, which WCAG requires at the level AA. Texts of
// disabled buttons are exempt there.
const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
function parsed(colour) {
  context.clearRect(0, 0, 1, 1);
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, alpha / 255];
}
const over = (front, back) => [0, 1, 2].map((part) => front[part] * front[3] + back[part] * (1 - front[3]));
const linear = (part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
const luminance = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
function withAbove(element) {
  const all = [];
  for (let above = element; above; above = above.parentElement) all.push(above);
  return all;
}
const pale = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const text = walker.currentNode.data.trim(), element = walker.currentNode.parentElement;
  if (text === "" || element.closest("script, style, svg, :disabled") || !element.checkVisibility()) continue;
  const styles = withAbove(element).map((above) => getComputedStyle(above));
  const back = styles.map((style) => parsed(style.backgroundColor)).reduceRight((below, colour) => over(colour, below), [255, 255, 255]);
  const [red, green, blue, alpha] = parsed(styles[0].color);
  const opacity = styles.reduce((product, style) => product * Number(style.opacity), alpha);
  const [less, more] = [luminance(over([red, green, blue, opacity], back)), luminance(back)].sort((a, b) => a - b);
  if ((more + 0.05) / (less + 0.05) < 4.5) pale.push(text.slice(0, 40));
}
return [...new Set(pale)].join(" | ");
