// The changes that advise tried: a bar for each change, as long as the time it saves, and its range below. Limits apart, because
// nobody can do them.

import {el} from './dom.js';
import {duration, signedPercent} from './format.js';

const MOST_ADVICE = 12;
const ADVICE_TITLES = [['gain', 'Best changes (bar length: time saved)'], ['hardware', 'With other hardware'],
                ['unsure', 'Uncertain: the range includes no change'], ['worse', 'Slower'],
                ['limit', 'Upper bounds: the most that work on each part could save']];

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

/** Returns the change and its range, away from the zero of the bars; negative on the other side of it. */
function towards(entry) {
  const sign = entry.change > 0 ? 1 : -1;
  const ends = [sign * entry.low_change, sign * entry.high_change];
  return {length: Math.abs(entry.change), from: Math.min(...ends), to: Math.max(...ends)};
}

/** Returns {zero, whole}: how far the ranges of all entries reach to the other side of zero, and in all. */
export function scaleOf(entries) {
  const all = entries.map(towards);
  const zero = Math.max(0, ...all.map((one) => -one.from));
  return {zero, whole: Math.max(1e-9, zero + Math.max(0, ...all.flatMap((one) => [one.length, one.to])))};
}

/** Returns {zero, length, from, to} as shares of the scale: the bar begins at zero, and its range may begin before it. */
export function barOf(entry, {zero, whole}) {
  const {length, from, to} = towards(entry);
  return {zero: zero / whole, length: length / whole, from: (zero + from) / whole, to: (zero + to) / whole};
}

function adviceRow(entry, scale) {
  const set = settingsText(entry.set);
  const bar = barOf(entry, scale);
  const range = `${signedPercent(entry.low_change)} to ${signedPercent(entry.high_change)}`;
  const words = `${entry.what} [${set}]: ${duration(entry.iteration_ns)}, ${signedPercent(entry.change)}, from ${range}`;
  return el('div.row', {}, el('span.label', {title: words}, entry.what, el('span.note', {}, ` ${set}`)),
    el('div.track', {role: 'img', 'aria-label': words, title: words},
      el(`div.fall.${entry.change > 0 ? 'more' : 'less'}`, {style: {'margin-left': `${bar.zero * 100}%`, width: `${bar.length * 100}%`}}),
      el('div.measured', {style: {'margin-left': `${bar.from * 100}%`, width: `${(bar.to - bar.from) * 100}%`}})),
    el('span.figure', {}, signedPercent(entry.change)));
}

export function adviceBars(answer) {
  if (!answer.advice) return null;
  const groups = adviceGroups(answer.advice);
  const scale = scaleOf(groups.flatMap((group) => group.entries));
  return groups.map((group) => [el('h3', {}, group.title), el('div.bars.advice', {}, group.entries.map((entry) => adviceRow(entry, scale)))]);
}
