// Draws the critical path: a bar of classes (two for a what-if), then its longest tasks with links to the timeline.

import {legend, stackedBar} from './bars.js';
import {CLASSES, classOfKind} from './classes.js';
import {button, el} from './dom.js';
import {counted, duration, percent} from './format.js';
import {table} from './tables.js';

const LONGEST = 20;
const PATH_PARTS = ['compute', 'communication', 'copy', 'host', 'queueing', 'wait', 'loader'];

/** Returns the classes of a path, in either of the two forms used by answers. */
function classesOf(path) {
  return PATH_PARTS.map((name) => ({name, value: path.classes?.[name] ?? path[`${name}_ns`] ?? 0}))
    .map((entry) => ({...entry, text: duration(entry.value)}));
}

function strip(label, path, longest) {
  const parts = classesOf(path);
  const words = parts.filter((entry) => entry.value > 0).map((entry) => `${entry.name} ${entry.text}`).join(', ');
  return el('div.row', {}, el('span.label', {}, label),
    el('div.track', {}, el('div.length', {style: {width: `${path.length_ns / longest * 100}%`}},
      stackedBar(parts, path.length_ns, `${label}: ${words}`))),
    el('span.figure', {}, duration(path.length_ns)));
}

export function pathStrip(answer) {
  const own = answer.schema?.startsWith('stepsim.critical_path') ? answer : answer.critical_path;
  const paths = own?.of ? [[own.of, own]] : answer.scenario?.critical_path
    ? [[`baseline, ${answer.baseline.critical_path.of}`, answer.baseline.critical_path],
       [`scenario, ${answer.scenario.critical_path.of}`, answer.scenario.critical_path]] : [];
  if (paths.length === 0) return null;
  const longest = Math.max(...paths.map(([, path]) => path.length_ns), 1);
  const present = PATH_PARTS.filter((name) => paths.some(([, path]) => classesOf(path).some((entry) => entry.name === name && entry.value > 0)));
  return [el('div.bars', {}, paths.map(([label, path]) => strip(label, path, longest))), legend(present)];
}

/** Returns a table of the longest tasks on the path of `side`; `show(span)` jumps to a task. */
export function longestOfPath(side, show) {
  const {path} = side;
  const order = [...path.span.keys()].sort((a, b) => path.duration[b] + path.wait[b] - path.duration[a] - path.wait[a] || a - b);
  const chosen = order.slice(0, LONGEST).sort((a, b) => a - b);
  const columns = [{title: 'start', right: true}, {title: 'duration', right: true}, {title: 'wait before', right: true}, {title: 'queueing', right: true},
                   {title: 'share', right: true}, {title: 'class'}, {title: 'rank', right: true}, {title: 'thread or stream'}, {title: 'task'}];
  const rows = chosen.map((i) => {
    const span = path.span[i];
    const lane = side.graph.lanes[side.graph.lane[span]];
    return [duration(path.start[i]), duration(path.duration[i]), duration(path.wait[i]), duration(path.queueing[i]),
            percent(path.duration[i] / path.length), CLASSES[classOfKind(side.graph.kindOf(span))].label, String(lane.rank), lane.name, side.graph.nameOf(span)];
  });
  const caption = `${side.name}: the ${counted(chosen.length, 'longest task')} of ${path.span.length.toLocaleString('en')} on the path of ${path.of}, in order of time`;
  const cell = (text, row, column) => column === columns.length - 1 ? button(text, () => show(path.span[chosen[row]])) : text;
  return table(caption, columns, rows, {cell, folded: true, file: `path-${side.name}.csv`});
}
