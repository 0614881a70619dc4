// Draws the Pareto front of a search for a plan: memory against step time, a line for each number of devices. Ranges of
// step times are thin lines, and the memory of the device is a dashed one.

import {settingsText} from './advice.js';
import {el, svg} from './dom.js';
import {counted, duration, tickStep, unitOf} from './format.js';

const FRONT_SIZE = {width: 760, height: 340, left: 70, right: 130, top: 16, bottom: 46};
const FRONT_COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];
const GIB = 2 ** 30;

/** Returns [{devices, plans}], fewest devices first, with the plans in order of memory. */
export function linesOfFront(front) {
  const devices = [...new Set(front.map((plan) => plan.devices))].sort((a, b) => a - b);
  return devices.map((number) => ({devices: number, plans: front.filter((plan) => plan.devices === number)
    .sort((a, b) => a.memory.peak_bytes - b.memory.peak_bytes)}));
}

function ticksUpTo(most, wanted) {
  const step = tickStep(most, wanted);
  return Array.from({length: Math.floor(most / step) + 1}, (_, i) => i * step);
}

const inGib = (bytes) => `${(bytes / GIB).toFixed(1)} GiB`;

function hintOfPlan(plan) {
  return `${settingsText(plan.set)}: ${duration(plan.iteration_ns)}, from ${duration(plan.low_ns)} to ${duration(plan.high_ns)}; ${inGib(plan.memory.peak_bytes)}`;
}

/** Returns the chart, or null if the answer has no front of several plans. */
export function frontChart(answer) {
  const front = answer.front ?? [];
  if (front.length < 2) return null;
  const {width, height, left, right, top, bottom} = FRONT_SIZE;
  const capacity = front[0].memory.capacity_bytes;
  const mostTime = Math.max(...front.map((plan) => plan.high_ns));
  const mostMemory = Math.max(...front.map((plan) => plan.memory.peak_bytes));
  const [scale, unit] = unitOf(mostTime);
  const x = (bytes) => left + (bytes / mostMemory) * (width - left - right);
  const y = (ns) => top + (1 - ns / mostTime) * (height - top - bottom);
  const lines = linesOfFront(front);
  return el('figure', {}, el('figcaption', {}, 'The fastest plans for less and less memory'),
    svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'step time over memory per device, with its range', class: 'chart'},
      ticksUpTo(mostTime / scale, 6).map((tick) => [svg('line', {class: 'grid', x1: left, x2: width - right, y1: y(tick * scale), y2: y(tick * scale)}),
        svg('text', {x: left - 6, y: y(tick * scale) + 4, 'text-anchor': 'end'}, `${Number(tick.toPrecision(6))}`)]),
      ticksUpTo(mostMemory / GIB, 8).map((tick) => svg('text', {x: x(tick * GIB), y: height - bottom + 18, 'text-anchor': 'middle'}, `${Number(tick.toPrecision(6))}`)),
      svg('text', {x: (left + width - right) / 2, y: height - 6, 'text-anchor': 'middle'}, 'memory per device (GiB)'),
      svg('text', {x: 12, y: top + 4}, unit),
      capacity !== null && capacity <= mostMemory && [svg('line', {class: 'captured', x1: x(capacity), x2: x(capacity), y1: top, y2: height - bottom}),
        svg('text', {x: x(capacity) - 5, y: height - bottom - 6, 'text-anchor': 'end'}, `of the device: ${inGib(capacity)}`)],
      lines.map(({devices, plans}, i) => {
        const colour = FRONT_COLOURS[i % FRONT_COLOURS.length];
        const last = plans[plans.length - 1];
        return [plans.map((plan) => svg('line', {x1: x(plan.memory.peak_bytes), x2: x(plan.memory.peak_bytes), y1: y(plan.low_ns), y2: y(plan.high_ns), stroke: colour, 'stroke-opacity': 0.4})),
          svg('polyline', {points: plans.map((plan) => `${x(plan.memory.peak_bytes).toFixed(1)},${y(plan.iteration_ns).toFixed(1)}`).join(' '), fill: 'none', stroke: colour, 'stroke-width': 2}),
          plans.map((plan) => svg('circle', {cx: x(plan.memory.peak_bytes), cy: y(plan.iteration_ns), r: 4, fill: colour}, svg('title', {}, hintOfPlan(plan)))),
          svg('text', {x: x(last.memory.peak_bytes) + 8, y: y(last.iteration_ns) + 4, fill: colour}, counted(devices, 'device'))];
      })));
}
