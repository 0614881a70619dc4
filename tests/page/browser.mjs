// Pages in headless Chromium, opened from disk without a network. Every error, request and dialog is recorded.

import {existsSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';

const modules = createRequire(new URL('../../page/package.json', import.meta.url));
export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

const LONGEST = 120_000;  // milliseconds to wait for anything: a net against hangs

/** Returns why the tests cannot run here; empty if they can. */
export function missing() {
  if (CHROMIUM === undefined) return 'there is no chromium';
  try {
    modules.resolve('playwright-core');
    modules.resolve('axe-core');
    return '';
  } catch {
    return "'npm ci' was not run in page/";
  }
}

export async function launch() {
  const {chromium} = modules('playwright-core');
  return chromium.launch({executablePath: CHROMIUM, args: process.getuid() === 0 ? ['--no-sandbox'] : [], timeout: LONGEST});
}

/** Opens `file` and waits until its timelines are drawn; returns {page, problems}. Options are those of a browser context. */
export async function open(browser, file, options = {}, fragment = '') {
  const context = await browser.newContext({viewport: {width: 1300, height: 900}, offline: true, acceptDownloads: true, ...options});
  const page = await context.newPage();
  page.setDefaultTimeout(LONGEST);
  const problems = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) problems.push(`console: ${message.text()}`); });
  page.on('pageerror', (error) => problems.push(`error: ${error.stack}`));
  page.on('dialog', (dialog) => { problems.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => { if (!/^(file|data|blob):/.test(request.url())) problems.push(`request: ${request.url()}`); });
  await page.goto(`file://${file}${fragment}`);
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
  return {page, problems};
}

/** Waits until the timeline is drawn and its view is in the address, which must differ from `before`. Returns the address's fragment. */
export async function settled(page, before = '') {
  await page.waitForFunction((old) => document.documentElement.dataset.settled === 'yes' && location.hash !== old, before);
  return page.evaluate(() => location.hash);
}

/**
 * Returns axe-core's findings, one line per rule; with `rules`, only those of these rules. It is injected through the debugger, to bypass the
 * page's policy.
 */
export async function accessibilityFaults(page, rules) {
  await page.evaluate(readFileSync(modules.resolve('axe-core/axe.min.js'), 'utf8'));
  const runOnly = rules && {type: 'rule', values: rules};
  const {violations} = await page.evaluate((only) => globalThis.axe.run(document, {resultTypes: ['violations'], ...(only && {runOnly: only})}), runOnly);
  return violations.map((fault) => `${fault.id}: ${fault.help}: ${fault.nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(' | ')}`);
}

/** Returns when the browser first painted, and when the page reported drawn timelines, in milliseconds. */
export async function times(page) {
  return page.evaluate(() => ({
    painted: Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN),
    ready: Math.round(performance.getEntriesByName('timeline')[0].startTime),
  }));
}
