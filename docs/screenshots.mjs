// Makes the pictures of the report page in the README: node docs/screenshots.mjs STEPSIM, from the repository's root.

import {execFileSync} from 'node:child_process';
import path from 'node:path';

import {launch, missing, open} from '../tests/page/browser.mjs';

if (missing() !== '') throw new Error(`${missing()}; ./dev page installs what this needs`);
const [stepsim] = process.argv.slice(2);
const page = 'build/whatif.html';
execFileSync(stepsim, ['whatif', 'scenarios/samples/byteps-even', '--set', 'network.bandwidth=2x', '--set', 'comm.partition_bytes=256KiB', '--quiet', '-o', page]);

const browser = await launch();

async function shoot(name, options, act = async () => {}) {
  const opened = await open(browser, path.resolve(page), options);
  await act(opened.page);
  await opened.page.waitForTimeout(300);
  await opened.page.screenshot({path: `docs/images/${name}.png`});
  if (opened.problems.length > 0) throw new Error(opened.problems.join('\n'));
  await opened.page.context().close();
}

async function toTimeline(opened) {
  await opened.click('#path .table >> nth=-1 >> td button >> nth=12');
  for (const key of ['s', 's']) await opened.keyboard.press(key);
}

await shoot('page', {viewport: {width: 1200, height: 900}});
await shoot('page-narrow', {viewport: {width: 480, height: 900}});
await shoot('page-dark', {viewport: {width: 1200, height: 760}, colorScheme: 'dark'}, toTimeline);
await browser.close();
