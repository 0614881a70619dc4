// The classes of time: their names, letters and colours. The colours are a grey and the eight of Okabe and Ito, which
// are distinguishable with colour vision deficiency. style.css has the colours as --class-NAME.

export const CLASSES = {
  compute: {letter: 'C', label: 'compute', color: '#0072b2', ink: '#ffffff'},
  overlapped: {letter: 'O', label: 'compute and communication', color: '#cc79a7', ink: '#111111'},
  communication: {letter: 'X', label: 'communication', color: '#d55e00', ink: '#111111'},
  copy: {letter: 'M', label: 'copies', color: '#009e73', ink: '#111111'},
  host: {letter: 'H', label: 'CPU', color: '#56b4e9', ink: '#111111'},
  queueing: {letter: 'Q', label: 'queueing', color: '#e69f00', ink: '#111111'},
  wait: {letter: 'W', label: 'waiting', color: '#f0e442', ink: '#111111'},
  others: {letter: 'S', label: 'work of other steps', color: '#666666', ink: '#ffffff'},
  idle: {letter: 'I', label: 'nothing running', color: '#bbbbbb', ink: '#111111'},
  loader: {letter: 'D', label: 'waiting for data', color: '#000000', ink: '#ffffff'},
};

const BY_KIND = {
  'kernel': 'compute', 'operator': 'compute', 'memset': 'copy', 'copy': 'copy', 'collective': 'communication',
  'transfer': 'communication', 'server': 'communication', 'control': 'communication', 'loader': 'loader',
};

/** Returns the class whose colour is used for tasks of this kind. */
export function classOfKind(kind) {
  return BY_KIND[kind] ?? 'host';
}

/** Returns the tensor of a partition by its name: "Comm.layer8" for "Comm.layer8.PUSH.1"; null for other names. */
export function tensorOf(name) {
  const found = /^(.+?)(?:\.[A-Z][A-Z0-9_]*|\.\d+)+$/.exec(name);
  return found === null ? null : found[1];
}

const COLORS = Object.values(CLASSES).map((style) => style.color);

/** Returns a colour for each name that is communication of a tensor, otherwise null. Colours are assigned to tensors in order of appearance. */
export function tensorColors(names, kinds) {
  const order = new Map();
  return names.map((name, i) => {
    const tensor = classOfKind(kinds[i]) === 'compute' ? null : tensorOf(name);
    if (tensor === null) return null;
    if (!order.has(tensor)) order.set(tensor, order.size);
    return COLORS[order.get(tensor) % COLORS.length];
  });
}
