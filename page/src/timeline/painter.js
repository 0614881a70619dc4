// Draws the timeline on a canvas. Each span that is at least a pixel wide gets one box. Shorter spans share one box per
// pixel, which is paler the less of it is busy. So the cost depends on the number of pixels, not on the trace.

import {CLASSES} from '../classes.js';
import {duration, tickStep} from '../format.js';
import {lowerBound} from './model.js';

export const GUTTER = 190;
export const AXIS = 26;
export const ROW = 18;
const TEXT_WIDTH = 40;
const SHADES = 4;
const SAMPLES = 8;
const INKS = new Map(Object.values(CLASSES).map((style) => [style.color, style.ink]));

/** Collects boxes by colour, so that the canvas changes its colour only a few times. */
class Boxes {
  constructor() { this.byStyle = new Map(); }
  add(color, shade, x, y, width) {
    const key = `${color} ${shade}`;
    let list = this.byStyle.get(key);
    if (list === undefined) this.byStyle.set(key, list = []);
    list.push(x, y, width);
  }
  paint(context) {
    for (const [key, list] of this.byStyle) {
      const [color, shade] = key.split(' ');
      context.globalAlpha = Number(shade) / SHADES;
      context.fillStyle = color;
      for (let i = 0; i < list.length; i += 3) context.fillRect(list[i], list[i + 1], list[i + 2], ROW - 3);
    }
    context.globalAlpha = 1;
  }
}

export class Painter {
  constructor(canvas, model) {
    this.canvas = canvas;
    this.model = model;
    this.context = canvas.getContext('2d');
  }

  resize(width, height) {
    const ratio = globalThis.devicePixelRatio || 1;
    Object.assign(this, {width, height});
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.setProperty('width', `${width}px`);
    this.canvas.style.setProperty('height', `${height}px`);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  get plotWidth() { return Math.max(1, this.width - GUTTER); }

  /** view: {begin, end, top, coarse, selected: {side, span}, matches: for each graph a flag by name, mark}; layout: lines with their y. */
  draw(view, layout) {
    const {context} = this;
    const style = getComputedStyle(this.canvas);
    this.ink = style.getPropertyValue('--ink').trim() || '#111';
    this.paper = style.getPropertyValue('--paper').trim() || '#fff';
    this.faint = style.getPropertyValue('--faint').trim() || '#888';
    this.view = view;
    this.scale = this.plotWidth / (view.end - view.begin);
    context.fillStyle = this.paper;
    context.fillRect(0, 0, this.width, this.height);
    const visible = layout.filter((line) => line.y + line.height > view.top && line.y < view.top + this.height - AXIS);
    context.save();
    context.beginPath();
    context.rect(GUTTER, AXIS, this.plotWidth, this.height);
    context.clip();
    this.drawSteps(view);
    this.drawRows(visible, view);
    context.restore();
    this.drawLabels(visible, view);
    this.drawAxis(view);
  }

  x(time) { return GUTTER + (time - this.view.begin) * this.scale; }
  screenY(line) { return AXIS + line.y - this.view.top; }

  drawRows(visible, view) {
    const boxes = new Boxes();
    const dimmed = new Boxes();
    const texts = [];
    for (const line of visible) {
      if (line.row) this.collect(line, view, boxes, dimmed, texts);
    }
    this.context.save();
    dimmed.paint(this.context);
    this.context.restore();
    boxes.paint(this.context);
    this.context.font = '11px system-ui, sans-serif';
    this.context.textBaseline = 'middle';
    for (const [text, x, y, width, color] of texts) this.boxText(text, x, y, width, INKS.get(color));
    for (const line of visible) if (line.row) this.outlinePath(line, view);
    this.drawSelection(visible, view);
    this.drawMark(view);
  }

  collect(line, view, boxes, dimmed, texts) {
    const {side, row} = line;
    const {graph} = side;
    const y = this.screenY(line) + 1;
    const pixel = (view.coarse ? 3 : 1) / this.scale;
    const matches = view.matches?.get(graph);
    let i = row.firstAfter(view.begin);
    while (i < row.length && row.begin[i] < view.end) {
      const span = row.spans[i];
      const name = graph.name[span];
      const begin = Math.max(row.begin[i], view.begin);
      const end = Math.min(row.end[i], view.end);
      if (end - begin >= pixel || row.end[i] - row.begin[i] >= pixel) {
        const width = Math.max((end - begin) * this.scale, 1);
        const into = matches && matches[name] === 0 ? dimmed : boxes;
        into.add(graph.colors[name], into === dimmed ? 1 : SHADES, this.x(begin), y, Math.max(width - (width > 4 ? 1 : 0), 1));
        if (width > TEXT_WIDTH && texts.length < 4000) texts.push([`${CLASSES[graph.classes[name]].letter} ${graph.names[name]}`, this.x(begin), y, width, graph.colors[name]]);
        ++i;
        continue;
      }
      // All spans that begin in this pixel share one box.
      const column = Math.floor((begin - view.begin) / pixel);
      const until = view.begin + (column + 1) * pixel;
      const next = Math.max(i + 1, lowerBound(row.begin, until, i + 1, row.length));
      const busy = Math.min(1, (row.busy[next] - row.busy[i]) / pixel);
      const match = matches ? this.anyMatch(graph, row, i, next, matches) : true;
      const into = match ? boxes : dimmed;
      into.add(graph.colors[this.mainName(graph, row, i, next)], match ? Math.max(1, Math.ceil(busy * SHADES)) : 1, GUTTER + column * pixel * this.scale, y, pixel * this.scale);
      i = next;
    }
  }

  anyMatch(graph, row, from, to, matches) {
    for (let i = from; i < to; ++i) if (matches[graph.name[row.spans[i]]] === 1) return true;
    return false;
  }

  /** Returns the name of the longest span in a sample of the spans in [from, to). */
  mainName(graph, row, from, to) {
    const step = Math.max(1, Math.floor((to - from) / SAMPLES));
    let best = from;
    for (let i = from; i < to; i += step) if (row.end[i] - row.begin[i] > row.end[best] - row.begin[best]) best = i;
    return graph.name[row.spans[best]];
  }

  boxText(text, x, y, width, ink) {
    const {context} = this;
    context.fillStyle = ink;
    const room = Math.floor((width - 6) / 6);
    context.fillText(text.length > room ? `${text.slice(0, Math.max(1, room - 1))}\u2026` : text, x + 3, y + (ROW - 3) / 2 + 0.5);
  }

  outlinePath(line, view) {
    const {onPath} = line.row;
    const y = this.screenY(line) + 1;
    this.context.fillStyle = this.ink;
    let i = lowerBound(onPath.end, view.begin, 0, onPath.end.length);
    while (i < onPath.end.length && onPath.begin[i] < view.end) {
      const x = this.x(Math.max(onPath.begin[i], view.begin));
      const width = Math.max(1, this.x(Math.min(onPath.end[i], view.end)) - x);
      this.context.fillRect(x, y, width, 2);
      this.context.fillRect(x, y + ROW - 5, width, 2);
      i = Math.max(i + 1, lowerBound(onPath.end, view.begin + (x + width - GUTTER) / this.scale, i, onPath.end.length));
    }
  }

  drawSelection(visible, view) {
    if (!view.selected) return;
    const {side, span} = view.selected;
    const place = this.placeOf(visible, side, span);
    if (place === null) return;
    const {context} = this;
    context.strokeStyle = this.ink;
    context.lineWidth = 3;
    context.strokeRect(place.x, place.y, Math.max(place.width, 2), ROW - 3);
    context.lineWidth = 1.5;
    for (const [from, to] of view.arrows ?? []) this.arrow(visible, side, from, to);
  }

  arrow(visible, side, from, to) {
    const [a, b] = [this.placeOf(visible, side, from), this.placeOf(visible, side, to)];
    if (a === null || b === null) return;
    const {context} = this;
    const [x0, y0, x1, y1] = [a.x + a.width, a.y + ROW / 2, b.x, b.y + ROW / 2];
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0 + 20, y0, x1 - 20, y1, x1, y1);
    context.moveTo(x1 - 6, y1 - 4);
    context.lineTo(x1, y1);
    context.lineTo(x1 - 6, y1 + 4);
    context.stroke();
  }

  placeOf(visible, side, span) {
    const lane = side.graph.lane[span];
    const first = visible.find((line) => line.side === side && line.lane === lane && line.rowNumber === side.row[span]);
    if (first === undefined) return null;
    const x = this.x(this.model.beginOf(side, span));
    return {x, y: this.screenY(first) + 1, width: this.x(this.model.endOf(side, span)) - x};
  }

  drawSteps(view) {
    const {context} = this;
    context.strokeStyle = this.faint;
    context.lineWidth = 1;
    context.setLineDash([2, 4]);
    context.beginPath();
    for (const time of view.stepBegins) {
      if (time < view.begin || time > view.end) continue;
      const x = Math.round(this.x(time)) + 0.5;
      context.moveTo(x, AXIS);
      context.lineTo(x, this.height);
    }
    context.stroke();
    context.setLineDash([]);
  }

  drawMark(view) {
    if (!view.mark) return;
    const [x0, x1] = view.mark.map((time) => this.x(time));
    this.context.fillStyle = this.ink;
    this.context.globalAlpha = 0.15;
    this.context.fillRect(x0, AXIS, Math.max(1, x1 - x0), this.height);
    this.context.globalAlpha = 1;
  }

  drawLabels(visible, view) {
    const {context} = this;
    context.fillStyle = this.paper;
    context.fillRect(0, 0, GUTTER - 1, this.height);
    context.save();
    context.beginPath();
    context.rect(0, AXIS, this.width, this.height);
    context.clip();
    context.textBaseline = 'middle';
    for (const line of visible) {
      const y = this.screenY(line);
      context.fillStyle = this.ink;
      if (line.row) {
        context.font = '11px system-ui, sans-serif';
        this.label(line.label, 20, y, GUTTER - 26);
      } else {
        context.font = line.group ? 'bold 12px system-ui, sans-serif' : 'italic 11px system-ui, sans-serif';
        this.label(line.group ? `${line.group.open ? '\u25be' : '\u25b8'} ${line.label}` : line.label, line.group ? 4 : 12, y, line.group ? this.width : GUTTER - 16);
        context.fillStyle = this.faint;
        if (line.group) context.fillRect(0, y, this.width, 1);
      }
    }
    context.restore();
  }

  label(text, x, y, width) {
    const room = Math.floor(width / 6);
    this.context.fillText(text.length > room ? `${text.slice(0, room - 1)}\u2026` : text, x, y + ROW / 2);
  }

  drawAxis(view) {
    const {context} = this;
    context.fillStyle = this.paper;
    context.fillRect(0, 0, this.width, AXIS);
    const step = tickStep(view.end - view.begin, this.plotWidth / 110);
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.fillStyle = this.ink;
    const first = Math.ceil(view.begin / step);
    for (let tick = first; tick * step <= view.end && tick < first + 100; ++tick) {
      const time = tick * step;
      const x = this.x(time);
      context.fillRect(x, AXIS - 5, 1, 5);
      context.fillText(duration(time), x + 3, AXIS / 2);
    }
    context.fillRect(0, AXIS - 1, this.width, 1);
  }
}
