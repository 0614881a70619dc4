// Collectives and messages by name, computed from the timeline: how often, how much, transferring or waiting, exposed transfer.

import {classOfKind} from './classes.js';
import {counted, dataSize, duration, percent} from './format.js';
import {table} from './tables.js';

const KINDS = ['collective', 'transfer'];

/** The merged intervals in which a rank computes, with the sum of their lengths up to each. */
class BusyTime {
  constructor(side, rank) {
    const {graph} = side;
    const spans = [];
    graph.lanes.forEach((lane, i) => {
      if (lane.rank !== rank) return;
      for (let span = graph.laneBegin[i]; span < graph.laneBegin[i + 1]; ++span) {
        if (classOfKind(graph.kindOf(span)) === 'compute') spans.push(span);
      }
    });
    spans.sort((a, b) => side.start[a] - side.start[b]);
    [this.begin, this.end, this.before] = [[], [], []];
    let sum = 0;
    for (const span of spans) {
      const [begin, end] = [side.start[span], side.start[span] + side.duration[span]];
      if (this.end.length > 0 && begin <= this.end.at(-1)) {
        sum += Math.max(0, end - this.end.at(-1));
        this.end[this.end.length - 1] = Math.max(this.end.at(-1), end);
      } else {
        this.begin.push(begin);
        this.end.push(end);
        this.before.push(sum);
        sum += end - begin;
      }
    }
  }

  /** Returns the busy time before `time`. */
  upTo(time) {
    let [low, high] = [0, this.begin.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.begin[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? 0 : this.before[low - 1] + Math.min(time, this.end[low - 1]) - this.begin[low - 1];
  }
}

/** Returns a map from name to sums over the communication spans of the graph's last side. */
export function communicationOf(graph) {
  const side = graph.sides.at(-1);
  const busy = new Map();
  const sums = new Map();
  for (let span = 0; span < graph.spans; ++span) {
    if (!KINDS.includes(graph.kindOf(span))) continue;
    const {rank} = graph.lanes[graph.lane[span]];
    if (!busy.has(rank)) busy.set(rank, new BusyTime(side, rank));
    const waited = side.replay?.waited[span] ?? 0;
    const begin = side.start[span] + waited;
    const end = side.start[span] + side.duration[span];
    const entry = sums.get(graph.nameOf(span)) ?? {kind: graph.kindOf(span), count: 0, bytes: 0, transfer: 0, waited: 0, exposed: 0};
    entry.count += 1;
    entry.bytes += graph.bytes[span];
    entry.waited += waited;
    entry.transfer += end - begin;
    entry.exposed += end - begin - (busy.get(rank).upTo(end) - busy.get(rank).upTo(begin));
    sums.set(graph.nameOf(span), entry);
  }
  return sums;
}

export function collectivesTable(graph) {
  const sums = [...communicationOf(graph)].sort((a, b) => b[1].transfer + b[1].waited - a[1].transfer - a[1].waited);
  if (sums.length === 0) return null;
  const columns = [{title: 'name'}, {title: 'kind'}, {title: 'count', right: true}, {title: 'data', right: true}, {title: 'transfer', right: true},
                   {title: 'waiting for ranks', right: true}, {title: 'rate', right: true}, {title: 'exposed transfer', right: true}];
  const rows = sums.map(([name, sum]) => [name, sum.kind, String(sum.count), sum.bytes > 0 ? dataSize(sum.bytes) : '-', duration(sum.transfer), duration(sum.waited),
    sum.bytes > 0 && sum.transfer > 0 ? `${dataSize(Math.round(sum.bytes / sum.transfer * 1e9))}/s` : '-', sum.transfer > 0 ? percent(sum.exposed / sum.transfer) : '-']);
  const side = graph.sides.at(-1);
  return table(`${side.name}: ${counted(sums.length, 'kind')} of communication over all ranks and the whole capture; exposed transfer: the share while the rank computes nothing`,
    columns, rows, {file: `communication-${side.name}.csv`});
}
