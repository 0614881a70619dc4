// Lists what the page does not show, and how to see it.

import {el} from './dom.js';
import {counted, duration} from './format.js';

export function leftOut(answer, graphs) {
  const list = [];
  graphs.forEach((graph) => {
    if (graph.mergedTasks === 0) return;
    list.push(`Timeline of ${graph.sides.map((side) => side.name).join(' and ')}: ${counted(graph.mergedTasks, 'task')} of ${graph.tasks.toLocaleString('en')} shorter than ` +
      `${duration(graph.mergedBelow)} are drawn together with their neighbours. For all tasks use -o FILE.trace.json and open it in ui.perfetto.dev.`);
  });
  if (graphs.length === 0 && answer.points) list.push('The points of a sweep have no timelines. For one point use stepsim whatif with its settings and -o FILE.html.');
  if (graphs.length > 0) {
    list.push('Arrows lead from the task that the selected one waited for, and to the tasks that waited for it; other dependencies are not shown. For all tasks and times use --json --tasks.');
    list.push('Counters, Python stacks and input shapes of the trace are not shown; open the trace itself in ui.perfetto.dev to see them.');
  }
  return list.length === 0 ? null : el('ul', {}, list.map((sentence) => el('li', {}, sentence)));
}
