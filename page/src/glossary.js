// The glossary: terms of headings and columns lead to their entries in the last part of the page.

import {el, embedded} from './dom.js';
import {counted} from './format.js';

/** Names are compared in small letters, with blanks for '-' and '_', as `stepsim help WORD` does. */
const plain = (text) => text.toLowerCase().replace(/[-_\s]+/g, ' ').trim();

let entries = null;  // name -> term; each term has one entry for each of its names
const used = new Set();

function known() {
  if (entries === null) {
    entries = new Map();
    for (const term of embedded('glossary') ?? []) {
      for (const name of [term.name, ...term.also]) if (!entries.has(plain(name))) entries.set(plain(name), term);
    }
  }
  return entries;
}

/** The term that `text` names, in the singular or the plural; undefined if there is none. */
export function termOf(text, terms = known()) {
  const name = plain(text);
  return terms.get(name) ?? terms.get(name.replace(/s$/, ''));
}

/** A link that scrolls. The address stays as it is, because the timeline keeps its view there. */
export function jump(id, text) {
  return el('a', {href: `#${id}`, onclick: (event) => {
    event.preventDefault();
    const target = document.getElementById(id);
    target.setAttribute('tabindex', '-1');
    target.closest('details')?.setAttribute('open', '');
    target.scrollIntoView();
    target.focus({preventScroll: true});
  }}, text);
}

const idOf = (term) => `term-${plain(term.name).replace(/[^a-z0-9]+/g, '-')}`;

/** `text`, as a link to its entry if it is a term. */
export function linked(text) {
  const term = termOf(text);
  if (term === undefined) return text;
  used.add(term);
  return jump(idOf(term), text);
}

/** A line below a table that explains its columns; null if none is a term. */
export function columnTerms(titles) {
  const terms = titles.filter((title) => termOf(title) !== undefined);
  return terms.length === 0 ? null : el('p.note', {}, 'Terms: ', terms.map((title, i) => [i === 0 ? null : ', ', linked(title)]));
}

/** The entries of the terms that were linked so far, by name; folded. */
export function glossaryEntries() {
  const terms = [...used].sort((a, b) => (plain(a.name) < plain(b.name) ? -1 : 1));
  if (terms.length === 0) return null;
  const list = el('dl', {}, terms.map((term) => [el('dt', {id: idOf(term)}, term.name), el('dd', {}, `${term.summary} ${term.text}`,
    term.picture === '' ? null : el('pre', {tabindex: 0}, term.picture))]));
  return el('details', {}, el('summary', {}, counted(terms.length, 'term')), list);
}

/** The list of the page's parts. */
export function contents() {
  const parts = [...document.querySelectorAll('#page > section')].filter((section) => section.id !== '' && section.querySelector('h2'));
  return el('nav', {id: 'contents', 'aria-label': 'Contents'},
    el('p', {}, 'On this page: ', parts.map((section, i) => [i === 0 ? null : ' \u00b7 ', jump(section.id, section.querySelector('h2').textContent)])));
}
