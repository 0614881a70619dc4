// Stores the view in the address, so that a link or bookmark restores it:
// #t=BEGIN-END&s=GRAPH.SIDE.SPAN&q=REGEX&m=BEGIN-END, with times in nanoseconds since the beginning of the page's
// timeline.

export function fragmentOf(model, view, query) {
  const parts = [];
  parts.push(`t=${Math.round(view.begin)}~${Math.round(view.end)}`);
  if (view.selected) parts.push(`s=${view.selected.side.graph.number}.${view.selected.side.number}.${view.selected.span}`);
  if (view.mark) parts.push(`m=${view.mark.map(Math.round).join('~')}`);
  if (query !== '') parts.push(`q=${encodeURIComponent(query)}`);
  return `#${parts.join('&')}`;
}

function timesOf(text) {
  const times = (text ?? '').split('~').map(Number);
  return times.length === 2 && times.every(Number.isFinite) && times[0] < times[1] ? times : null;
}

function selectedOf(text, model) {
  const [graph, side, span] = (text ?? '').split('.').map(Number);
  const found = model.graphs[graph]?.sides[side];
  return found !== undefined && span >= 0 && span < found.graph.spans ? {side: found, span} : null;
}

/** Returns {view, selected, mark, query} without invalid parts. */
export function viewOfFragment(hash, model) {
  if (hash.length < 2) return null;
  const values = new Map(hash.slice(1).split('&').map((part) => [part.slice(0, 2), part.slice(2)]));
  const times = timesOf(values.get('t='));
  let query = '';
  try {
    query = decodeURIComponent(values.get('q=') ?? '');
  } catch { /* not written by this page */ }
  return {view: times === null ? {} : {begin: times[0], end: times[1]},
          selected: selectedOf(values.get('s='), model), mark: timesOf(values.get('m=')), query};
}
