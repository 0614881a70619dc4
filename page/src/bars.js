// Stacked bars in HTML: they fit any width, can be printed, and can be read as lists.

import {el} from './dom.js';
import {percent} from './format.js';
import {CLASSES} from './classes.js';

/** Draws a bar of parts {name: class, value, label?, text: displayed value}; `total` is the value of the whole width. */
export function stackedBar(parts, total, description) {
  const shown = parts.filter((entry) => entry.value > 0);
  const sum = Math.max(total, shown.reduce((all, entry) => all + entry.value, 0));
  return el('div.bar', {role: 'img', 'aria-label': description},
    shown.map((entry) => {
      const style = CLASSES[entry.name];
      const share = entry.value / sum;
      return el('span.piece', {
        title: `${entry.label ?? style.label}: ${entry.text}, ${percent(share)}`,
        style: {width: `${share * 100}%`, background: style.color, color: style.ink},
      }, share > 0.02 ? style.letter : '');
    }));
}

export function legend(names, labels = {}) {
  return el('ul.legend', {}, names.map((name) => el('li', {},
    el('span.swatch', {'aria-hidden': true, style: {background: CLASSES[name].color, color: CLASSES[name].ink}}, CLASSES[name].letter),
    ` ${labels[name] ?? CLASSES[name].label}`)));
}
