// Searches names with a regular expression, shows how many tasks match, and moves from one match to the next.

import {button, el} from '../dom.js';
import {counted} from '../format.js';

export class Search {
  /** Calls `changed()` when the matches have changed, and `show(side, span)` to display a match. */
  constructor(model, {changed, show}) {
    this.model = model;
    this.changed = changed;
    this.show = show;
    this.query = '';
    this.matches = null;
    this.input = el('input', {type: 'search', id: 'search', placeholder: 'search names  ( / )', 'aria-label': 'Search names, a regular expression'});
    this.count = el('output', {for: 'search'}, '');
    this.element = el('span.search', {role: 'search'}, this.input, button('Previous', () => this.go(-1)), button('Next', () => this.go(1)), this.count);
    this.input.addEventListener('input', () => this.set(this.input.value));
    this.input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.go(event.shiftKey ? -1 : 1);
      if (event.key === 'Escape') this.set('');
    });
  }

  focus() {
    this.input.focus();
    this.input.select();
  }

  set(query) {
    this.query = query;
    if (this.input.value !== query) this.input.value = query;
    this.found = null;
    this.at = -1;
    this.matches = null;
    let pattern = null;
    try {
      pattern = query === '' ? null : new RegExp(query, 'i');
    } catch {
      this.count.textContent = 'not a regular expression';
    }
    if (pattern !== null) {
      this.matches = new Map(this.model.graphs.map((graph) =>
        [graph, Uint8Array.from(graph.names, (name) => (pattern.test(name) ? 1 : 0))]));
      this.find();
      this.count.textContent = counted(this.found.length, 'match').replace('matchs', 'matches');
    } else if (query === '') {
      this.count.textContent = '';
    }
    this.changed();
  }

  /** Finds the matches in the last side, which is the answer's, in order of time. */
  find() {
    const side = this.model.sides.at(-1);
    const names = this.matches.get(side.graph);
    this.found = [];
    for (let span = 0; span < side.graph.spans; ++span) if (names[side.graph.name[span]] === 1) this.found.push(span);
    this.found.sort((a, b) => side.start[a] - side.start[b]);
  }

  go(by) {
    if (!this.found || this.found.length === 0) return;
    const {length} = this.found;
    this.at = this.at === -1 ? (by > 0 ? 0 : length - 1) : (this.at + by + length) % length;
    this.count.textContent = `${(this.at + 1).toLocaleString('en')} of ${length.toLocaleString('en')}`;
    this.show(this.model.sides.at(-1), this.found[this.at]);
  }
}
