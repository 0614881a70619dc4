// measure.mjs PAGE...: when each page is painted and when its timeline is drawn: medians of RUNS runs, in milliseconds.

import {statSync} from 'node:fs';
import path from 'node:path';

import {launch, open, times} from './browser.mjs';

const RUNS = 5;
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

for (const file of process.argv.slice(2)) {
  const runs = [];
  for (let i = 0; i < RUNS; ++i) {
    const browser = await launch();
    const {page} = await open(browser, path.resolve(file));
    const first = Number(await page.getAttribute('.viewport canvas', 'data-draw-ms').catch(() => NaN));
    runs.push({...await times(page), first});
    await browser.close();
  }
  const of = (name) => median(runs.map((run) => run[name]));
  console.log(`${file}: ${(statSync(file).size / 1e6).toFixed(1)} MB, painted ${of('painted')} ms, timeline ${of('ready')} ms, one drawing ${of('first')} ms`);
}
