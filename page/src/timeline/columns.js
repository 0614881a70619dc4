// Reads the columns written by sim/export/page/page_timelines.cpp, which documents them.

import {embedded} from '../dom.js';

async function bytesOf(id) {
  const element = document.getElementById(id);
  const text = element.textContent;
  element.remove();
  const packed = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

/** Decodes whole numbers with seven bits per byte, the lowest bits first. Exact up to 2^53. */
export function decodeNumbers(bytes, count, Type = Float64Array) {
  const numbers = new Type(count);
  let at = 0;
  for (let i = 0; i < count; ++i) {
    let byte = bytes[at++];
    let value = byte & 127;
    for (let scale = 128; byte >= 128; scale *= 128) {
      byte = bytes[at++];
      value += (byte & 127) * scale;
    }
    numbers[i] = value;
  }
  return numbers;
}

/** Decodes 0, 1, 2, 3, ... to 0, -1, 1, -2, ... */
export function signed(number) {
  return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
}

async function column(id, count, Type) {
  return decodeNumbers(await bytesOf(id), count, Type);
}

class Graph {
  constructor(described) {
    Object.assign(this, {tasks: described.tasks, spans: described.spans, names: described.names, kinds: described.kinds, lanes: described.lanes,
                         steps: described.steps, mergedTasks: described.merged_tasks, mergedBelow: described.merged_below_ns});
    this.laneBegin = new Uint32Array(this.lanes.length + 1);
    this.lane = new Uint32Array(this.spans);
    this.lanes.forEach((lane, i) => {
      this.laneBegin[i + 1] = this.laneBegin[i] + lane.spans;
      this.lane.fill(i, this.laneBegin[i], this.laneBegin[i + 1]);
    });
  }

  nameOf(span) { return this.names[this.name[span]]; }
  kindOf(span) { return this.kinds[this.name[span]]; }
}

/** Converts distances between spans to starts, in place. */
function startsOf(distances, durations) {
  let before = 0;
  for (let span = 0; span < distances.length; ++span) {
    distances[span] = before + signed(distances[span]);
    before = distances[span] + durations[span];
  }
  return distances;
}

async function readPath(prefix, described) {
  const count = described.tasks;
  const [span, start, duration, wait, queueing] = await Promise.all([column(`${prefix}.path`, count), column(`${prefix}.path_start`, count),
    column(`${prefix}.path_duration`, count), column(`${prefix}.path_wait`, count), column(`${prefix}.path_queueing`, count)]);
  let before = 0;
  for (let i = 0; i < count; ++i) before = span[i] = before + signed(span[i]);
  return {of: described.of, begin: described.begin_ns, length: described.length_ns, span, start, duration, wait, queueing};
}

/** Reads what each task waited for and its slack. Only needed when a task is selected. */
async function readReplay(prefix, spans) {
  const [waited, last, release, slack] = await Promise.all(
    ['waited', 'last', 'release', 'slack'].map((name) => column(`${prefix}.${name}`, spans)));
  const at = (span, distance) => span + signed(distance);
  const releasedBy = (span) => (release[span] === 0 ? -1 : at(span, Math.floor((release[span] - 1) / 2)));
  return {
    releasedBy,
    waited,
    lastOf: (span) => (last[span] === 0 ? null : at(span, last[span] - 1)),
    releaseOf: (span) => (release[span] === 0 ? null
      : {span: releasedBy(span), byLane: (release[span] - 1) % 2 === 1}),
    slackOf: (span) => (slack[span] === 0 ? null : slack[span] - 1),
  };
}

async function readSide(graph, described, prefix, number) {
  const [distance, length, row] = await Promise.all([column(`${prefix}.start`, graph.spans), column(`${prefix}.duration`, graph.spans),
    column(`${prefix}.row`, graph.spans, Uint32Array)]);
  const side = {graph, number, name: described.name, replayed: described.replayed, align: described.align_ns,
                start: startsOf(distance, length), duration: length, row};
  if (described.replayed) {
    side.path = await readPath(prefix, described.path);
    side.replay = await readReplay(prefix, graph.spans);
  }
  return side;
}

/** Reads the graphs of the page with their sides, in display order. */
export async function readTimelines() {
  const described = embedded('timelines') ?? [];
  return Promise.all(described.map(async (entry, number) => {
    const graph = new Graph(entry);
    graph.number = number;
    graph.name = await column(`${number}.name`, graph.spans, Uint32Array);
    graph.bytes = await column(`${number}.bytes`, graph.spans);
    graph.sides = await Promise.all(entry.sides.map((side, i) => readSide(graph, side, `${number}.${i}`, i)));
    return graph;
  }));
}
