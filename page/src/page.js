// The page from top to bottom. The summary is drawn as soon as the answer is read, before the timelines are.

import {adviceBars} from './advice.js';
import {barRows} from './bar_rows.js';
import {collectivesTable} from './collectives.js';
import {el, embedded, part} from './dom.js';
import {contents, glossaryEntries, linked} from './glossary.js';
import {graphDrawing} from './graph.js';
import {leftOut} from './left_out.js';
import {longestOfPath, pathStrip} from './path_strip.js';
import {frontChart} from './plan.js';
import {rankBars} from './ranks.js';
import {sweepCharts} from './sweep.js';
import {sectionOf} from './tables.js';
import {readTimelines} from './timeline/columns.js';
import {timelineView} from './timeline/view.js';
import {tiles, titleLine, titleOf, verdict} from './verdict.js';
import {waterfall} from './waterfall.js';

// The reports in each part of the page. All other reports are the main answer of a command and are shown below the
// tiles.
const REPORTS = {
  question: ['changes', 'range', 'problems'],
  advice: ['advice', 'long calls', 'together', 'limits', 'values', 'no gains', 'meaning', 'left out'],
  ranks: ['breakdown', 'difference', 'stragglers', 'steps'],
  path: ['path summary', 'paths', 'path tasks'],
  sweep: ['points'],
  plan: ['front'],
  next: ['where to look'],
  rest: ['size', 'conversion', 'unexplained', 'clocks', 'input', 'assumptions', 'tasks detail'],
  network: ['network', 'links', 'calibration', 'interference', 'device work', 'device_work'],
};

/** Returns the sections of these reports; their tables are folded, because a chart or the timeline shows the same. */
function sections(text, ids) {
  return text.sections.filter((section) => ids.includes(section.report)).map((section) => sectionOf(section, true));
}

/** Returns what to look at next, as parts of the page: their headings follow the page's title. */
function nextParts(text) {
  return text.sections.filter((section) => REPORTS.next.includes(section.report))
    .map((section) => part('next', linked(section.title), sectionOf({...section, title: ''})));
}

/** Returns the sections about the path. Without a timeline they include the path's tasks; otherwise the page lists these itself. */
function pathSections(text, withTasks) {
  const listsTasks = (section) => section.columns?.some((column) => column.title === 'task');
  return text.sections.filter((section) => REPORTS.path.includes(section.report) && (withTasks || !listsTasks(section))).map((section) => sectionOf(section, true));
}

function otherSections(text) {
  const placed = Object.values(REPORTS).flat();
  return text.sections.filter((section) => !placed.includes(section.report)).map((section) => sectionOf(section));
}

/** Returns the part that is filled in when the timelines have been read, or null if there are none. */
function timelinePart(text) {
  if (text.replays === 0) return null;
  return el('section', {id: 'timeline', 'aria-labelledby': 'timeline-title'},
    el('h2', {id: 'timeline-title'}, 'Timeline'), el('p.loading', {role: 'status'}, 'Reading the timeline.'));
}

function showContents() {
  document.getElementById('contents').replaceWith(contents());
}

async function drawTimelines(answer, places) {
  if (places.timeline === null) {
    places.leftOut.replaceWith(...[part('left-out', 'What is left out', leftOut(answer, []))].filter(Boolean));
    showContents();
    return;
  }
  const graphs = await readTimelines();
  const view = timelineView(graphs);
  places.timeline.querySelector('.loading').remove();
  places.timeline.append(view.element);
  view.start();
  const withPath = graphs.flatMap((graph) => graph.sides).filter((side) => side.path && side.path.span.length > 0);
  places.path.append(...withPath.map((side) => longestOfPath(side, (span) => view.show(side, span))));
  places.leftOut.replaceWith(...[part('left-out', 'What is left out', leftOut(answer, graphs))].filter(Boolean));
  // Takes a while where there are many tasks, and nobody waits for it.
  setTimeout(() => {
    const collectives = part('collectives', 'Collectives and messages', graphs.map(collectivesTable));
    if (collectives !== null) places.collectives.replaceWith(collectives);
    places.glossary.replaceChildren(...[glossaryEntries()].filter(Boolean));
    showContents();
    document.documentElement.dataset.complete = 'yes';
  });
}

export function start(libraries) {
  const text = embedded('document');
  const answer = embedded('answer');
  document.title = `${titleOf(answer)} - stepsim`;
  const timelines = timelinePart(text);
  const pathDetail = el('div');
  const collectives = el('div');
  const left = el('div');
  const glossary = el('div');
  document.getElementById('page').replaceChildren(...[
    titleLine(answer), verdict(answer, text), tiles(answer), ...nextParts(text), el('nav', {id: 'contents'}),
    part('graph', 'Graph', graphDrawing(embedded('graph'))),
    // The bars of advice have their ranges on a page.
    part('bars', 'Chart', answer.advice ? null : barRows(embedded('bars'))),
    part('advice', 'Advice', adviceBars(answer), sections(text, REPORTS.advice)),
    part('question', 'Changes and uncertainty', sections(text, REPORTS.question)),
    part('ranks', 'Where the time of a step goes', rankBars(answer), sections(text, REPORTS.ranks)),
    part('path', 'Critical path', pathStrip(answer), pathSections(text, timelines === null), timelines === null ? null : pathDetail),
    timelines,
    part('waterfall', 'From the baseline to the scenario', waterfall(answer)),
    part('sweep', 'Sweep', sweepCharts(answer, libraries), sections(text, REPORTS.sweep)),
    part('front', 'Memory against step time', frontChart(answer), sections(text, REPORTS.plan)),
    part('answer-itself', 'The answer', otherSections(text)),
    collectives,
    part('network', 'Network, links and kernels', sections(text, REPORTS.network)),
    part('rest', 'Clocks, input and assumptions', sections(text, REPORTS.rest)),
    left,
    part('glossary', 'Glossary', glossary),
    el('footer', {}, el('p', {}, text.origin)),
  ].filter(Boolean));
  glossary.replaceChildren(...[glossaryEntries()].filter(Boolean));
  showContents();
  performance.mark('summary');
  const finish = () => drawTimelines(answer, {timeline: timelines, path: pathDetail, collectives, leftOut: left, glossary})
    .then(() => { performance.mark('timeline'); document.documentElement.dataset.ready = 'yes'; });
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', finish);
  else finish();
}
