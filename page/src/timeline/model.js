// Rows of spans that do not overlap, sorted by start, so that binary search finds the span at a time. Each row also has
// the sum of durations up to each span, which gives the busy share of a pixel without visiting its spans.

import {CLASSES, classOfKind, tensorColors} from '../classes.js';

/** Returns the first index in [from, to) of ascending `numbers` whose number is at least `least`. */
export function lowerBound(numbers, least, from, to) {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isSorted(spans, start) {
  for (let i = 1; i < spans.length; ++i) if (start[spans[i]] < start[spans[i - 1]]) return false;
  return true;
}

/** Spans of one row of a lane. Times are display times: those of the side plus `shift`. */
class Row {
  constructor(side, spans, shift) {
    const {length} = spans;
    this.spans = spans;
    this.begin = new Float64Array(length);
    this.end = new Float64Array(length);
    this.busy = new Float64Array(length + 1);
    for (let i = 0; i < length; ++i) {
      this.begin[i] = side.start[spans[i]] + shift;
      this.end[i] = this.begin[i] + side.duration[spans[i]];
      this.busy[i + 1] = this.busy[i] + side.duration[spans[i]];
    }
    const path = [];
    for (let i = 0; i < length && side.path; ++i) if (side.onPath[spans[i]] === 1) path.push(i);
    this.onPath = {begin: Float64Array.from(path, (i) => this.begin[i]), end: Float64Array.from(path, (i) => this.end[i])};
  }

  get length() { return this.spans.length; }
  /** Returns the first span that ends after `time`. */
  firstAfter(time) {
    const at = lowerBound(this.end, time, 0, this.length);
    return at < this.length && this.end[at] === time && this.begin[at] < time ? at + 1 : at;
  }
  /** Returns the index of the span at `time`, or of the nearest one within `reach`; -1 if there is none. */
  at(time, reach) {
    const next = lowerBound(this.end, time, 0, this.length);
    const far = (i) => (i < 0 || i >= this.length ? Infinity : Math.max(0, this.begin[i] - time, time - this.end[i]));
    const best = far(next) <= far(next - 1) ? next : next - 1;
    return far(best) <= reach ? best : -1;
  }
}

function rowsOfLane(side, lane, shift) {
  const {laneBegin} = side.graph;
  const [first, end] = [laneBegin[lane], laneBegin[lane + 1]];
  const byRow = [];
  for (let span = first; span < end; ++span) (byRow[side.row[span]] ??= []).push(span);
  return byRow.map((spans) => {
    if (!isSorted(spans, side.start)) spans.sort((a, b) => side.start[a] - side.start[b]);
    return new Row(side, Uint32Array.from(spans), shift);
  });
}

/** Returns the lines of the timeline for `lanes`: {side, lane, row, label}. */
function linesOfSide(side, lanes) {
  return lanes.flatMap((lane) => rowsOfLane(side, lane, side.shift)
    .map((row, i) => ({side, lane, row, rowNumber: i, label: i === 0 ? side.graph.lanes[lane].name : ''})));
}

/** The lanes of one rank in all sides. Rows are created at first use. */
class Group {
  constructor(rank, sides) {
    this.rank = rank;
    this.open = false;
    this.lanes = sides.map((side) => ({side, lanes: [...side.graph.lanes.keys()].filter((lane) =>
      side.graph.lanes[lane].rank === rank && side.graph.lanes[lane].spans > 0)})).filter((entry) => entry.lanes.length > 0);
    const hosts = new Set(this.lanes.flatMap(({side, lanes}) => lanes.map((lane) => side.graph.lanes[lane].host)).filter((host) => host !== ''));
    this.title = `rank ${rank}${hosts.size > 0 ? `, host ${[...hosts].join(', ')}` : ''}`;
  }

  /** Returns [{side, lines}]. */
  get blocks() {
    return this.made ??= this.lanes.map(({side, lanes}) => ({side, lines: linesOfSide(side, lanes)}));
  }
}

/** The groups, ordered by rank, and the range of all times. */
export class Model {
  constructor(graphs) {
    this.graphs = graphs;
    this.sides = graphs.flatMap((graph) => graph.sides);
    // Aligns all sides at the beginning of the step that the path belongs to.
    const latest = Math.max(0, ...this.sides.map((side) => side.align));
    this.begin = Infinity;
    this.end = -Infinity;
    for (const graph of graphs) {
      graph.classes = graph.kinds.map(classOfKind);
      graph.tensors = tensorColors(graph.names, graph.kinds);
      this.colorBy(graph, false);
    }
    for (const side of this.sides) {
      side.shift = latest - side.align;
      this.measureSpan(side);
      this.markPath(side);
    }
    if (!(this.end > this.begin)) [this.begin, this.end] = [0, 1];
    this.groups = this.makeGroups();
  }

  measureSpan(side) {
    for (let span = 0; span < side.start.length; ++span) {
      const begin = side.start[span] + side.shift;
      if (begin < this.begin) this.begin = begin;
      if (begin + side.duration[span] > this.end) this.end = begin + side.duration[span];
    }
  }

  makeGroups() {
    const ranks = [...new Set(this.graphs.flatMap((graph) => graph.lanes.map((lane) => lane.rank)))].sort((a, b) => a - b);
    return ranks.map((rank) => new Group(rank, this.sides)).filter((group) => group.lanes.length > 0);
  }

  markPath(side) {
    side.onPath = new Uint8Array(side.path ? side.graph.spans : 0);
    side.path?.span.forEach((span) => { side.onPath[span] = 1; });
  }

  get hasTensors() { return this.graphs.some((graph) => graph.tensors.some((color) => color !== null)); }

  /** Colours partitions by tensor if `tensors`, otherwise by class. */
  colorBy(graph, tensors) {
    graph.colors = graph.classes.map((name, i) => (tensors && graph.tensors[i]) || CLASSES[name].color);
  }

  beginOf(side, span) { return side.start[span] + side.shift; }
  endOf(side, span) { return side.start[span] + side.shift + side.duration[span]; }
  groupOf(side, span) {
    const {rank} = side.graph.lanes[side.graph.lane[span]];
    return this.groups.find((group) => group.rank === rank);
  }
}
