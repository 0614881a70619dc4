// Opens the report page in a browser: STEPSIM=PROGRAM node --test page_test.mjs

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {accessibilityFaults, launch, missing, open, settled, times} from './browser.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const STEPSIM = process.env.STEPSIM;
const SAMPLE = path.join(ROOT, 'scenarios/samples/byteps-even');
const WHATIF = ['--set', 'network.bandwidth=2x', '--set', 'comm.partition_bytes=256KiB'];
const CAPTURE = path.join(ROOT, '../shared/traces/kineto/v100-rank1of2-5steps.json.gz');
const MOST_BYTES = 150_000;

if (missing() !== '') {
  console.log(`skipped: ${missing()}`);
  process.exit(0);
}

let folder;
let browser;
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'stepsim-page-'));
  browser = await launch();
});
after(async () => {
  await browser.close();
  rmSync(folder, {recursive: true});
});

function stepsim(...words) {
  return execFileSync(STEPSIM, [...words, '--quiet'], {encoding: 'utf8', maxBuffer: 1 << 28});
}

/** Returns the page of a command, and its --json and terminal output. */
function answered(name, ...words) {
  const file = path.join(folder, `${name}.html`);
  const text = stepsim(...words, '-o', file);
  return {file, text, json: () => JSON.parse(stepsim(...words, '--json'))};
}

async function close({page, problems}) {
  assert.deepEqual(problems, []);
  await page.context().close();
}

/** Opens everything that is folded: tables, their terms and buttons, the glossary. */
const unfold = (page) => page.$$eval('#page details', (folded) => folded.forEach((details) => { details.open = true; }));
const facts = (page) => page.$$eval('#panel dd', (values) => Object.fromEntries(values.map((value) => [value.dataset.fact, value.textContent])));
const nanoseconds = (text) => Number((/\((\d+) ns\)/.exec(text) ?? /^(\d+) ns/.exec(text))[1]);
const tileValues = (page) => page.$$eval('#tiles data', (values) => values.map((value) => Number(value.value)));

const PLAN = ['plan', path.join(ROOT, 'scenarios/samples/transformer'), '--devices', '4,8', '--device', 'H100', '--set', 'parallel.interleave=1',
              '--set', 'comm.bucket_bytes=25MiB', '--front'];
const sweepFile = path.join(ROOT, 'scenarios/library/network-or-partitions.yaml');
const COMMANDS = {
  'replay': ['replay', SAMPLE], 'critical-path': ['critical-path', SAMPLE], 'whatif': ['whatif', SAMPLE, ...WHATIF],
  'sweep': ['sweep', SAMPLE, '-s', sweepFile], 'plan': PLAN, 'calibrate': ['calibrate', SAMPLE], 'advise': ['advise', SAMPLE],
};

// The page is the same in every form except for its colours and widths, so axe-core runs once with all of its rules, and
// again in the other form with those that look at colours and widths.
const APPEARANCE = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable'];
for (const [name, words] of Object.entries(COMMANDS)) {
  test(`${name}, dark and narrow, then light and wide: no error, no request, nothing that axe-core finds wrong`, async () => {
    const opened = await open(browser, answered(name, ...words).file, {colorScheme: 'dark', viewport: {width: 420, height: 800}});
    assert.deepEqual(await accessibilityFaults(opened.page), []);
    await opened.page.emulateMedia({colorScheme: 'light'});
    await opened.page.setViewportSize({width: 1300, height: 900});
    assert.deepEqual(await accessibilityFaults(opened.page, APPEARANCE), []);
    await close(opened);
  });
}

// Each command that writes a page, on three captures: a job of BytePS, GPU steps, and one without steps.
const DATA = path.join(ROOT, 'tests/golden/data');
const CAPTURES = {'byteps-even': SAMPLE, 'gpu_step': path.join(DATA, 'gpu_step.json'), 'two_hosts': path.join(DATA, 'two_hosts.json')};
const PROFILE = path.join(ROOT, 'scenarios/samples/inline/one.prof.json');
const pagesOf = (capture) => ({
  'replay': ['replay', capture], 'critical-path': ['critical-path', capture], 'convert': ['convert', capture],
  'whatif': ['whatif', capture, '--set', 'compute.scale=0.5'], 'sweep': ['sweep', capture, '--set', 'compute.scale=0.5,2'],
  'advise': ['advise', capture], 'tasks': ['tasks', capture], 'stats': ['stats', capture], 'check': ['check', capture],
  'compare': ['compare', capture, capture], 'compare of three': ['compare', capture, capture, capture], 'graph': ['graph', capture],
  'calibrate': ['calibrate', capture],
});
const pages = Object.entries(CAPTURES).flatMap(([name, capture]) => Object.entries(pagesOf(capture)).map(([command, words]) => [`${command} of ${name}`, words]));
pages.push(['collect', ['collect', SAMPLE, '--iter-time']], ['timeline', ['timeline', PROFILE]], ['scaling', ['scaling', PROFILE, PROFILE]]);
test('the page of every command has its title line and its headline, and no error', async () => {
  let opened = 0;
  for (const [name, words] of pages) {
    let answer;
    try {
      answer = answered(name, ...words);
    } catch (error) {  // some commands refuse some captures
      assert.ok([2, 5].includes(error.status), `${name}: ${error.stderr}`);
      continue;
    }
    const view = await open(browser, answer.file);
    assert.equal(await view.page.textContent('#headline'), answer.text.split('\n').find((line) => line !== ''), name);
    const line = await view.page.textContent('header .facts');
    assert.doesNotMatch(line, /undefined|NaN|object/, name);
    await close(view);
    ++opened;
  }
  assert.ok(opened >= 36, `${opened} pages of ${pages.length}`);
});

test('terms lead to the glossary, and the contents list to each part', async () => {
  const opened = await open(browser, answered('glossary', 'replay', SAMPLE).file);
  await opened.page.waitForSelector('html[data-complete=yes]', {state: 'attached'});
  const targets = await opened.page.$$eval('#page a[href^="#"]', (links) => links.map((link) => link.getAttribute('href')));
  assert.ok(targets.includes('#timeline') && targets.includes('#glossary') && targets.includes('#term-self-check'), targets.join(' '));
  assert.deepEqual(await opened.page.evaluate((ids) => ids.filter((id) => document.querySelector(id) === null), targets), []);
  await close(opened);
});

test('the verdict is the first line of the command, the tiles are the numbers of --json', async () => {
  const whatif = answered('verdict', ...COMMANDS.whatif);
  const opened = await open(browser, whatif.file);
  const {scenario, baseline, measured} = whatif.json();
  assert.equal(await opened.page.textContent('#headline'), whatif.text.split('\n')[0]);
  assert.deepEqual((await tileValues(opened.page)).slice(0, 5),
    [scenario.iteration_ns, scenario.low_ns, scenario.high_ns, baseline.iteration_ns, measured.iteration_ns]);
  assert.equal(await opened.page.textContent('#badge'), 'good');
  await close(opened);
  const replay = answered('verdict-replay', ...COMMANDS.replay);
  const other = await open(browser, replay.file);
  const {iteration, breakdown} = replay.json();
  assert.equal(await other.page.textContent('#headline'), replay.text.split('\n')[0]);
  assert.deepEqual(await tileValues(other.page), [iteration.measured_ns, iteration.replayed_ns, breakdown[0].exposed_communication_ns]);
  await close(other);
});

for (const command of ['whatif', 'advise']) test(`${command}: every table of the answer is on the page`, async () => {
  const {file, text} = answered(`tables-${command}`, ...COMMANDS[command]);
  const opened = await open(browser, file);
  const page = (await opened.page.textContent('main')).replaceAll(/\s+/g, '');
  const lines = text.split('\n').slice(1).filter((line) => line.trim() !== '');
  for (const line of lines) {
    for (const word of line.split(/\s{2,}/)) assert.ok(page.includes(word.replace(/^- /, '').replaceAll(/\s+/g, '')), `${word} of: ${line}`);
  }
  await close(opened);
});

/** Returns the tasks of the replay by name, with their times in nanoseconds, in order of time (from the Chrome exporter). */
function replayedTasks(...words) {
  const file = path.join(folder, 'tasks.trace.json');
  stepsim(...words, '-o', file);
  const {traceEvents} = JSON.parse(readFileSync(file, 'utf8'));
  const processes = new Set(traceEvents.filter((event) => event.name === 'process_name' && event.args.name.endsWith('replayed')).map((event) => event.pid));
  return traceEvents.filter((event) => event.ph === 'X' && processes.has(event.pid))
    .map((event) => ({name: event.name, start: Math.round(event.ts * 1000), duration: Math.round(event.dur * 1000)})).sort((a, b) => a.start - b.start);
}

test('a search leads to its matches, and the panel has their nanoseconds', async () => {
  const {file} = answered('search', ...COMMANDS.replay);
  const tasks = replayedTasks(...COMMANDS.replay).filter((task) => /PUSH\.1$/i.test(task.name));
  const opened = await open(browser, file);
  await opened.page.focus('.viewport');
  await opened.page.keyboard.press('/');
  await opened.page.keyboard.type('PUSH\\.1$');
  assert.equal(await opened.page.textContent('.search output'), `${tasks.length} matches`);
  for (const task of tasks.slice(0, 3)) {
    await opened.page.keyboard.press('Enter');
    const found = await facts(opened.page);
    assert.equal(await opened.page.textContent('#panel h3'), task.name);
    assert.deepEqual([nanoseconds(found.start), nanoseconds(found.duration)], [task.start, task.duration]);
  }
  await opened.page.fill('#search', '(');
  assert.equal(await opened.page.textContent('.search output'), 'not a regular expression');
  await close(opened);
});

test('the path is walked task by task, and a step at its end goes no further', async () => {
  const path_ = answered('walk', ...COMMANDS['critical-path']);
  const {tasks} = path_.json();
  const opened = await open(browser, path_.file);
  await opened.page.focus('.viewport');
  for (const task of tasks.slice(0, 12)) {
    await opened.page.keyboard.press(']');
    assert.equal(await opened.page.textContent('#panel h3'), task.name);
    assert.equal(nanoseconds((await facts(opened.page)).start), task.start_ns);
  }
  await opened.page.keyboard.press('[');
  assert.equal(await opened.page.textContent('#panel h3'), tasks[10].name);
  for (let i = 0; i < 15; ++i) await opened.page.keyboard.press('[');
  assert.equal(await opened.page.textContent('#panel h3'), tasks[0].name);
  await close(opened);
});

test('a link with its fragment gives the same view', async () => {
  const {file} = answered('fragment', ...COMMANDS.replay);
  const opened = await open(browser, file);
  await opened.page.focus('.viewport');
  for (const key of [']', ']', ']', 'w', 'w', 'd']) await opened.page.keyboard.press(key);
  const hash = await settled(opened.page);
  assert.match(hash, /s=0\.1\./);
  const panel = await opened.page.textContent('#panel');
  const again = await open(browser, file, {}, hash);
  assert.equal(await settled(again.page), hash);
  assert.equal(await again.page.textContent('#panel'), panel);
  await close(opened);
  await close(again);
  const nonsense = await open(browser, file, {}, '#t=9~1&s=99.99.99&m=a~b&q=%&x');
  await close(nonsense);
});

test('one task fills the view, a click selects it, a step is marked, a span is measured', async () => {
  const {file} = answered('mouse', ...COMMANDS.replay);
  const opened = await open(browser, file);
  const {page} = opened;
  await unfold(page);
  await page.click('#path td button >> nth=0');
  const name = await page.textContent('#panel h3');
  const wanted = await facts(page);
  await page.keyboard.press('z');
  const box = await page.locator('.viewport canvas').boundingBox();
  await page.keyboard.press('Escape');
  assert.equal(await page.textContent('#panel'), 'Nothing is selected.');
  await settled(page);
  // In the middle of the view the whole row of the lane is that task, so a click on any row of the lane finds it.
  let found = '';
  for (let y = 50; y < box.height - 4 && found !== name; y += 9) {
    await page.mouse.click(box.x + 190 + (box.width - 190) / 2, box.y + y);
    const text = await page.textContent('#panel');
    if (text.startsWith(name) && (await facts(page)).timeline === 'replayed') found = name;
  }
  assert.equal(found, name);
  assert.equal((await facts(page)).duration, wanted.duration);
  await page.keyboard.press('f');
  await page.keyboard.press('m');
  assert.match(await page.textContent('#panel h3'), /^rank \d+, step \d+, replayed$/);
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + 300, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 60, {steps: 4});
  await page.mouse.up();
  await page.keyboard.up('Shift');
  assert.equal(await page.textContent('#panel h3'), 'Measured span');
  assert.ok((await page.$$('#panel tbody tr')).length > 1);
  await close(opened);
});

test('the wheel zooms with Ctrl, dragging pans, keys are listed', async () => {
  const {file} = answered('wheel', ...COMMANDS.replay);
  const opened = await open(browser, file);
  const {page} = opened;
  let hash = '';
  const range = async () => {
    hash = await settled(page, hash);
    return /t=(-?\d+)~(-?\d+)/.exec(hash).slice(1).map(Number);
  };
  await page.locator('.viewport').scrollIntoViewIfNeeded();
  const box = await page.locator('.viewport canvas').boundingBox();
  await page.mouse.move(box.x + 700, box.y + 100);
  const whole = await range();
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -400);
  await page.keyboard.up('Control');
  const near = await range();
  const factor = (near[1] - near[0]) / (whole[1] - whole[0]);
  assert.ok(Math.abs(factor - 0.25) < 0.01, `two powers of two for 400, not ${factor}`);
  await page.mouse.down();
  await page.mouse.move(box.x + 600, box.y + 100, {steps: 4});
  await page.mouse.up();
  const moved = await range();
  const perPixel = (near[1] - near[0]) / (box.width - 190);
  assert.ok(Math.abs(moved[0] - near[0] - 100 * perPixel) < 2 * perPixel, '100 pixels to the left');
  await page.keyboard.press('?');
  assert.ok(await page.locator('dialog').isVisible());
  await close(opened);
});

async function downloaded(page, click) {
  const [download] = await Promise.all([page.waitForEvent('download'), click()]);
  return readFileSync(await download.path(), 'utf8');
}

test('the range is saved as a Chrome trace, a table as CSV, a plot as SVG', async () => {
  const {file} = answered('exports', ...COMMANDS.replay);
  const opened = await open(browser, file);
  const trace = JSON.parse(await downloaded(opened.page, () => opened.page.click('text=Save range as Chrome trace')));
  const spans = trace.traceEvents.filter((event) => event.ph === 'X' && trace.traceEvents.some((other) => other.name === 'process_name' && other.pid === event.pid && other.args.name === 'replayed'));
  assert.equal(spans.length, replayedTasks(...COMMANDS.replay).length);
  await unfold(opened.page);
  const csv = await downloaded(opened.page, () => opened.page.click('[data-report=steps] >> text=Save as CSV'));
  assert.match(csv, /^rank,step,measured,replayed,error,against the other steps' median\r\n0,5,535\.195 ms,/);
  await close(opened);
  const sweep = await open(browser, answered('svg', ...COMMANDS.sweep).file);
  assert.match(await downloaded(sweep.page, () => sweep.page.click('text=Save as SVG >> nth=0')), /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg".*<polyline/s);
  await close(sweep);
});

test('a column sorts by quantity', async () => {
  const opened = await open(browser, answered('sort', ...COMMANDS.replay).file);
  const times_ = async () => opened.page.$$eval('[data-report=steps] tbody tr td:nth-child(3)', (cells) => cells.map((cell) => parseFloat(cell.textContent)));
  await unfold(opened.page);
  await opened.page.click('[data-report=steps] >> text=measured');
  const sorted = await times_();
  assert.deepEqual(sorted, [...sorted].sort((a, b) => a - b));
  assert.equal(sorted.length, 6);
  await close(opened);
});

test('hostile names stay text', async () => {
  const hostile = ['</script><script>globalThis.pwned=1</script>', '"><img src=x onerror="globalThis.pwned=1">', '\u202egnp.exe', '<!--<script>', "');alert(1)//",
    '__proto__', '=1+1', 'x'.repeat(10_000), '\u0000\u001b[31m\u2028', '{{constructor.constructor("globalThis.pwned=1")()}}', '&lt;b&gt;'];
  const graph = path.join(folder, '<img src=x onerror=alert(1)>.json');
  writeFileSync(graph, JSON.stringify({hosts: 1, links: [], routes: {}, tasks: hostile.map((name, id) => ({id, name, kind: 'compute', host: 0, ns: 1000 + id, after: id > 0 ? [id - 1] : []}))}));
  const opened = await open(browser, answered('hostile', 'replay', graph).file);
  await opened.page.focus('.viewport');
  for (const name of hostile) {
    await opened.page.keyboard.press(']');
    assert.equal(await opened.page.textContent('#panel h3'), name.replace(/\0/g, '\0'));
  }
  await opened.page.keyboard.press('f');
  await opened.page.keyboard.press('m');
  assert.equal(await opened.page.evaluate(() => globalThis.pwned), undefined);
  assert.equal(await opened.page.$$eval('img', (found) => found.length), 0);
  assert.deepEqual(await accessibilityFaults(opened.page), []);
  await close(opened);
});

test('many ranks are quantiles and extremes, and a heat map on demand', async () => {
  const hosts = 100;
  const tasks = Array.from({length: hosts}, (_, host) => ({id: host, kind: 'compute', host, ns: 1000 * (host + 1), after: []}));
  const graph = path.join(folder, 'many.json');
  writeFileSync(graph, JSON.stringify({hosts, links: [], routes: {}, tasks}));
  const opened = await open(browser, answered('many', 'replay', graph).file);
  const labels = await opened.page.$$eval('#ranks .row .label', (found) => found.map((label) => label.textContent));
  assert.equal(labels.length, 15);
  assert.equal(labels[0], 'rank 99');
  assert.ok(labels.includes('50 % quantile: rank 49') || labels.includes('50 % quantile: rank 50'));
  assert.equal(labels.at(-1), 'rank 0');
  await close(opened);
  const replay = await open(browser, answered('heat', ...COMMANDS.replay).file);
  await replay.page.click('text=Every step of every rank as a heat map');
  await replay.page.waitForSelector('#ranks .heat tbody tr');  // the event comes after the section has opened
  assert.equal((await replay.page.$$('#ranks .heat tbody tr')).length, 2);
  assert.deepEqual(await accessibilityFaults(replay.page), []);
  await close(replay);
});

test('a rank that is chosen is opened, and the other job\u2019s tasks of that name are told', async () => {
  const opened = await open(browser, answered('rank', ...COMMANDS.whatif).file);
  await opened.page.selectOption('select', '1');
  assert.ok(await opened.page.$eval('.viewport', (viewport) => viewport.scrollTop) > 0);
  await opened.page.focus('.viewport');
  await opened.page.keyboard.press(']');
  assert.match((await facts(opened.page))['same name, scenario'], /^\d+ tasks? on rank 0, .* on average$/);
  await close(opened);
});

test('in print only the summary is left', async () => {
  const opened = await open(browser, answered('print', ...COMMANDS.replay).file);
  await opened.page.emulateMedia({media: 'print'});
  const seen = async (id) => opened.page.locator(`#${id}`).isVisible();
  assert.deepEqual([await seen('verdict'), await seen('ranks'), await seen('path'), await seen('timeline'), await seen('rest')], [true, true, true, false, false]);
  await close(opened);
});

test('a page without libraries has all but the plot to zoom into, and both are small', async () => {
  const template = path.join(folder, 'template.html');
  execFileSync('python3', [path.join(ROOT, 'page/bundle.py'), '--html', template]);
  const plain = readFileSync(template, 'utf8');
  assert.ok(statSync(template).size < MOST_BYTES);
  for (const words of [COMMANDS.replay, COMMANDS.sweep]) {
    const page = readFileSync(answered('with', ...words).file, 'utf8');
    const data = [...page.matchAll(/<script type="[^"]+" id="([^"]+)">.*?<\/script>\n/gs)];
    const of = (choose) => data.filter((found) => choose(found[1])).map((found) => found[0]).join('');
    const isAnswer = (id) => id === 'data-document' || id === 'data-answer';
    assert.ok(page.length - data.reduce((sum, found) => sum + found[0].length, 0) < MOST_BYTES);
    const file = path.join(folder, 'without.html');
    writeFileSync(file, plain.replace('<!--answer-->', () => of(isAnswer)).replace('<!--timelines-->', () => of((id) => !isAnswer(id))));
    const opened = await open(browser, file);
    assert.deepEqual(await accessibilityFaults(opened.page), []);
    if (words[0] === 'sweep') assert.equal(await opened.page.locator('svg.chart >> nth=0').isVisible(), true);
    await close(opened);
  }
});

test('a capture of 98,254 tasks opens', {skip: existsSync(CAPTURE) ? false : 'the capture is not there'}, async () => {
  const opened = await open(browser, answered('capture', 'replay', CAPTURE).file);
  console.log('v100-rank1of2-5steps, ms:', JSON.stringify(await times(opened.page)));
  assert.deepEqual(await accessibilityFaults(opened.page), []);
  await close(opened);
});
