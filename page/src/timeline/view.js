// The timeline: its visible part, and how mouse and keyboard change it.

import {button, copy, el, save} from '../dom.js';
import {counted, duration} from '../format.js';
import {aggregateTable, chromeTrace, detailOf} from './detail.js';
import {fragmentOf, viewOfFragment} from './fragment.js';
import {Model} from './model.js';
import {AXIS, GUTTER, Painter, ROW} from './painter.js';
import {Search} from './search.js';

const HEADING = 20;
const LEAST_WIDTH = 16;  // nanoseconds
const OPEN_LINES = 40;
const KEYS = [['drag', 'pan'], ['Ctrl + wheel, pinch', 'zoom at the pointer'], ['W S', 'zoom in, out'], ['A D, arrows', 'pan'], ['F', 'fit everything'], ['Z', 'fit the selected task'],
  ['M', 'mark the step'], ['/', 'search names (a regular expression); Enter and Shift + Enter: next, previous'], ['click', 'select a task'],
  [', .', 'the previous, next task of its thread or stream'], ['[ ]', 'step along the critical path'], ['Shift + drag', 'measure a span, sums by name'],
  ['Escape', 'drop the selection'], ['?', 'this list']];

class TimelineView {
  constructor(graphs) {
    this.model = new Model(graphs);
    this.canvas = el('canvas', {'aria-hidden': true});
    this.spacer = el('div.spacer');
    this.viewport = el('div.viewport', {tabindex: 0, role: 'application', 'aria-label': 'Timeline', 'aria-describedby': 'timeline-summary'}, this.canvas, this.spacer);
    this.panel = el('aside.panel', {'aria-label': 'Selected task', 'aria-live': 'polite', id: 'panel'}, el('p', {}, 'Click a task, or walk the path with [ and ].'));
    this.search = new Search(this.model, {changed: () => this.redraw(), show: (side, span) => this.reveal(side, span)});
    this.keys = el('dialog', {'aria-label': 'Keys'}, el('h3', {}, 'Keys'), el('dl.keys', {}, KEYS.map(([key, what]) => [el('dt', {}, key), el('dd', {}, what)])),
      button('Close', () => this.keys.close()));
    this.element = el('div.timeline', {}, el('p', {id: 'timeline-summary'}, this.summary()), this.toolbar(), el('div.frame', {}, this.viewport, this.panel), this.keys);
    this.painter = new Painter(this.canvas, this.model);
    this.view = {...this.firstRange(), top: 0, coarse: false, selected: null, arrows: [], matches: null, mark: null, stepBegins: this.stepBegins()};
    this.openFirstGroups();
    this.listen();
  }

  summary() {
    const of = this.model.sides.map((side) => `${side.name}: ${counted(side.graph.tasks, 'task')} on ${side.graph.lanes.length.toLocaleString('en')} threads and streams`
      + (side.path ? `, of which ${side.path.span.length.toLocaleString('en')} are on the critical path of ${side.path.of} (edges above and below)` : ''));
    return `${duration(this.model.end - this.model.begin)} in all. ${of.join('; ')}. Boxes carry the letters of their classes. Press ? for keys.`;
  }

  toolbar() {
    return el('div.tools', {}, button('Fit', () => this.fit()), button('+', () => this.zoom(0.5)), button('\u2212', () => this.zoom(2)), this.rankChoice(), this.search.element,
      button('Save range as Chrome trace', () => save('range.trace.json', 'application/json', chromeTrace(this.model, this.view))),
      this.model.hasTensors ? this.tensorButton() : null,
      button('Copy link', () => copy(location.href), 'Copied'), button('Keys', () => this.keys.showModal()));
  }

  /** Returns a control that expands a rank and scrolls to it; null if there is only one rank. */
  rankChoice() {
    if (this.model.groups.length < 2) return null;
    const choice = el('select', {'aria-label': 'Go to a rank'}, this.model.groups.map((group, i) => el('option', {value: i}, group.title)));
    choice.addEventListener('change', () => {
      const group = this.model.groups[Number(choice.value)];
      if (!group.open) this.toggle(group);
      this.viewport.scrollTop = this.layout.find((line) => line.group === group).y;
    });
    return choice;
  }

  tensorButton() {
    const toggle = el('button', {type: 'button', 'aria-pressed': 'false'}, 'Colour by tensor');
    toggle.addEventListener('click', () => {
      const on = toggle.getAttribute('aria-pressed') === 'false';
      toggle.setAttribute('aria-pressed', String(on));
      this.model.graphs.forEach((graph) => this.model.colorBy(graph, on));
      this.redraw();
    });
    return toggle;
  }

  /** Expands the rank of the path first, then as many others as fit. */
  openFirstGroups() {
    const path = this.model.sides.find((side) => side.path && side.path.span.length > 0);
    const first = path ? this.model.groupOf(path, path.path.span[0]) : this.model.groups[0];
    let lines = 0;
    for (const group of new Set([first, ...this.model.groups])) {
      if (group === undefined || lines > OPEN_LINES) break;
      group.open = true;
      lines += group.lanes.reduce((sum, entry) => sum + entry.lanes.length, 0);
    }
    this.arrange();
  }

  /** Computes the position of every line. */
  arrange() {
    this.layout = [];
    let y = 0;
    const add = (line, height) => { this.layout.push({...line, y, height}); y += height; };
    for (const group of this.model.groups) {
      add({group, label: group.title}, HEADING);
      if (!group.open) continue;
      for (const block of group.blocks) {
        add({heading: true, label: block.side.name}, ROW);
        for (const line of block.lines) add(line, ROW);
      }
    }
    this.contentHeight = y;
    this.spacer.style.setProperty('height', `${Math.max(0, y)}px`);
  }

  stepBegins() {
    const begins = new Set();
    for (const side of this.model.sides) for (const step of side.graph.steps) begins.add(step.begin_ns[side.number] + side.shift);
    return [...begins];
  }

  /** Must be called after the element was added to the page. */
  start() {
    const fit = () => {
      const height = Math.max(160, Math.min(this.contentHeight + AXIS + 4, 560));
      this.viewport.style.setProperty('height', `${height}px`);
      this.painter.resize(Math.max(320, this.viewport.clientWidth), height);
      this.spacer.style.setProperty('margin-top', `${AXIS - height}px`);
      this.paint();
    };
    this.refit = fit;
    new ResizeObserver(fit).observe(this.element);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.redraw());
    addEventListener('hashchange', () => this.restore());
    fit();
    this.restore();
  }

  restore() {
    if (location.hash === this.written) return;
    const found = viewOfFragment(location.hash, this.model);
    if (found === null) return;
    Object.assign(this.view, found.view);
    if (found.query !== '') this.search.set(found.query);
    if (found.selected) this.select(found.selected.side, found.selected.span);
    if (found.mark) this.measure(...found.mark);
    this.redraw();
  }

  redraw() {
    document.documentElement.dataset.settled = 'no';
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.paint(); });
  }

  paint() {
    const begin = performance.now();
    document.documentElement.dataset.settled = 'no';
    this.view.top = this.viewport.scrollTop;
    this.view.matches = this.search.matches;
    this.painter.draw(this.view, this.layout);
    this.canvas.dataset.drawMs = (performance.now() - begin).toFixed(1);
    clearTimeout(this.still);
    this.still = setTimeout(() => {
      this.written = fragmentOf(this.model, this.view, this.search.query);
      if (this.written !== location.hash) history.replaceState(null, '', this.written);
      if (this.view.coarse) {
        this.view.coarse = false;
        this.redraw();
      } else if (!this.pending) {
        document.documentElement.dataset.settled = 'yes';  // tests wait for this
      }
    }, 120);
  }

  // --- visible range

  fit() { this.look(this.model.begin, this.model.end); }

  /** Returns the initial range: everything for one job, the compared steps for two. */
  firstRange() {
    const paths = this.model.sides.filter((side) => side.path && side.path.span.length > 0);
    if (this.model.graphs.length < 2 || paths.length === 0) return {begin: this.model.begin, end: this.model.end};
    const begin = Math.min(...paths.map((side) => side.path.begin + side.shift));
    const end = Math.max(...paths.map((side) => side.path.begin + side.shift + side.path.length));
    const margin = (end - begin) * 0.03;
    return {begin: begin - margin, end: end + margin};
  }

  fitSelected() {
    if (!this.view.selected) return;
    const {side, span} = this.view.selected;
    const [begin, end] = [this.model.beginOf(side, span), this.model.endOf(side, span)];
    const margin = Math.max((end - begin) * 0.1, LEAST_WIDTH);
    this.look(begin - margin, end + margin);
  }

  look(begin, end) {
    const whole = this.model.end - this.model.begin;
    const width = Math.min(Math.max(end - begin, Math.min(LEAST_WIDTH, whole)), whole * 1.1);
    const middle = (begin + end) / 2;
    const least = this.model.begin - whole * 0.05;
    this.view.begin = Math.min(Math.max(middle - width / 2, least), this.model.end + whole * 0.05 - width);
    this.view.end = this.view.begin + width;
    this.redraw();
  }

  zoom(factor, at = (this.view.begin + this.view.end) / 2) {
    this.look(at - (at - this.view.begin) * factor, at + (this.view.end - at) * factor);
  }

  pan(share) {
    const by = (this.view.end - this.view.begin) * share;
    this.look(this.view.begin + by, this.view.end + by);
  }

  timeAt(x) {
    return this.view.begin + (x - GUTTER) / this.painter.plotWidth * (this.view.end - this.view.begin);
  }

  lineAt(y) {
    const at = y - AXIS + this.viewport.scrollTop;
    return y < AXIS ? undefined : this.layout.find((line) => line.y <= at && at < line.y + line.height);
  }

  /** Selects the task and makes it visible. */
  reveal(side, span) {
    const group = this.model.groupOf(side, span);
    if (!group.open) this.toggle(group);
    const [begin, end] = [this.model.beginOf(side, span), this.model.endOf(side, span)];
    const width = this.view.end - this.view.begin;
    const pixels = (end - begin) / width * this.painter.plotWidth;
    const wanted = pixels < 8 || end - begin > width ? Math.max((end - begin) * 8, LEAST_WIDTH) : width;
    if (begin < this.view.begin || end > this.view.end || wanted !== width) this.look((begin + end - wanted) / 2, (begin + end + wanted) / 2);
    const line = this.layout.find((entry) => entry.side === side && entry.lane === side.graph.lane[span] && entry.rowNumber === side.row[span]);
    const height = this.painter.height - AXIS;
    if (line.y < this.viewport.scrollTop || line.y + ROW > this.viewport.scrollTop + height) this.viewport.scrollTop = Math.max(0, line.y - height / 2);
    this.select(side, span);
  }

  /** Like reveal(), but also scrolls the page to the timeline. */
  show(side, span) {
    this.element.scrollIntoView({block: 'center'});
    this.viewport.focus({preventScroll: true});
    this.reveal(side, span);
  }

  toggle(group) {
    group.open = !group.open;
    this.arrange();
    this.refit?.();
  }

  // --- selection

  select(side, span) {
    this.view.selected = {side, span};
    this.view.arrows = this.arrowsOf(side, span);
    this.panel.replaceChildren(detailOf(this.model, side, span, (other, at) => this.reveal(other, at)));
    this.redraw();
  }

  unselect() {
    Object.assign(this.view, {selected: null, arrows: [], mark: null});
    this.panel.replaceChildren(el('p', {}, 'Nothing is selected.'));
    this.redraw();
  }

  /** Returns the arrows from the task it waited for, and to the task that waited for it. */
  arrowsOf(side, span) {
    if (!side.replay) return [];
    const release = side.replay.releaseOf(span);
    const arrows = release === null ? [] : [[release.span, span]];
    for (let other = 0; other < side.graph.spans && arrows.length < 50; ++other) {
      if (side.replay.releasedBy(other) === span) arrows.push([span, other]);
    }
    return arrows;
  }

  /** Moves to the next or previous task of the path, on the selected side or else on the first side that has a path. */
  walk(by) {
    const selected = this.view.selected;
    const side = selected?.side.path ? selected.side : this.model.sides.find((entry) => entry.path && entry.path.span.length > 0);
    if (side === undefined) return;
    const {span} = side.path;
    const at = selected?.side === side ? span.indexOf(selected.span) : -1;
    this.reveal(side, span[at === -1 ? (by > 0 ? 0 : span.length - 1) : Math.min(Math.max(at + by, 0), span.length - 1)]);
  }

  neighbour(by) {
    if (!this.view.selected) return this.walk(1);
    const {side, span} = this.view.selected;
    const line = this.layout.find((entry) => entry.side === side && entry.lane === side.graph.lane[span] && entry.rowNumber === side.row[span]);
    const at = line.row.spans.indexOf(span) + by;
    if (at >= 0 && at < line.row.length) this.reveal(side, line.row.spans[at]);
  }

  /** Marks the step of the selection, or else the step in the middle of the visible range. */
  markStep() {
    const side = this.view.selected?.side ?? this.model.sides[0];
    const time = (this.view.selected ? this.model.beginOf(side, this.view.selected.span) : (this.view.begin + this.view.end) / 2) - side.shift;
    const rank = this.view.selected ? side.graph.lanes[side.graph.lane[this.view.selected.span]].rank : null;
    const step = side.graph.steps.find((entry) => (rank === null || entry.rank === rank) && entry.begin_ns[side.number] <= time && time < entry.end_ns[side.number]);
    if (step) this.measure(step.begin_ns[side.number] + side.shift, step.end_ns[side.number] + side.shift, `rank ${step.rank}, step ${step.step}, ${side.name}`);
  }

  /** Marks a time span and shows what is in it. */
  measure(begin, end, title = 'Measured span') {
    this.view.mark = [begin, end];
    this.panel.replaceChildren(aggregateTable(this.model, begin, end, title));
    this.redraw();
  }

  // --- events

  listen() {
    const {viewport} = this;
    viewport.addEventListener('scroll', () => this.redraw());
    viewport.addEventListener('wheel', (event) => this.wheel(event), {passive: false});
    viewport.addEventListener('pointerdown', (event) => this.press(event));
    viewport.addEventListener('keydown', (event) => this.key(event));
    document.addEventListener('keydown', (event) => {
      const typing = /^(input|textarea|select)$/i.test(event.target.tagName) || viewport.contains(event.target);
      if (!typing && !event.ctrlKey && !event.metaKey && (event.key === '/' || event.key === '?')) this.key(event);
    });
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) {
      if (Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
      this.pan(event.deltaX / this.painter.plotWidth);
    } else {
      this.zoom(2 ** (event.deltaY / 200), this.timeAt(event.clientX - this.canvas.getBoundingClientRect().left));
    }
    this.view.coarse = true;
    event.preventDefault();
  }

  press(event) {
    if (event.button !== 0) return;
    const box = this.canvas.getBoundingClientRect();
    if (event.clientX - box.left > this.viewport.clientWidth) return;
    const from = {x: event.clientX, y: event.clientY, begin: this.view.begin, end: this.view.end, top: this.viewport.scrollTop, time: this.timeAt(event.clientX - box.left)};
    let moved = false;
    const move = (now) => {
      const dx = now.clientX - from.x;
      moved ||= Math.abs(dx) + Math.abs(now.clientY - from.y) > 4;
      if (!moved) return;
      this.view.coarse = true;
      if (event.shiftKey) {
        const time = this.timeAt(now.clientX - box.left);
        this.view.mark = [Math.min(from.time, time), Math.max(from.time, time)];
        this.redraw();
      } else {
        const by = -dx / this.painter.plotWidth * (from.end - from.begin);
        this.look(from.begin + by, from.end + by);
        this.viewport.scrollTop = from.top - (now.clientY - from.y);
      }
    };
    const drop = (last) => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', drop);
      if (moved && event.shiftKey) this.measure(...this.view.mark);
      else if (!moved) this.click(last.clientX - box.left, last.clientY - box.top);
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', drop);
  }

  click(x, y) {
    const line = this.lineAt(y);
    if (line === undefined) return;
    if (line.group) {
      this.toggle(line.group);
    } else if (line.row && x >= GUTTER) {
      const at = line.row.at(this.timeAt(x), 3 / this.painter.plotWidth * (this.view.end - this.view.begin));
      if (at >= 0) this.select(line.side, line.row.spans[at]);
    }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = {
      w: () => this.zoom(0.5), s: () => this.zoom(2), '+': () => this.zoom(0.5), '-': () => this.zoom(2),
      a: () => this.pan(-0.2), d: () => this.pan(0.2), arrowleft: () => this.pan(-0.2), arrowright: () => this.pan(0.2),
      f: () => this.fit(), z: () => this.fitSelected(), m: () => this.markStep(), '/': () => this.search.focus(), '[': () => this.walk(-1), ']': () => this.walk(1),
      ',': () => this.neighbour(-1), '.': () => this.neighbour(1), escape: () => this.unselect(), '?': () => this.keys.showModal(),
    };
    const act = acts[event.key.toLowerCase()];
    if (act === undefined) return;
    event.preventDefault();
    act();
  }
}

export function timelineView(graphs) {
  return new TimelineView(graphs);
}
