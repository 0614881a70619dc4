// Draws a graph with the layout of Graphviz: boxes in the colours of their classes, the critical path in bold.

import {legend} from './bars.js';
import {CLASSES} from './classes.js';
import {el, svg} from './dom.js';

const LABEL_LINE = 13; // distance between the lines of a label
const GRAPH_MARGIN = 4;
const DASHES = {meeting: '2 3', turn: '6 4'};

/** Returns "M x y C x y x y x y", an SVG path of consecutive Bezier curves. */
export function graphCurve(points) {
  const [first, ...rest] = points.map(([x, y]) => `${x} ${y}`);
  return `M${first}C${rest.join(' ')}`;
}

function graphArrow(points) {
  const [[fromX, fromY], [x, y]] = points.slice(-2);
  const length = Math.max(Math.hypot(x - fromX, y - fromY), 1e-6);
  const [alongX, alongY] = [(x - fromX) / length, (y - fromY) / length];
  return `M${x + 8 * alongX} ${y + 8 * alongY}L${x - 3 * alongY} ${y + 3 * alongX}L${x + 3 * alongY} ${y - 3 * alongX}Z`;
}

function graphEdge({points, link, critical}) {
  if (points.length < 2) return null;
  const style = critical ? 'edge critical' : 'edge';
  return [svg('path', {class: style, d: graphCurve(points), 'stroke-dasharray': DASHES[link]}),
    link === 'meeting' ? null : svg('path', {class: critical ? 'head critical' : 'head', d: graphArrow(points)})];
}

function graphNode({name, lines, part, critical, x, y, width, height}) {
  const first = y + 4 - LABEL_LINE * (lines.length - 1) / 2;
  return svg('g', {class: critical ? 'node critical' : 'node'}, svg('title', {}, name),
    svg('rect', {x: x - width / 2, y: y - height / 2, width, height, style: {fill: CLASSES[part].color}}),
    lines.map((line, i) => svg('text', {x, y: first + LABEL_LINE * i, 'text-anchor': 'middle', style: {fill: CLASSES[part].ink}}, line)));
}

/** `layout`: {width, height, nodes, edges} in pixels; for null, nothing is drawn. */
export function graphDrawing(layout) {
  if (layout === null) return null;
  const box = [-GRAPH_MARGIN, -GRAPH_MARGIN, layout.width + 2 * GRAPH_MARGIN, layout.height + 2 * GRAPH_MARGIN];
  const behind = layout.edges.filter((each) => !each.critical);
  const before = layout.edges.filter((each) => each.critical);
  const words = `graph of ${layout.nodes.length} nodes and ${layout.edges.length} edges; the table below lists the nodes`;
  const drawing = svg('svg', {viewBox: box.join(' '), width: box[2], height: box[3], role: 'img', 'aria-label': words, class: 'graph'},
    behind.map(graphEdge), before.map(graphEdge), layout.nodes.map(graphNode));
  const present = [...new Set(layout.nodes.map((each) => each.part))];
  return [legend(present), before.length > 0 ? el('p', {}, 'Bold: the critical path. Dotted: parts of one collective. Dashed: order on a thread or stream.') : null,
    el('div.scroll.drawing', {tabindex: 0, role: 'group', 'aria-label': 'graph, scrolls'}, drawing)];
}
