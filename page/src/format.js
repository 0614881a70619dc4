// Formats quantities as everywhere in stepsim (model/base/units.cpp).

const TIMES = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us']];
const SIZES = [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB']];

/** "534.1 ms", "22 us": nanoseconds with four significant digits, in the unit in which 1 <= value < 1000. */
export function duration(ns) {
  const sign = ns < 0 ? '-' : '';
  const size = Math.abs(ns);
  if (size < 1000) return `${sign}${Math.round(size)} ns`;
  for (const [scale, unit] of [...TIMES].reverse()) {
    const digits = Math.min(3, Math.max(0, 3 - Math.floor(Math.log10(size / scale))));
    const whole = Math.round(size / scale * 10 ** digits);
    const value = whole / 10 ** digits;
    const isRound = value * scale === size && whole % 100 === 0;
    if (value < 1000) return `${sign}${isRound ? value : value.toFixed(digits)} ${unit}`;
    if (unit === 's') return `${sign}${Math.round(value).toLocaleString('en')} s`;
  }
  return '';
}

/** "1.234 ms (1234567 ns)". */
export function exactDuration(ns) {
  return Math.abs(ns) < 1000 ? duration(ns) : `${duration(ns)} (${ns} ns)`;
}

export function percent(ratio, digits = 1) {
  return ratio >= 10 && Number.isFinite(ratio) ? `${ratio.toFixed(0)}x` : `${(ratio * 100).toFixed(digits)} %`;
}

/** Formats "+1.2 %". A value that would round to 0 gets up to four decimals to show its first digit: "-0.002 %". If that is
 * not enough, it has no sign. The same as signed_percent() of sim/report/table.h. */
export function signedPercent(ratio) {
  if (ratio >= 10 && Number.isFinite(ratio)) return `${(1 + ratio).toFixed(0)}x as much`;
  for (let digits = 1; digits <= 4; ++digits) {
    const text = percent(ratio, digits);
    if (/[1-9]/.test(text)) return `${ratio > 0 ? '+' : ''}${text}`;
  }
  return percent(0);
}

export function dataSize(bytes) {
  for (const [scale, unit] of SIZES) {
    if (bytes >= scale) return `${Number((bytes / scale).toFixed(1))}${unit}`;
  }
  return `${bytes}B`;
}

/** "1 task", "2 tasks". */
export function counted(count, noun) {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** What a cell of a table stands for when it is sorted: "1.234 ms" as nanoseconds, "4x" as 4, "2,070" as 2070; null for words. */
export function sortValue(text) {
  const found = /^[*<]?\s*([+-]?[\d,]*\d(?:\.\d+)?)\s*(ns|us|ms|s|min|h|%|x|B|kB|MB|GB|TB|KiB|MiB|GiB)?(?![a-z])/i.exec(text);
  if (found === null) return null;
  const units = {us: 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12,
                 KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3};
  return Number(found[1].replaceAll(',', '')) * (units[found[2]] ?? 1);
}

/** Returns [nanoseconds, name] of the unit for an axis up to `most` nanoseconds. */
export function unitOf(most) {
  return [[1e9, 's'], [1e6, 'ms'], [1e3, 'us']].find(([scale]) => most >= scale) ?? [1, 'ns'];
}

/** Returns a tick distance of 1, 2 or 5 times a power of ten that gives at most `most` ticks. */
export function tickStep(range, most) {
  const least = Math.max(range / most, 1e-9);
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least);
}
