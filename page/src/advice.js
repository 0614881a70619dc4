// The changes that advise tried: a bar for each change, as long as the time it saves, and its range below. Limits apart, because
// nobody can do them.

import {el} from './dom.js';
import {duration, signedPercent} from './format.js';

const MOST_ADVICE = 12;
const ADVICE_TITLES = [['gain', 'Best changes (bar length: time saved)'], ['hardware', 'With other hardware'],
                ['limit', 'Upper bounds: the most that work on each part could save'],
                ['unsure', 'Uncertain: the range includes no change'], ['worse', 'Slower']];

export function settingsText(set) {
  return Object.entries(set).map(([key, value]) => `${key}=${value}`).join(', ');
}

/** Returns [{title, entries}] in the order of the answer, with only the best value of each setting. Changes without effect are left out. */
export function adviceGroups(advice) {
  const groupOf = ({takes, verdict}) => (takes === 'limit' || (takes === 'hardware' && verdict === 'gain') ? takes : verdict);
  const best = advice.filter((entry) => entry.best_of_its_values && entry.verdict !== 'nothing');
  return ADVICE_TITLES.map(([name, title]) => ({title, entries: best.filter((entry) => groupOf(entry) === name).slice(0, MOST_ADVICE)}))
    .filter((group) => group.entries.length > 0);
}

/** Returns {length, from, to}: the change and its range as shares of `most`. A range that includes no change begins at 0. */
export function barOf(entry, most) {
  const sides = [entry.low_change, entry.high_change].map((change) => (Math.sign(change) === Math.sign(entry.change) ? Math.abs(change) / most : 0));
  return {length: Math.abs(entry.change) / most, from: Math.min(...sides), to: Math.max(...sides)};
}

function adviceRow(entry, most) {
  const set = settingsText(entry.set);
  const bar = barOf(entry, most);
  const range = `${signedPercent(entry.low_change)} to ${signedPercent(entry.high_change)}`;
  const words = `${entry.what} [${set}]: ${duration(entry.iteration_ns)}, ${signedPercent(entry.change)}, from ${range}`;
  return el('div.row', {}, el('span.label', {title: words}, entry.what, el('span.note', {}, ` ${set}`)),
    el('div.track', {role: 'img', 'aria-label': words, title: words},
      el(`div.fall.${entry.change > 0 ? 'more' : 'less'}`, {style: {width: `${bar.length * 100}%`}}),
      el('div.measured', {style: {'margin-left': `${bar.from * 100}%`, width: `${(bar.to - bar.from) * 100}%`}})),
    el('span.figure', {}, signedPercent(entry.change)));
}

export function adviceBars(answer) {
  if (!answer.advice) return null;
  const groups = adviceGroups(answer.advice);
  const most = Math.max(1e-9, ...groups.flatMap((group) => group.entries.flatMap((entry) =>
    [entry.change, entry.low_change, entry.high_change].map(Math.abs))));
  return groups.map((group) => [el('h3', {}, group.title), el('div.bars.advice', {}, group.entries.map((entry) => adviceRow(entry, most)))]);
}
