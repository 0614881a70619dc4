// The panel's content for a task or a time span, and the export of the visible range as a Chrome trace.

import {CLASSES, classOfKind} from '../classes.js';
import {button, el} from '../dom.js';
import {counted, dataSize, duration, exactDuration, percent, signedPercent} from '../format.js';
import {table} from '../tables.js';
import {lowerBound} from './model.js';

const MOST_NAMES = 200;

function link(side, span, show) {
  const lane = side.graph.lanes[side.graph.lane[span]];
  return [button(side.graph.nameOf(span), () => show(side, span)), ` on ${lane.name}, rank ${lane.rank}`];
}

function releaseText(side, span, show) {
  const release = side.replay.releaseOf(span);
  if (release === null) return 'nothing: it is the first on its rank';
  return [release.byLane ? 'earlier work on the same thread or stream: ' : '', link(side, release.span, show)];
}

/** Returns the times of the same task in the other side of its graph: measured instead of replayed, or the reverse. */
function otherTimes(side, span) {
  const other = side.graph.sides.find((entry) => entry !== side);
  if (other === undefined) return [];
  const difference = side.replayed ? side.duration[span] - other.duration[span] : other.duration[span] - side.duration[span];
  const measured = side.replayed ? other.duration[span] : side.duration[span];
  return [[`duration, ${other.name}`, exactDuration(other.duration[span])],
          ['replayed against measured', measured > 0 ? `${duration(difference)} (${signedPercent(difference / measured)})` : duration(difference)]];
}

/** Returns the durations of tasks with the same name on the same rank in the other graphs: before or after a what-if. */
function sameName(model, side, span) {
  const {graph} = side;
  const {rank} = graph.lanes[graph.lane[span]];
  return model.graphs.filter((other) => other !== graph).map((other) => {
    const name = other.names.findIndex((text, i) => text === graph.nameOf(span) && other.kinds[i] === graph.kindOf(span));
    const last = other.sides.at(-1);
    let [count, time] = [0, 0];
    other.lanes.forEach((lane, i) => {
      if (name === -1 || lane.rank !== rank) return;
      for (let at = other.laneBegin[i]; at < other.laneBegin[i + 1]; ++at) {
        if (other.name[at] !== name) continue;
        count += 1;
        time += last.duration[at];
      }
    });
    const text = count === 0 ? `none on rank ${rank}` : `${counted(count, 'task')} on rank ${rank}, ${duration(time / count)} on average`;
    return [`same name, ${last.name}`, text];
  });
}

export function detailOf(model, side, span, show) {
  const {graph} = side;
  const lane = graph.lanes[graph.lane[span]];
  const facts = [
    ['class', `${CLASSES[classOfKind(graph.kindOf(span))].label} (${graph.kindOf(span)})`],
    ['timeline', side.name],
    ['thread or stream', `${lane.name}, rank ${lane.rank}${lane.host === '' ? '' : `, host ${lane.host}`}`],
    ['start', exactDuration(side.start[span])],
    ['duration', exactDuration(side.duration[span])],
    ...otherTimes(side, span),
    ...sameName(model, side, span),
  ];
  if (graph.bytes[span] > 0) facts.push(['data', `${dataSize(graph.bytes[span])} (${graph.bytes[span]} bytes)`]);
  if (side.replay) {
    facts.push(['waited for', releaseText(side, span, show)]);
    if (side.replay.waited[span] > 0) facts.push(['waited in its collective', [exactDuration(side.replay.waited[span]), ' for ', link(side, side.replay.lastOf(span), show)]]);
    const slack = side.replay.slackOf(span);
    facts.push(['slack', slack === null ? 'nothing waits for it' : `${exactDuration(slack)} until what waits for it would start later`]);
    facts.push(['on the critical path', side.onPath[span] === 1 ? `yes, of ${side.path.of}` : 'no']);
  }
  return el('div', {}, el('h3.name', {}, graph.nameOf(span)), el('dl.facts', {}, facts.map(([what, value]) => [el('dt', {}, what), el('dd', {'data-fact': what}, value)])));
}

/** Calls use(span, time within [begin, end)) for the spans of the side's expanded lines. */
function forEachWithin(model, side, begin, end, use) {
  for (const group of model.groups.filter((entry) => entry.open)) {
    for (const block of group.blocks.filter((entry) => entry.side === side)) {
      for (const {row} of block.lines) {
        for (let i = lowerBound(row.end, begin, 0, row.length); i < row.length && row.begin[i] < end; ++i) {
          use(row.spans[i], Math.min(row.end[i], end) - Math.max(row.begin[i], begin));
        }
      }
    }
  }
}

/** Returns a table of sums by name over a time span, for each side. */
export function aggregateTable(model, begin, end, title) {
  const rows = [];
  for (const side of model.sides) {
    const sums = new Map();
    forEachWithin(model, side, begin, end, (span, time) => {
      const sum = sums.get(side.graph.name[span]) ?? {count: 0, time: 0};
      sum.count += 1;
      sum.time += time;
      sums.set(side.graph.name[span], sum);
    });
    for (const [name, sum] of sums) rows.push({side, name, ...sum});
  }
  rows.sort((a, b) => b.time - a.time);
  const cells = rows.slice(0, MOST_NAMES).map((row) => [row.side.graph.names[row.name], row.side.name, String(row.count), duration(row.time), percent(row.time / (end - begin))]);
  return el('div', {}, el('h3', {}, title), el('p', {}, `${exactDuration(Math.round(end - begin))}, of the ranks that are open`),
    table(`The ${counted(cells.length, 'name')} of most time`, [{title: 'task'}, {title: 'timeline'}, {title: 'count', right: true}, {title: 'time', right: true}, {title: 'of the span', right: true}], cells, {file: 'span.csv'}));
}

/** Returns the visible range of the expanded ranks in the Trace Event Format. Times are microseconds, exact to the nanosecond. */
export function chromeTrace(model, view) {
  const events = [];
  model.sides.forEach((side, pid) => {
    events.push({ph: 'M', name: 'process_name', pid, tid: 0, args: {name: side.name}});
    const named = new Set();
    forEachWithin(model, side, view.begin, view.end, (span) => {
      const tid = side.graph.lane[span] * 1000 + side.row[span];
      const lane = side.graph.lanes[side.graph.lane[span]];
      if (!named.has(tid)) events.push({ph: 'M', name: 'thread_name', pid, tid, args: {name: `rank ${lane.rank} ${lane.name}`}});
      named.add(tid);
      events.push({ph: 'X', name: side.graph.nameOf(span), cat: side.graph.kindOf(span), pid, tid, ts: side.start[span] / 1000, dur: side.duration[span] / 1000});
    });
  });
  return JSON.stringify({displayTimeUnit: 'ns', traceEvents: events});
}
