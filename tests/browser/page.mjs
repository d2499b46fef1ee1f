// A page opened in Chromium, watched: what it writes to the console and what it asks for.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const VIEWS = ['summary', 'instructions', 'operands', 'encoding', 'resources', 'functions', 'flame', 'code', 'branches', 'time', 'pipeline', 'description'];

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });

export class Page {
  // Opens a file in a context of its own.
  static async open(browser, file, hash = '', { width = 1280, height = 860, colorScheme = 'light', reads = true } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme, offline: true });
    const it = new Page();
    it.url = pathToFileURL(file).href;
    it.tab = await context.newPage();
    it.complaints = [];
    it.tab.on('console', (message) => { if (['error', 'warning'].includes(message.type())) it.complaints.push(message.text()); });
    it.tab.on('pageerror', (error) => it.complaints.push(error.stack));
    it.tab.on('request', (request) => {
      const url = request.url();
      if (url.split('#')[0] !== it.url && !url.startsWith('data:')) it.complaints.push(`a request for ${url}`);
    });
    await it.tab.goto(it.url + hash);
    if (reads) it.data = await it.tab.evaluate(() => JSON.parse(document.getElementById('data').textContent));
    return it;
  }

  // Goes to a link within the page, as a click on it does.
  async go(hash) {
    await this.tab.evaluate((to) => { location.hash = to; }, hash);
    await this.settle();
  }

  // Lets what is drawn with the next frame be drawn.
  settle() {
    return this.tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)))));
  }

  async press(...keys) {
    for (const key of keys) await this.tab.keyboard.press(key);
    await this.settle();
  }

  hash() {
    return this.tab.evaluate(() => decodeURIComponent(location.hash));
  }

  title() {
    return this.tab.locator('main h1').innerText();
  }

  // The texts of a column of the rows that are drawn.
  async column(label, index) {
    return this.tab.locator(`[role=grid][aria-label="${label}"] .space [role=row] [role=gridcell]:nth-child(${index + 1})`).allInnerTexts();
  }

  grid(label) {
    return this.tab.locator(`[role=grid][aria-label="${label}"]`);
  }

  async checkAccessible(what) {
    await this.tab.evaluate(`if (!window.axe) { ${axe} }`);
    const found = await this.tab.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    const serious = found.violations.filter((one) => ['serious', 'critical'].includes(one.impact));
    const told = serious.map((one) => `${one.id}: ${one.help}\n  ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 200)} ${node.any.map((check) => check.message).join('; ')}`).join('\n  ')}`);
    assert.deepEqual(told, [], `${what} is accessible`);
  }

  // Closes it; there must have been nothing to complain of.
  async close() {
    assert.deepEqual(this.complaints, [], `${this.url} is quiet`);
    await this.tab.context().close();
  }
}

// A count as the page writes it.
export const digits = (text) => text.replace(/[^0-9]/g, '');
