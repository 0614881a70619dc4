// Draws a sweep. One axis gives a line, two axes give small multiples of lines or a heat map. The range is a band, the
// captured point a line, and the knee is labelled. Charts are SVG, which can be printed and saved; with uPlot they can
// be zoomed.

import {button, el, save, svg} from './dom.js';
import {counted, duration, signedPercent, sortValue, tickStep, unitOf} from './format.js';
import {table} from './tables.js';

const MOST_LINES = 6;
const KNEE_EDGE = 4;  // pixels that the range of a knee is wider at each end, so that a single value is visible
const SIZE = {width: 760, height: 300, left: 70, right: 20, top: 16, bottom: 46};

/** Returns the axes of the points, with values in order of appearance; null unless all points have the same keys. */
export function axesOf(points) {
  const keys = Object.keys(points[0].set);
  if (!points.every((point) => Object.keys(point.set).join('\n') === keys.join('\n'))) return null;
  return keys.map((key) => ({key, values: [...new Set(points.map((point) => point.set[key]))]}));
}

/** Returns positions of values: by number if all have one, on a logarithmic scale if they grow by factors; otherwise evenly spaced. */
function placesOf(values) {
  const numbers = values.map(sortValue);
  if (numbers.some((number) => number === null)) return values.map((_, i) => i);
  const growsByFactors = numbers.every((number) => number > 0) && Math.max(...numbers) / Math.min(...numbers) >= 8;
  return growsByFactors ? numbers.map(Math.log2) : numbers;
}

/** Draws one chart. `line` is [{place, label, point}] in order of place. */
function chart(title, axis, line, baseline, most, knee) {
  const {width, height, left, right, top, bottom} = SIZE;
  const [scale, unit] = unitOf(most);
  const places = line.map((entry) => entry.place);
  const [first, last] = [Math.min(...places), Math.max(...places)];
  const x = (place) => left + (last > first ? (place - first) / (last - first) : 0.5) * (width - left - right);
  const y = (ns) => top + (1 - ns / most) * (height - top - bottom);
  const known = line.filter((entry) => entry.point.iteration_ns !== null);
  const step = tickStep(most / scale, 6) * scale;
  const ticks = Array.from({length: Math.floor(most / step) + 1}, (_, i) => i * step);
  const corners = (name) => known.map((entry) => `${x(entry.place).toFixed(1)},${y(entry.point[name]).toFixed(1)}`);
  return svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${title}: step time over ${axis.key}, with its range`, class: 'chart'},
    ticks.map((tick) => [svg('line', {class: 'grid', x1: left, x2: width - right, y1: y(tick), y2: y(tick)}),
      svg('text', {x: left - 6, y: y(tick) + 4, 'text-anchor': 'end'}, `${Number((tick / scale).toPrecision(6))}`)]),
    line.map((entry) => svg('text', {x: x(entry.place), y: height - bottom + 18, 'text-anchor': 'middle'}, entry.label)),
    svg('text', {x: (left + width - right) / 2, y: height - 6, 'text-anchor': 'middle'}, axis.key),
    svg('text', {x: 12, y: top + 4}, unit),
    knee && [svg('rect', {class: 'knee-range', x: x(knee.from) - KNEE_EDGE, width: x(knee.to) - x(knee.from) + 2 * KNEE_EDGE, y: top, height: height - top - bottom}),
      svg('line', {class: 'knee', x1: x(knee.at), x2: x(knee.at), y1: top, y2: height - bottom}),
      svg('text', {x: x(knee.at) + 5, y: height - bottom - 6}, knee.label)],
    svg('polygon', {class: 'range', points: [...corners('low_ns'), ...corners('high_ns').reverse()].join(' ')}),
    svg('line', {class: 'captured', x1: left, x2: width - right, y1: y(baseline), y2: y(baseline)}),
    svg('text', {x: width - right, y: y(baseline) - 5, 'text-anchor': 'end'}, `as captured ${duration(baseline)}`),
    svg('polyline', {class: 'line', points: corners('iteration_ns').join(' ')}),
    known.map((entry) => svg('circle', {class: 'dot', cx: x(entry.place), cy: y(entry.point.iteration_ns), r: 4},
      svg('title', {}, `${axis.key}=${entry.label}: ${duration(entry.point.iteration_ns)}, from ${duration(entry.point.low_ns)} to ${duration(entry.point.high_ns)}`))));
}

/** Returns where the knee of an axis is among the places of its values: {at, from, to, label}; null if it has none. */
export function kneeOf(knees, axis, places) {
  const knee = knees?.find((entry) => entry.key === axis.key && entry.flat !== 'everywhere');
  if (knee === undefined) return null;
  const placeOf = (value) => places[axis.values.indexOf(value)];
  const ends = [placeOf(knee.from), placeOf(knee.to)].sort((a, b) => a - b);
  return {at: placeOf(knee.value), from: ends[0], to: ends[1], label: `knee ${knee.value}`};
}

function drawKnee(plot, knee, ink) {
  const {ctx, bbox} = plot;
  const [at, from, to] = [knee.at, knee.from, knee.to].map((place) => plot.valToPos(place, 'x', true));
  ctx.save();
  ctx.fillStyle = 'rgba(128,128,128,.18)';
  ctx.fillRect(from - KNEE_EDGE, bbox.top, to - from + 2 * KNEE_EDGE, bbox.height);
  ctx.fillStyle = ink;
  ctx.fillRect(at, bbox.top, 1.5, bbox.height);
  ctx.font = '12px system-ui, sans-serif';
  ctx.textAlign = 'left';
  ctx.fillText(knee.label, at + 5, bbox.top + bbox.height - 8);
  ctx.restore();
}

/** Draws the chart on a canvas. Dragging zooms in; a double click zooms out. */
function interactiveChart(uPlot, axis, line, baseline, most, knee) {
  const [scale, unit] = unitOf(most);
  const value = (name) => line.map((entry) => (entry.point[name] === null ? null : entry.point[name] / scale));
  const labels = new Map(line.map((entry) => [entry.place, entry.label]));
  const ink = getComputedStyle(document.documentElement).getPropertyValue('--ink');
  const places = line.map((entry) => entry.place);
  const axisStyle = {stroke: ink, grid: {stroke: 'rgba(128,128,128,.25)'}};
  const host = el('div.plot');
  const plot = new uPlot({
    width: SIZE.width, height: SIZE.height, ms: 1,
    scales: {x: {time: false}, y: {range: [0, most / scale]}},
    axes: [{...axisStyle, label: axis.key, splits: () => places, values: (_, splits) => splits.map((split) => labels.get(split) ?? '')},
           {...axisStyle, label: unit, size: 64}],
    series: [{label: axis.key, value: (_, place) => labels.get(place) ?? ''},
             {label: 'from', stroke: '#e69f00', width: 1, points: {show: false}}, {label: 'to', stroke: '#e69f00', width: 1, points: {show: false}},
             {label: `step time (${unit})`, stroke: '#0072b2', width: 2, points: {show: true, size: 7}},
             {label: `as captured (${unit})`, stroke: '#888888', dash: [6, 4], points: {show: false}}],
    hooks: {draw: knee ? [(drawn) => drawKnee(drawn, knee, ink)] : []},
    bands: [{series: [2, 1], fill: 'rgba(230,159,0,.18)'}],
  }, [places, value('low_ns'), value('high_ns'), value('iteration_ns'), places.map(() => baseline / scale)], host);
  const fit = () => { if (host.clientWidth > 0) plot.setSize({width: Math.min(host.clientWidth, 1000), height: SIZE.height}); };
  new ResizeObserver(fit).observe(host);
  return host;
}

function lineChart(libraries, title, axis, points, baseline, most, knees) {
  const places = placesOf(axis.values);
  const line = axis.values.map((label, i) => ({label, place: places[i], point: points[i]}))
    .filter((entry) => entry.point !== undefined).sort((a, b) => a.place - b.place);
  const knee = kneeOf(knees, axis, places);
  const drawing = chart(title, axis, line, baseline, most, knee);
  const distinct = new Set(line.map((entry) => entry.place)).size === line.length;
  const figure = el('figure', {}, el('figcaption', {}, title));
  if (libraries.uPlot && distinct && line.length > 1) {
    drawing.classList.add('print-only');
    figure.append(interactiveChart(libraries.uPlot, axis, line, baseline, most, knee));
  }
  figure.append(drawing, el('p.tools', {}, button('Save as SVG', () => save('sweep.svg', 'image/svg+xml', standalone(drawing)))));
  return figure;
}

const SVG_STYLE = '.grid{stroke:#ccc}.range{fill:#e69f00;opacity:.25}.captured{stroke:#888;stroke-dasharray:6 4}' +
  '.line{fill:none;stroke:#0072b2;stroke-width:2}.dot{fill:#0072b2}text{font:12px sans-serif;fill:#111}';

/** Returns the chart as a separate file, including the style from this page. */
function standalone(drawing) {
  const copied = drawing.cloneNode(true);
  copied.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copied.removeAttribute('class');
  copied.prepend(svg('style', {}, SVG_STYLE));
  return new XMLSerializer().serializeToString(copied);
}

function heatMapOf(axes, at, best) {
  const times = axes[0].values.flatMap((a) => axes[1].values.map((b) => at(a, b)?.iteration_ns)).filter((time) => typeof time === 'number');
  const [low, high] = [Math.min(...times), Math.max(...times)];
  return el('div.scroll', {tabindex: 0, role: 'region', 'aria-label': 'Step times over two axes'},
    el('table.heat', {}, el('caption', {}, `Step times from ${duration(low)} (light) to ${duration(high)} (dark); rows ${axes[0].key}, columns ${axes[1].key}; * is the best`),
      el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, `${axes[0].key} \\ ${axes[1].key}`), axes[1].values.map((value) => el('th', {scope: 'col'}, value)))),
      el('tbody', {}, axes[0].values.map((a) => el('tr', {}, el('th', {scope: 'row'}, a), axes[1].values.map((b) => {
        const point = at(a, b);
        if (typeof point?.iteration_ns !== 'number') return el('td', {}, '-');
        const heat = high > low ? (point.iteration_ns - low) / (high - low) : 0;
        const isBest = JSON.stringify(point.set) === JSON.stringify(best.set);
        return el('td', {style: {'--heat': heat.toFixed(3)}}, `${isBest ? '* ' : ''}${duration(point.iteration_ns)}`);
      }))))));
}

function kneeText(knee) {
  if (knee.flat === 'everywhere') return `${knee.key} hardly matters.`;
  return `The knee of ${knee.key} is ${knee.value}${knee.from === knee.to ? '' : `, from ${knee.from} to ${knee.to}`}: values ${knee.flat} it save little more.`;
}

/** Returns a table with one row per point, if the answer's own table is a matrix. */
function pointsTable(answer, axes) {
  if (axes?.length !== 2) return null;
  const columns = [...axes.map((axis) => ({title: axis.key, right: true})), ...['step time', 'from', 'to', 'change'].map((title) => ({title, right: true})), {title: 'problem'}];
  const rows = answer.points.map((point) => [...axes.map((axis) => point.set[axis.key]),
    ...[point.iteration_ns, point.low_ns, point.high_ns].map((time) => (time === null ? '-' : duration(time))),
    point.change === null ? '-' : signedPercent(point.change), point.problem ?? '']);
  return table(`All ${counted(rows.length, 'point')}, a row each`, columns, rows, {file: 'sweep.csv', folded: true});
}

export function sweepCharts(answer, libraries) {
  const known = (answer.points ?? []).filter((point) => point.iteration_ns !== null);
  if (known.length === 0) return null;
  const axes = axesOf(answer.points);
  const most = 1.1 * Math.max(...known.map((point) => point.high_ns), answer.baseline.iteration_ns);
  const found = new Map(answer.points.map((point) => [Object.values(point.set).join('\n'), point]));
  const at = (...values) => found.get(values.join('\n'));
  const knees = el('ul', {}, (answer.knees ?? []).map((knee) => el('li', {}, kneeText(knee))));
  const base = answer.baseline.iteration_ns;
  if (axes === null || axes.length === 0 || axes.length > 2) return [knees];
  if (axes.length === 1) return [lineChart(libraries, `Step time over ${axes[0].key}`, axes[0], axes[0].values.map((value) => at(value)), base, most, answer.knees), knees];
  if (axes[1].values.length > MOST_LINES) return [heatMapOf(axes, at, answer.best), knees, pointsTable(answer, axes)];
  return [el('div.multiples', {}, axes[1].values.map((value) =>
    lineChart(libraries, `${axes[1].key}=${value}`, axes[0], axes[0].values.map((first) => at(first, value)), base, most, value === answer.best?.set[axes[1].key] ? answer.knees : []))), knees, pointsTable(answer, axes)];
}
