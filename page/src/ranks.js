// Draws the breakdown of an iteration of each rank as stacked bars, the longest first. If there are many ranks, draws
// quantiles and extremes.

import {legend, stackedBar} from './bars.js';
import {el} from './dom.js';
import {duration, percent} from './format.js';

const MOST_RANKS = 64;
const EXTREMES = 5;
const RANK_PARTS = ['compute', 'overlapped', 'communication', 'copy', 'wait', 'loader', 'host', 'others', 'idle'];
const LABELS = {compute: 'compute alone', communication: 'exposed transfer', wait: 'waiting for ranks'};

/** Converts overlapping sums (sim/analysis/summary.h) to parts that do not overlap and sum to the iteration. */
export function partsOf(rank) {
  const hidden = Math.min(rank.compute_ns, Math.max(0, rank.communication_ns - rank.exposed_communication_ns));
  const values = {compute: rank.compute_ns - hidden, overlapped: hidden, communication: rank.exposed_communication_ns,
                  copy: rank.exposed_copies_ns, wait: rank.exposed_collective_wait_ns, loader: rank.exposed_loader_ns ?? 0,
                  others: rank.other_steps_ns ?? 0, idle: rank.idle_ns};
  values.host = Math.max(0, rank.iteration_ns - Object.values(values).reduce((sum, value) => sum + value));
  return RANK_PARTS.map((name) => ({name, value: values[name], label: LABELS[name], text: duration(values[name])}));
}

/** Returns the rank's median measured step, or null if none was measured. */
function measuredStep(answer, rank) {
  const steps = (answer.steps ?? []).filter((step) => step.rank === rank.rank && typeof step.measured_ns === 'number');
  if (steps.length === 0) return null;
  const times = steps.map((step) => step.measured_ns).sort((a, b) => a - b);
  return times[Math.floor((times.length - 1) / 2)];
}

function row(label, rank, longest, measured) {
  const parts = partsOf(rank);
  const words = parts.filter((entry) => entry.value > 0).map((entry) => `${entry.name} ${entry.text}`).join(', ');
  return el('div.row', {}, el('span.label', {}, label),
    el('div.track', {}, el('div.length', {style: {width: `${rank.iteration_ns / longest * 100}%`}},
      stackedBar(parts, rank.iteration_ns, `${label}: ${duration(rank.iteration_ns)}; ${words}`)),
      measured === null ? null : el('div.measured', {title: `measured: ${duration(measured)}`, style: {width: `${measured / longest * 100}%`}})),
    el('span.figure', {}, duration(rank.iteration_ns)));
}

function quantileRows(ranks) {
  const at = (share) => ranks[Math.round((1 - share) * (ranks.length - 1))];
  const few = [0.9, 0.75, 0.5, 0.25, 0.1].map((share) => [`${percent(share, 0)} quantile: rank ${at(share).rank}`, at(share)]);
  const named = (rank) => [`rank ${rank.rank}`, rank];
  return [...ranks.slice(0, EXTREMES).map(named), ...few, ...ranks.slice(-EXTREMES).map(named)];
}

/** Draws each rank's time relative to the median of the step; the colour shows the difference. */
function heatMap(steps) {
  const ranks = [...new Set(steps.map((step) => step.rank))];
  const numbers = [...new Set(steps.map((step) => step.step))];
  const times = new Map(steps.map((step) => [`${step.rank} ${step.step}`, step.measured_ns ?? step.replayed_ns]));
  const all = [...times.values()].sort((a, b) => a - b);
  const [low, high] = [all[0], all.at(-1)];
  return el('div.scroll', {tabindex: 0, role: 'region', 'aria-label': 'Steps of every rank'},
    el('table.heat', {}, el('caption', {}, `Step times from ${duration(low)} (light) to ${duration(high)} (dark)`),
      el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'rank'), numbers.map((step) => el('th', {scope: 'col'}, `step ${step}`)))),
      el('tbody', {}, ranks.map((rank) => el('tr', {}, el('th', {scope: 'row'}, String(rank)), numbers.map((step) => {
        const time = times.get(`${rank} ${step}`);
        if (time === undefined) return el('td', {}, '-');
        const heat = high > low ? (time - low) / (high - low) : 0;
        return el('td', {style: {'--heat': heat.toFixed(3)}}, duration(time));
      }))))));
}

function heatMapOnDemand(answer) {
  if ((answer.steps ?? []).length < 2) return null;
  const details = el('details', {}, el('summary', {}, 'Every step of every rank as a heat map'));
  details.addEventListener('toggle', () => { if (details.children.length === 1) details.append(heatMap(answer.steps)); });
  return details;
}

function measuredNote(answer) {
  const measured = answer.iteration?.measured_ns;
  return typeof measured === 'number' ? el('p', {}, `The bars are replayed steps, the thin lines below them the median of the rank\u2019s measured steps. The longest step time was measured as ${duration(measured)}.`) : null;
}

/** Draws the ranks of a replay, or the slowest rank before and after a what-if. Returns null for other answers. */
export function rankBars(answer) {
  let rows = null;
  if (answer.breakdown?.length > 0) {
    const ranks = [...answer.breakdown].sort((a, b) => b.iteration_ns - a.iteration_ns || a.rank - b.rank);
    rows = ranks.length > MOST_RANKS ? quantileRows(ranks) : ranks.map((rank) => [`rank ${rank.rank}`, rank]);
  } else if (answer.scenario?.breakdown) {
    rows = [[`baseline, rank ${answer.baseline.breakdown.rank}`, answer.baseline.breakdown],
            [`scenario, rank ${answer.scenario.breakdown.rank}`, answer.scenario.breakdown]];
  }
  if (rows === null) return null;
  const measured = rows.map(([, rank]) => (answer.breakdown ? measuredStep(answer, rank) : null));
  const longest = Math.max(...rows.map(([, rank]) => rank.iteration_ns), ...measured, 1);
  const present = RANK_PARTS.filter((name) => rows.some(([, rank]) => partsOf(rank).some((entry) => entry.name === name && entry.value > 0)));
  return [el('div.bars', {}, rows.map(([label, rank], i) => row(label, rank, longest, measured[i]))), legend(present, LABELS), measuredNote(answer), heatMapOnDemand(answer)];
}
