// Draws rows of bars along a time axis: the measurements of an inline profiler, for one or several runs. The drawing is
// the same as in sim/export/picture/svg_plot.cpp.

import {el, svg} from './dom.js';
import {duration} from './format.js';

const WIDEST = 1200;
const NARROWEST = 440;
const ROWS_RIGHT = 40;  // from the right edge
const ROWS_TOP = 24;
const BAR_HEIGHT = 14;
const MOST_ROWS = 200;
const MOST_KINDS = 40;
const WHOLE_COLOUR = '#999999';
const LINE_COLOUR = '#C00000';
const KIND_COLOURS = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#7A5195', '#7FB8D8', '#EAAE7F',
  '#7FCEB9', '#E5BCD3', '#F2CF7F', '#B4B400'];

function kindColour(kind) {
  return kind === 0 ? WHOLE_COLOUR : KIND_COLOURS[(kind - 1) % KIND_COLOURS.length];
}

/** Returns the positions of at most `count` axis marks. Their distance is 1, 2 or 5 times a power of ten. */
export function axisMarks(most, count = 8) {
  if (most <= 0) return [0];
  const power = 10 ** Math.floor(Math.log10(most / count));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => most / each <= count);
  return Array.from({length: Math.floor(most / step * (1 + 1e-9)) + 1}, (_, i) => i * step);
}

function shortened(text, letters) {
  return text.length <= letters ? text : `${text.slice(0, letters / 2 - 1)}\u2026${text.slice(1 - letters / 2)}`;
}

function rowBars({bars}, y, x) {
  return bars.map(({begin, length, kind, level, hint}) => {
    const width = Math.max(x(begin + length) - x(begin) - (x(length) - x(0) > 3 ? 0.6 : 0), 0.6);
    return svg('rect', {x: x(begin), y: y + BAR_HEIGHT * level, width, height: BAR_HEIGHT - 2, style: {fill: kindColour(kind)}},
      svg('title', {}, hint));
  });
}

/** Returns an SVG path that connects the marks of rows: "M10 2V16L20 22V36". `places`: [x, top, bottom] for each row. */
export function markLine(places) {
  return places.map(([x, top, bottom], i) => `${i === 0 ? 'M' : 'L'}${x} ${top}V${bottom}`).join('');
}

/** `chart`: {title, axis, kinds, line, rows: [{group, name, mark, bars: [{begin, length, kind, level, hint}]}]}; for null, nothing is drawn. */
export function barRows(chart) {
  if (chart === null || chart.rows.length === 0) return null;
  const width = Math.min(WIDEST, Math.max(NARROWEST, document.getElementById('page').clientWidth - 50));
  const left = Math.min(230, 20 + 7 * Math.max(...chart.rows.map((row) => row.name.length)));
  const rows = chart.rows.slice(0, MOST_ROWS);
  const most = Math.max(1, ...chart.rows.map((row) => row.bars.reduce((end, bar) => Math.max(end, bar.begin + bar.length), row.mark ?? 0)));
  const marks = [];
  const x = (ns) => left + (width - ROWS_RIGHT - left) * ns / most;
  const drawn = [];
  let y = ROWS_TOP;
  rows.forEach((row, i) => {
    if (row.group !== '' && row.group !== rows[i - 1]?.group) {
      drawn.push(svg('text', {x: 4, y: y + BAR_HEIGHT}, shortened(row.group, 2 * Math.floor(width / 14)), svg('title', {}, row.group)));
      y += 20;
    }
    drawn.push(svg('text', {x: left - 8, y: y + 11, 'text-anchor': 'end'}, shortened(row.name, 34), svg('title', {}, row.name)), rowBars(row, y, x));
    const height = BAR_HEIGHT * (1 + row.bars.reduce((levels, bar) => Math.max(levels, bar.level), 0));
    if (typeof row.mark === 'number') marks.push([x(row.mark), y - 2, y + height]);
    y += height + 6;
  });
  const axis = axisMarks(most, Math.min(8, Math.floor((width - left) / 100))).map((mark) => [svg('path', {class: 'grid', d: `M${x(mark)} ${ROWS_TOP - 6}V${y}`}),
    svg('text', {x: x(mark), y: ROWS_TOP - 10, 'text-anchor': 'middle'}, duration(mark))]);
  const kinds = chart.kinds.slice(0, MOST_KINDS);
  const more = chart.kinds.length - kinds.length;
  return [el('p', {}, `${[chart.title, chart.axis].filter(Boolean).join('; ')}.`),
    el('div.scroll.drawing', {tabindex: 0, role: 'group', 'aria-label': 'bars, scrolls'},
      svg('svg', {viewBox: `0 0 ${width} ${y}`, width, height: y, role: 'img', class: 'rows',
        'aria-label': `${chart.title}; the tables below have the figures`}, axis, drawn,
        marks.length > 0 ? svg('path', {class: 'ideal', d: markLine(marks), style: {fill: 'none', stroke: LINE_COLOUR, 'stroke-dasharray': '5 3'}}) : null)),
    el('ul.legend', {}, kinds.map((name, i) => el('li', {}, el('span.swatch', {'aria-hidden': true, style: {background: kindColour(i)}}, '\u00a0'), ` ${name}`)),
      more > 0 ? el('li', {}, `and ${more} more, in the same colours again`) : null,
      chart.line ? el('li', {}, el('span', {'aria-hidden': true, style: {color: LINE_COLOUR}}, '\u254c\u254c'), ` ${chart.line}`) : null),
    rows.length < chart.rows.length ? el('p', {}, `The first ${rows.length} of ${chart.rows.length} rows.`) : null];
}
