// Unit tests of the page script's computations, without a browser: node --test unit_test.mjs

import assert from 'node:assert/strict';
import {test} from 'node:test';

const source = new URL('../../page/src/', import.meta.url);
const {duration, percent, signedPercent, sortValue, tickStep, dataSize} = await import(new URL('format.js', source));
const {csvOf} = await import(new URL('tables.js', source));
const {decodeNumbers, signed} = await import(new URL('timeline/columns.js', source));
const {lowerBound, Model} = await import(new URL('timeline/model.js', source));
const {fragmentOf, viewOfFragment} = await import(new URL('timeline/fragment.js', source));
const {termOf} = await import(new URL('glossary.js', source));
const {partsOf} = await import(new URL('ranks.js', source));
const {waterfallSteps} = await import(new URL('waterfall.js', source));
const {judge, titleOf} = await import(new URL('verdict.js', source));
const {axesOf, kneeOf} = await import(new URL('sweep.js', source));
const {linesOfFront} = await import(new URL('plan.js', source));
const {tensorColors, tensorOf} = await import(new URL('classes.js', source));
const {adviceGroups, barOf, scaleOf, settingsText} = await import(new URL('advice.js', source));
const {communicationOf} = await import(new URL('collectives.js', source));
const {markLine} = await import(new URL('bar_rows.js', source));

test('the knee is among the places of its axis', () => {
  const axis = {key: 'n', values: ['4x', '1x', '2x']};
  const knee = {key: 'n', value: '2x', from: '4x', to: '1x', flat: 'above'};
  assert.deepEqual(kneeOf([knee], axis, [2, 0, 1]), {at: 1, from: 0, to: 2, label: 'knee 2x'});
  assert.equal(kneeOf([{...knee, flat: 'everywhere'}], axis, [2, 0, 1]), null);
  assert.equal(kneeOf(undefined, axis, [2, 0, 1]), null);
});

test('durations have four significant digits, and a unit in which they are at least 1', () => {
  assert.deepEqual([0, 999, 1000, 1234567, 999999999, 534061500, 123456789012, -1500].map(duration),
    ['0 ns', '999 ns', '1 us', '1.235 ms', '1.000 s', '534.1 ms', '123.5 s', '-1.5 us']);
});

test('other quantities', () => {
  assert.equal(signedPercent(-0.527), '-52.7 %');
  assert.equal(signedPercent(0.1), '+10.0 %');
  assert.equal(signedPercent(65), '66x as much');
  assert.equal(percent(65.4), '65x');
  assert.deepEqual([-0.0004, -0.00002, -0.0000004, 0].map(signedPercent), ['-0.04 %', '-0.002 %', '0.0 %', '0.0 %']);
  assert.equal(dataSize(999), '999B');
  assert.equal(dataSize(25e6), '25MB');
});

test('cells sort by what they stand for', () => {
  assert.deepEqual(['1.500 ms', '2.000 us', '4x', '* 3 s', '-5 %', '256KiB', '2,070', '<0.001 ms', 'word'].map(sortValue), [1.5e6, 2e3, 4, 3e9, -5, 262144, 2070, 1e3, null]);
});

test('ticks are 1, 2 or 5 times a power of ten', () => {
  assert.deepEqual([tickStep(100, 10), tickStep(101, 10), tickStep(7, 5)], [10, 20, 2]);
});

test('a term is found by each of its names, in any case, with hyphens or blanks, in the plural too', () => {
  const terms = new Map([['self check', 'S'], ['queueing', 'Q'], ['copies', 'C'], ['step', 'T']]);
  assert.deepEqual(['Self-check', 'self_check', 'Queueing', 'copies', 'Steps', 'stops'].map((text) => termOf(text, terms)),
    ['S', 'S', 'Q', 'C', 'T', undefined]);
});

test('a term is found by each of its names, in any case, with hyphens or blanks, in the plural too', () => {
  const terms = new Map([['self check', 'S'], ['queueing', 'Q'], ['copies', 'C'], ['step', 'T']]);
  assert.deepEqual(['Self-check', 'self_check', 'Queueing', 'copies', 'Steps', 'stops'].map((text) => termOf(text, terms)),
    ['S', 'S', 'Q', 'C', 'T', undefined]);
});

test('CSV quotes what needs it and disarms formulas', () => {
  assert.equal(csvOf([{title: 'a'}, {title: 'b'}], [['x,"y"', '=1+1'], ['-5', '@x\ny']]), 'a,b\r\n"x,""y""",\'=1+1\r\n-5,\'@x y\r\n');
});

test('numbers of seven bits a byte, and signs that alternate', () => {
  assert.deepEqual([...decodeNumbers(new Uint8Array([0x00, 0x7f, 0x80, 0x01, 0xac, 0x02]), 4)], [0, 127, 128, 300]);
  assert.deepEqual([0, 1, 2, 127, 128].map(signed), [0, -1, 1, -64, 64]);
  // 2^53 - 1 is the largest exact integer: seven groups of ones, and four more ones above them.
  assert.equal(decodeNumbers(new Uint8Array([255, 255, 255, 255, 255, 255, 255, 15]), 1)[0], Number.MAX_SAFE_INTEGER);
});

test('a lower bound is the first that is not below', () => {
  const numbers = Float64Array.from([1, 3, 3, 5]);
  assert.deepEqual([0, 3, 4, 9].map((least) => lowerBound(numbers, least, 0, 4)), [0, 1, 3, 4]);
});

test('the parts of an iteration do not overlap and sum to it', () => {
  // 70 of compute, 50 of communication of which 30 are exposed, so 20 overlap compute. The rest, 120 - 70 - 30 - 5 - 1 - 7 - 2 - 2, is host work.
  const rank = {iteration_ns: 120, compute_ns: 70, communication_ns: 50, exposed_communication_ns: 30, idle_ns: 5, exposed_copies_ns: 1,
                exposed_collective_wait_ns: 7, exposed_loader_ns: 2, other_steps_ns: 2, copies_ns: 60, collective_wait_ns: 60};
  const parts = Object.fromEntries(partsOf(rank).map((entry) => [entry.name, entry.value]));
  assert.deepEqual(parts, {compute: 50, overlapped: 20, communication: 30, copy: 1, wait: 7, loader: 2, host: 3, others: 2, idle: 5});
  assert.equal(Object.values(parts).reduce((a, b) => a + b), rank.iteration_ns);
});

test('a waterfall leads from the baseline to the scenario, whatever the paths say', () => {
  const path = (compute_ns, queueing_ns) => ({compute_ns, queueing_ns, communication_ns: 0, copy_ns: 0, host_ns: 0, wait_ns: 0});
  const steps = waterfallSteps({baseline: {iteration_ns: 100, critical_path: path(40, 60)}, scenario: {iteration_ns: 70, critical_path: path(45, 20)}});
  assert.deepEqual(steps.map((step) => [step.from, step.to]), [[0, 100], [100, 105], [105, 65], [65, 70], [0, 70]]);
});

test('the badge is the verdict of the answer, whatever its figures are', () => {
  const replay = (verdict) => ({capture: {verdict}, steps: [{held_out_error: 0.5}], critical_path: {length_ns: 100, unexplained_ns: 90}});
  assert.deepEqual(['good', 'doubtful', 'unusable'].map((verdict) => judge(replay(verdict))), ['good', 'usable with doubts', 'not usable']);
  assert.equal(judge({usable: true, verdict: 'doubtful'}), 'usable with doubts', 'check has its verdict at the top');
  assert.equal(judge({fits: []}), null, 'a calibration predicts nothing');
});

test('a page is named after the scenario, or after what its inputs share', () => {
  assert.equal(titleOf({scenario: {name: 'faster'}}), 'faster');
  assert.equal(titleOf({provenance: {inputs: [{path: 'a/b/x.json'}]}}), 'x.json');
  assert.equal(titleOf({provenance: {inputs: [{path: 'a/b/0/x.json'}, {path: 'a/b/1/x.json'}]}}), 'b');
});

test('the front has a line for each number of devices, in order of memory', () => {
  const plan = (devices, bytes) => ({devices, memory: {peak_bytes: bytes}});
  const [a, b, c] = [plan(8, 5), plan(4, 9), plan(8, 3)];
  assert.deepEqual(linesOfFront([a, b, c]), [{devices: 4, plans: [b]}, {devices: 8, plans: [c, a]}]);
});

test('axes are there only if every point sets the same keys', () => {
  assert.deepEqual(axesOf([{set: {a: '1', b: 'x'}}, {set: {a: '2', b: 'x'}}]), [{key: 'a', values: ['1', '2']}, {key: 'b', values: ['x']}]);
  assert.equal(axesOf([{set: {a: '1'}}, {set: {b: '1'}}]), null);
});

test('partitions of one tensor have one colour', () => {
  assert.equal(tensorOf('Comm.layer8_weight.PUSH.1'), 'Comm.layer8_weight');
  assert.equal(tensorOf('gemm'), null);
  const colors = tensorColors(['a.PUSH.0', 'a.PULL.1', 'b.PUSH.0', 'FW.a'], ['transfer', 'transfer', 'transfer', 'operator']);
  assert.equal(colors[0], colors[1]);
  assert.notEqual(colors[0], colors[2]);
  assert.equal(colors[3], null);
});

/** A graph of one rank with a lane of compute and one of communication; [start, duration] of each span. */
function graphOf(compute, communication, shift = 0) {
  const all = [...compute, ...communication];
  const graph = {number: 0, spans: all.length, tasks: all.length, names: ['gemm', 'allreduce'], kinds: ['kernel', 'collective'], steps: [],
    name: Uint32Array.from(all, (_, i) => (i < compute.length ? 0 : 1)), bytes: Float64Array.from(all, () => 10), lane: Uint32Array.from(all, (_, i) => (i < compute.length ? 0 : 1)),
    laneBegin: Uint32Array.from([0, compute.length, all.length]), lanes: [{name: 's7', host: 'h', rank: 0, spans: compute.length}, {name: 's9', host: 'h', rank: 0, spans: communication.length}],
    nameOf(span) { return this.names[this.name[span]]; }, kindOf(span) { return this.kinds[this.name[span]]; }};
  graph.sides = [{graph, number: 0, name: 'replayed', replayed: true, align: shift, start: Float64Array.from(all, ([start]) => start),
    duration: Float64Array.from(all, ([, length]) => length), row: new Uint32Array(all.length)}];
  return graph;
}

test('communication is exposed where nothing is computed beside it', () => {
  // Compute covers [0, 10) and [20, 40), communication [5, 25), of which 5 and 5 overlap compute.
  const sums = communicationOf(graphOf([[0, 10], [20, 10], [25, 15]], [[5, 20]]));
  assert.deepEqual({...sums.get('allreduce')}, {kind: 'collective', count: 1, bytes: 10, transfer: 20, waited: 0, exposed: 10});
});

test('sides are aligned at the moment that each names', () => {
  const [early, late] = [graphOf([[100, 10]], [], 100), graphOf([[250, 20]], [], 250)];
  late.number = 1;
  const model = new Model([early, late]);
  assert.equal(model.beginOf(early.sides[0], 0), model.beginOf(late.sides[0], 0));
});

test('a graph without tasks has no groups, and a range to show', () => {
  const model = new Model([graphOf([], [])]);
  assert.deepEqual([model.groups.length, model.begin, model.end], [0, 0, 1]);
});

test('rows find the span at a time, and the next one', () => {
  const model = new Model([graphOf([[20, 10], [0, 10]], [])]);
  const [{row}] = model.groups[0].blocks[0].lines;
  assert.deepEqual([...row.spans], [1, 0], 'sorted by start');
  assert.deepEqual([row.at(5, 0), row.at(25, 0), row.at(15, 0), row.at(12, 3)], [0, 1, -1, 0]);
  assert.deepEqual([row.firstAfter(0), row.firstAfter(10), row.firstAfter(29), row.firstAfter(30)], [0, 1, 1, 2]);
});

test('a fragment gives back its view, and nonsense gives none', () => {
  const graph = graphOf([[0, 10]], []);
  const model = new Model([graph]);
  const view = {begin: 2, end: 7, selected: {side: graph.sides[0], span: 0}, mark: [3, 4]};
  const back = viewOfFragment(fragmentOf(model, view, 'a&b=%'), model);
  assert.deepEqual([back.view, back.selected, back.mark, back.query], [{begin: 2, end: 7}, view.selected, [3, 4], 'a&b=%']);
  const nonsense = viewOfFragment('#t=9~1&s=7.7.7&m=x&q=%', model);
  assert.deepEqual([nonsense.view, nonsense.selected, nonsense.mark, nonsense.query], [{}, null, null, '']);
});

test('advice has a bar for the best value of each setting that changes something, hardware and limits apart', () => {
  const entry = (set, takes, verdict, best) => ({set, takes, verdict, best_of_its_values: best});
  const advice = [entry({'host.scale': '0'}, 'limit', 'gain', true), entry({'a.b': '1'}, 'setting', 'gain', true), entry({'a.b': '2'}, 'setting', 'gain', false),
    entry({'c.d': '1'}, 'code', 'nothing', true), entry({'e.f': '1'}, 'hardware', 'worse', true), entry({'g.h': '1'}, 'hardware', 'gain', true)];
  assert.deepEqual(adviceGroups(advice).map((group) => group.entries.map((one) => settingsText(one.set))), [['a.b=1'], ['g.h=1'], ['e.f=1'], ['host.scale=0']]);
  assert.equal(settingsText({'comm.schedule': 'priority', 'comm.credit_bytes': '4MiB'}), 'comm.schedule=priority, comm.credit_bytes=4MiB');
});

test('a bar of advice is as long as the change, and its range may begin before zero', () => {
  const saves = {change: -0.25, low_change: -0.5, high_change: -0.125};
  assert.deepEqual(barOf(saves, scaleOf([saves])), {zero: 0, length: 0.5, from: 0.25, to: 1});
  const unsure = {change: -0.25, low_change: -0.5, high_change: 0.5};
  assert.deepEqual(barOf(unsure, scaleOf([unsure, saves])), {zero: 0.5, length: 0.25, from: 0, to: 1});
  const slower = {change: 0.25, low_change: 0.125, high_change: 0.5};
  assert.deepEqual(barOf(slower, scaleOf([unsure, slower])), {zero: 0.5, length: 0.25, from: 0.625, to: 1});
});

test('the marks of rows are one line from above to below', () => {
  assert.equal(markLine([[10, 2, 16], [20, 22, 36]]), 'M10 2V16L20 22V36');
  assert.equal(markLine([]), '');
});
