// What the page does not show, and how to see it.

import {el} from './dom.js';
import {counted, duration} from './format.js';

export function leftOut(answer, graphs) {
  const list = [];
  graphs.forEach((graph) => {
    if (graph.mergedTasks === 0) return;
    list.push(`Timeline of ${graph.sides.map((side) => side.name).join(' and ')}: ${counted(graph.mergedTasks, 'task')} of ${graph.tasks.toLocaleString('en')} shorter than ` +
      `${duration(graph.mergedBelow)} are drawn as one with their neighbours. All of them: -o with .trace.json, in ui.perfetto.dev.`);
  });
  if (graphs.length === 0 && answer.points) list.push('The points of a sweep have no timelines. Of one point: stepsim whatif with its settings, -o with .html.');
  if (graphs.length > 0) {
    list.push('Arrows join a task to what released it and to what it released; dependencies that did not decide when a task started are not shown. All tasks and times: --json with --tasks.');
    list.push('Counters, Python stacks and input shapes of the trace are not shown; the trace itself in ui.perfetto.dev has them.');
  }
  return list.length === 0 ? null : el('ul', {}, list.map((sentence) => el('li', {}, sentence)));
}
