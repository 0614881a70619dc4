// The top of the page: the title, the answer in one sentence, the verdict on the capture, and four tiles.

import {settingsText} from './advice.js';
import {CLASSES} from './classes.js';
import {button, copy, el} from './dom.js';
import {counted, duration, percent, signedPercent} from './format.js';

const LEAST_SHOWN = 0.0005; // a smaller change is none, as in sim/report/table.h

/** Returns the title of the page from the inputs' names: their innermost common folder, the only file, or both sides of a comparison. */
export function titleOf(answer) {
  if (answer.scenario?.name) return answer.scenario.name;
  if (answer.name) return answer.name;
  if (answer.a?.name && answer.b?.name) return [answer.a, answer.b].map(({name}) => name.split('/').filter(Boolean).at(-1)).join(' and ');
  const paths = (answer.provenance?.inputs ?? []).map((input) => input.path);
  if (paths.length === 0) return 'stepsim report';
  if (paths.length === 1) return paths[0].split('/').at(-1);
  const folders = paths.map((path) => path.split('/').slice(0, -1));
  let common = 0;
  while (folders.every((folder) => common < folder.length && folder[common] === folders[0][common])) ++common;
  return folders[0].slice(0, common).at(-1) ?? paths[0];
}

/** Returns the number of items, for answers that list them or only count them. */
const howMany = (value) => Array.isArray(value) ? value.length : value;

export function titleLine(answer) {
  const facts = [
    answer.ranks && counted(howMany(answer.ranks), 'rank'),
    answer.clock?.hosts?.length && counted(answer.clock.hosts.length, 'host'),
    answer.steps?.length && `${counted(new Set(answer.steps.map((step) => step.step)).size, 'step')} used`,
    typeof answer.tasks === 'number' && counted(answer.tasks, 'task'),
    answer.points && counted(answer.points.length, 'point'),
    answer.advice && `${counted(answer.advice.length, 'change')} tried`,
    answer.network?.model && `network model ${answer.network.model}`,
    answer.provenance && `stepsim ${answer.provenance.version} (${answer.provenance.commit})`,
  ].filter(Boolean);
  const command = answer.provenance?.command ?? '';
  return el('header', {},
    el('h1', {}, titleOf(answer)),
    el('p.facts', {}, facts.join(' \u00b7 ')),
    command === '' ? null : el('p.command', {}, el('code', {}, command), ' ', button('Copy command', () => copy(command), 'Copied')));
}

/** The words of the verdicts of stepsim check. */
const VERDICTS = {good: 'good', doubtful: 'usable with doubts', unusable: 'not usable'};

/** Returns the gains found by advise, without limits; empty for other answers. */
function gains(answer) {
  return (answer.advice ?? []).filter((entry) => entry.verdict === 'gain' && entry.takes !== 'limit');
}

/** Returns what stepsim check says about the answer's capture, in words; null for an answer without a verdict. */
export function judge(answer) {
  return VERDICTS[answer.capture?.verdict ?? (answer.usable === undefined ? '' : answer.verdict)] ?? null;
}

export function verdict(answer, text) {
  const word = judge(answer);
  return el('section', {id: 'verdict', 'aria-label': 'Verdict'},
    word === null ? null : el('p.trust', {}, 'Capture: ', el('strong', {class: `badge ${word.replaceAll(' ', '-')}`, id: 'badge'}, word), ' ',
      el('span.rule', {}, 'the verdict of stepsim check')),
    text.warning === '' ? null : el('p.warning', {role: 'note'}, text.warning),
    el('p.headline', {id: 'headline'}, text.headline),
    text.caution === '' ? null : el('p.warning', {role: 'note'}, text.caution),
    text.trust === '' ? null : el('p', {}, text.trust));
}

function time(ns) {
  return typeof ns === 'number' ? el('data', {value: ns}, duration(ns)) : 'not known';
}

function tile(title, value, note) {
  return el('div.tile', {}, el('dt', {}, title), el('dd', {}, el('span.value', {}, value), el('span.note', {}, note)));
}

const PACES = {host: 'limited by the CPU', device: 'limited by the GPU', both: 'CPU and GPU take equally long'};

/** Returns the tiles for a comparison of two results. */
function comparedTiles({a, b, iteration}) {
  if (!iteration) return [];
  const noise = typeof iteration.noise_ns === 'number' ? [iteration.beyond_noise ? 'significant' : 'not significant', ' (noise ', time(iteration.noise_ns), ')'] : ['noise unknown'];
  const relative = typeof iteration.relative === 'number' ? [`${signedPercent(iteration.relative)}, `] : [];
  return [tile('Step time of A', time(a.iteration_ns), a.what), tile('Step time of B', time(b.iteration_ns), b.what),
    tile('Difference', time(iteration.difference_ns), [...relative, ...noise])];
}

function iterationTiles(answer) {
  if (answer.a && answer.b) return comparedTiles(answer);
  if (answer.scenario) {
    const {scenario, baseline, measured} = answer;
    return [tile('Step time, predicted', time(scenario.iteration_ns),
      ['from ', time(scenario.low_ns), ' to ', time(scenario.high_ns), `; ${signedPercent(scenario.change)} against `, time(baseline.iteration_ns),
       ' replayed; measured ', time(measured?.iteration_ns)])];
  }
  if (answer.plans) {
    const {tried} = answer;
    const best = answer.best ?? answer.plans[0]; // no plan is the best if the memory of its device is not known
    const rank = answer.best ? 'best' : 'fastest';
    return [tile(`Step time of the ${rank} plan`, time(best.iteration_ns), ['from ', time(best.low_ns), ' to ', time(best.high_ns), ` on ${counted(best.devices, 'device')}`]),
      tile(answer.best ? 'Best plan' : 'Fastest plan', settingsText(best.set), `${counted(tried.simulated, 'plan')} of ${tried.plans.toLocaleString('en')} simulated`)];
  }
  if (answer.best) {
    const {best, baseline} = answer;
    if (answer.points.every(({change}) => change === null || Math.abs(change) < LEAST_SHOWN)) {
      return [tile('Step time', time(baseline.iteration_ns), ['from ', time(best.low_ns), ' to ', time(best.high_ns), ` at each of ${counted(answer.points.length, 'point')}`])];
    }
    return [tile('Step time at the best point', time(best.iteration_ns),
      ['from ', time(best.low_ns), ' to ', time(best.high_ns), `; ${signedPercent(best.change)} against `, time(baseline.iteration_ns), ' as captured']),
      tile('Best point', Object.entries(best.set).map(([key, value]) => `${key}=${value}`).join(', '), `of ${counted(answer.points.length, 'point')}`)];
  }
  if (answer.advice) {
    const best = gains(answer);
    const gain = (title, entry) => entry && tile(title, time(entry.iteration_ns), [settingsText(entry.set), ': ', signedPercent(entry.change),
      ', from ', signedPercent(entry.low_change), ' to ', signedPercent(entry.high_change)]);
    return [tile('Step time as captured', time(answer.baseline.iteration_ns), ['measured ', time(answer.baseline.measured_ns)]),
      gain('Do this first', best.find((entry) => entry.takes !== 'hardware')),
      gain('With other hardware', best.find((entry) => entry.takes === 'hardware'))];
  }
  if (!answer.iteration) return [];
  const {iteration} = answer;
  return [tile('Step time, measured', time(iteration.measured_ns),
    ['replayed ', time(iteration.replayed_ns), iteration.pace ? `; ${PACES[iteration.pace] ?? iteration.pace}` : ''])];
}

function exposedTile(answer) {
  const slowest = answer.scenario?.breakdown ?? [...(answer.breakdown ?? [])].sort((a, b) => b.iteration_ns - a.iteration_ns)[0];
  if (!slowest) return null;
  const share = slowest.iteration_ns > 0 ? slowest.exposed_communication_ns / slowest.iteration_ns : 0;
  return tile('Exposed transfer', time(slowest.exposed_communication_ns), `${percent(share)} of a step of rank ${slowest.rank}, the slowest`);
}

function stragglerTile(answer) {
  const worst = (answer.stragglers ?? []).find((rank) => rank.others_waited_ns > 0);
  if (!answer.stragglers) return null;
  const ranks = (answer.ranks ?? answer.breakdown ?? []).length;
  if (!worst && ranks < 2) return tile('Straggler', 'unknown', 'only one rank was read');
  if (!worst) return tile('Straggler', 'none', 'no rank kept others waiting in collectives');
  return tile('Straggler', `rank ${worst.rank}`, ['others waited ', time(worst.others_waited_ns), ` for it; arrived last in ${worst.last_in} of ${counted(worst.collectives, 'collective')}`]);
}

function bottleneckTile(answer) {
  const link = (answer.links ?? [])[0];
  if (link) return tile('Busiest link', link.link, `busy ${percent(link.scenario_busy)} of the time, ${percent(link.baseline_busy)} before`);
  const path = answer.critical_path;
  if (!path || !(path.length_ns > 0) || !path.classes) return null;
  const [name, ns] = Object.entries(path.classes).sort((a, b) => b[1] - a[1])[0];
  return tile('Bottleneck', CLASSES[name]?.label ?? name, `${percent(ns / path.length_ns)} of the critical path`);
}

export function tiles(answer) {
  const shown = [...iterationTiles(answer), exposedTile(answer), stragglerTile(answer), bottleneckTile(answer)].filter(Boolean);
  return shown.length === 0 ? null : el('dl.tiles', {id: 'tiles', 'aria-label': 'In short'}, shown);
}
