// Creates elements from text and attributes. Text always becomes text nodes, never markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (name === 'style') {
      for (const [property, setting] of Object.entries(value)) element.style.setProperty(property, setting);
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

/** Creates an element: el('p.lead', {id: 'verdict'}, 'text', element, [more], null) */
export function el(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split('.');
  const element = document.createElement(tag);
  if (classes.length > 0) element.className = classes.join(' ');
  return fill(element, attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Returns data of this name, from a script element that browsers do not run; null if there is none. */
export function embedded(name) {
  const element = document.getElementById(`data-${name}`);
  return element === null ? null : JSON.parse(element.textContent);
}

/** Returns a part of the page with a second-level heading, or null if `children` are empty. */
export function part(id, title, ...children) {
  const shown = children.flat(Infinity).filter((child) => child !== null && child !== undefined);
  if (shown.length === 0) return null;
  return el('section', {id, 'aria-labelledby': `${id}-title`}, el('h2', {id: `${id}-title`}, title), shown);
}

/** Returns a button that calls `act` and then shows `done` for a moment. */
export function button(label, act, done = '') {
  const element = el('button', {type: 'button'}, label);
  element.addEventListener('click', async () => {
    await act();
    if (done === '') return;
    element.textContent = done;
    setTimeout(() => { element.textContent = label; }, 1500);
  });
  return element;
}

/** Offers `text` to the reader as a file download. */
export function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], {type}));
  const link = el('a', {href: url, download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Copies `text` to the clipboard. Some browsers do not allow the newer interface for pages opened from disk. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el('textarea', {'aria-label': 'text to copy'});
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}
