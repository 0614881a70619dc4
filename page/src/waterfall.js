// Draws a waterfall from the baseline's iteration to the scenario's: what each part of the critical path adds or saves.

import {el} from './dom.js';
import {duration, signedPercent} from './format.js';
import {table} from './tables.js';

const FALLS = [['compute_ns', 'compute'], ['communication_ns', 'communication'], ['queueing_ns', 'queueing for links, threads and streams'],
               ['copy_ns', 'copies'], ['host_ns', 'CPU and launches'], ['wait_ns', 'waiting'], ['loader_ns', 'waiting for data']];

/** Returns [{label, from, to}]: the first and the last are the iterations, the others are the changes between them. */
export function waterfallSteps(answer) {
  const [before, after] = [answer.baseline, answer.scenario];
  const steps = [{label: 'baseline', from: 0, to: before.iteration_ns, whole: true}];
  let level = before.iteration_ns;
  const move = (label, change) => {
    if (change === 0) return;
    steps.push({label, from: level, to: level + change});
    level += change;
  };
  for (const [key, label] of FALLS) move(label, (after.critical_path[key] ?? 0) - (before.critical_path[key] ?? 0));
  // They differ because the iteration is a median over steps and ranks, and the path is of one step.
  move('between the path\u2019s step and the step time', after.iteration_ns - level);
  steps.push({label: 'scenario', from: 0, to: after.iteration_ns, whole: true});
  return steps;
}

export function waterfall(answer) {
  if (!answer.scenario?.critical_path) return null;
  const steps = waterfallSteps(answer);
  const highest = Math.max(...steps.map((step) => Math.max(step.from, step.to)), 1);
  const base = answer.baseline.iteration_ns;
  const text = (step) => (step.whole ? duration(step.to) : `${step.to > step.from ? '+' : ''}${duration(step.to - step.from)}`);
  const rows = steps.map((step) => {
    const low = Math.max(0, Math.min(step.from, step.to));
    const kind = step.whole ? 'whole' : step.to > step.from ? 'more' : 'less';
    return el('div.row', {}, el('span.label', {}, step.label),
      el('div.track', {}, el(`div.fall.${kind}`, {role: 'img', 'aria-label': `${step.label}: ${text(step)}`,
        style: {'margin-left': `${low / highest * 100}%`, width: `${Math.abs(step.to - step.from) / highest * 100}%`}})),
      el('span.figure', {}, text(step)));
  });
  const columns = [{title: 'part of the critical path'}, {title: 'change', right: true}, {title: 'of the baseline', right: true}];
  const cells = steps.filter((step) => !step.whole).map((step) => [step.label, text(step), signedPercent((step.to - step.from) / base)]);
  return [el('div.bars', {}, rows), el('p', {}, 'Each part is the difference of the two critical paths; a shorter step may take another path.'),
          table('What each part of the path adds or saves', columns, cells, {file: 'waterfall.csv'})];
}
