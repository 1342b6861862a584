// The program as a graph: what it starts from on the left, what it asks for on the right.

import { draw } from "./dom.js";

const HEIGHT = 44;
const GAP_X = 40;
const GAP_Y = 14;

export function programGraph(tree) {
  const placed = place(tree, 0, { next: 0 });
  const depth = Math.max(...placed.all.map((node) => node.depth));
  const widths = Array.from({ length: depth + 1 }, (_, level) =>
    Math.max(...placed.all.filter((node) => node.depth === level).map((node) => node.width)),
  );
  const left = (level) => widths.slice(level + 1).reduce((sum, width) => sum + width + GAP_X, 8);
  const width = left(0) + widths[0] + 8;
  const height = Math.max(...placed.all.map((node) => node.y)) + HEIGHT + 8;
  const svg = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  for (const node of placed.all) {
    const x = left(node.depth);
    for (const child of node.children) {
      const from = left(child.depth) + child.width;
      const middle = (from + x) / 2;
      const [y1, y2] = [child.y + HEIGHT / 2, node.y + HEIGHT / 2];
      svg.append(draw("path", { d: `M${from} ${y1}C${middle} ${y1} ${middle} ${y2} ${x} ${y2}` }));
    }
    svg.append(
      draw("rect", { x, y: node.y, width: node.width, height: HEIGHT, rx: 8 }),
      draw("text", { x: x + 10, y: node.y + 17, class: "what" }, node.kind),
      draw("text", { x: x + 10, y: node.y + 34 }, node.label),
    );
  }
  return svg;
}

function place(tree, depth, rows) {
  const children = tree.children.map((child) => place(child, depth + 1, rows));
  const y = children.length ? (children[0].node.y + children.at(-1).node.y) / 2 : 8 + rows.next++ * (HEIGHT + GAP_Y);
  const label = tree.label.length > 48 ? `${tree.label.slice(0, 47)}…` : tree.label;
  const width = 22 + 7.6 * Math.max(label.length, tree.kind.length * 0.85);
  const node = { kind: tree.kind, label, depth, y, width, children: children.map((child) => child.node) };
  return { node, all: [node, ...children.flatMap((child) => child.all)] };
}
