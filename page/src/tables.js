// The tables that the command prints, with sorting and copying.

import {button, copy, el, save} from './dom.js';
import {counted, sortValue} from './format.js';
import {columnTerms, linked} from './glossary.js';

/** Formats CSV according to RFC 4180. A cell that a spreadsheet would read as a formula is prefixed with a quote, as in -o x.csv. */
export function csvOf(columns, rows) {
  const cell = (text) => {
    const plain = text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, ' ');
    const safe = /^\s*[=+@-]/.test(plain) && Number.isNaN(Number(plain)) ? `'${plain}` : plain;
    return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [columns.map((column) => column.title), ...rows].map((row) => row.map(cell).join(',') + '\r\n').join('');
}

function compareCells(a, b) {
  const [left, right] = [sortValue(a), sortValue(b)];
  if (left !== null && right !== null) return left - right;
  if (left !== null || right !== null) return left !== null ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

class SortableTable {
  /** `cell(text, row, column)` returns the content of a cell; `row` is the index in `rows`. A name that `exact` has in full shows that on hover. */
  constructor(caption, columns, rows, exact, cell, titled) {
    this.columns = columns;
    this.rows = rows;
    this.exact = exact;
    this.cell = cell;
    this.order = rows.map((_, i) => i);
    this.body = el('tbody');
    this.heads = columns.map((column, i) => el('th', {scope: 'col', class: column.right ? 'right' : null},
      column.title.trim() === '' ? el('span.unseen', {}, 'mark')
        : el('button.sort', {type: 'button', onclick: () => this.sortBy(i)}, column.title)));
    this.element = el('div.scroll', {tabindex: 0, role: 'region', 'aria-label': caption},
      el('table', {}, el('caption', {class: titled ? 'unseen' : null}, caption), el('thead', {}, el('tr', {}, this.heads)), this.body));
    this.draw();
  }

  sortBy(column) {
    const falls = this.heads[column].getAttribute('aria-sort') === 'ascending';
    this.heads.forEach((head) => head.removeAttribute('aria-sort'));
    this.heads[column].setAttribute('aria-sort', falls ? 'descending' : 'ascending');
    this.order.sort((a, b) => (falls ? -1 : 1) * compareCells(this.rows[a][column], this.rows[b][column]) || a - b);
    this.draw();
  }

  draw() {
    this.body.replaceChildren(...this.order.map((row) => el('tr', {}, this.rows[row].map((text, column) => {
      const content = this.cell(text, row, column);
      const right = this.columns[column].right ? 'right' : null;
      const title = right || this.exact[row][column] === text ? null : this.exact[row][column];
      return column === 0 && !right ? el('th', {scope: 'row', title}, content) : el('td', {class: right, title}, content);
    }))));
  }
}

const FEW_ROWS = 12;

/** Returns a table, and its terms and buttons, which are folded. `exact`: the rows to save. `titled`: a heading above the table already has its caption. Long tables are folded. */
export function table(caption, columns, rows, {cell = (text) => text, exact = rows, file = 'table.csv', titled = false, folded = rows.length > FEW_ROWS} = {}) {
  const sortable = new SortableTable(caption, columns, rows, exact, cell, titled || folded);
  const buttons = el('p.tools', {},
    button('Copy as CSV', () => copy(csvOf(columns, exact)), 'Copied'),
    button('Save as CSV', () => save(file, 'text/csv', csvOf(columns, exact))));
  const terms = columnTerms(columns.map((column) => column.title));
  const more = el('details.more', {}, el('summary', {}, terms === null ? 'CSV' : 'Terms, CSV'), terms, buttons);
  if (!folded) return el('div.table', {}, sortable.element, more);
  return el('details', {}, el('summary', {}, titled ? `Table of ${counted(rows.length, 'row')}` : caption), sortable.element, more);
}

/** Returns a section of the document as the command prints it, with a third-level heading. `folded`: a chart shows what its table lists. */
export function sectionOf(section, folded) {
  const title = section.title === '' ? null : el('h3', {}, linked(section.title));
  return el('div.report', {'data-report': section.report}, title,
    section.lead === '' ? null : el('p', {}, section.lead),
    section.rows === undefined ? null : table(section.title || section.report, section.columns, section.rows, {exact: section.exact, file: `${section.report.replaceAll(' ', '-')}.csv`, titled: section.title !== '', ...(folded && {folded})}),
    section.sentences.length === 0 ? null : el('ul', {}, section.sentences.map((sentence) =>
      el('li', {}, sentence.text, sentence.detail === '' ? null : el('div.detail', {}, sentence.detail)))),
    section.verbatim === '' ? null : el('pre', {tabindex: 0}, section.verbatim));
}
