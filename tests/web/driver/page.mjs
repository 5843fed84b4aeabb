// What both browsers' pages have in common; chromium.mjs and firefox.mjs say how it is done.
import fs from 'node:fs';
import path from 'node:path';
import { kPatienceMs } from './process.mjs';

// Runs before the page's own scripts: a violation of the Content-Security-Policy becomes an error in the log.
export const kReportViolations = `addEventListener('securitypolicyviolation', (event) =>
  console.error('Content-Security-Policy: ' + event.violatedDirective + ' forbids ' + event.blockedURI));`;

// Where a failed wait leaves the screenshot. Tests set it to a folder of the build.
export const evidence = { folder: process.env.TEXCAST_WEB_EVIDENCE ?? '' };

// A telephone, for size(): CSS pixels.
export const kTelephone = { width: 360, height: 800, ratio: 3, touch: true };

export class Page {
  log = []; // { level: 'error' | 'warning' | 'info', text } of the page's console, exceptions included

  // JavaScript text, awaited if it gives a promise. The value must be one that JSON has. Throws what the page throws.
  // async evaluateText(text)

  // Runs a function in the page; its arguments and its result are copied as JSON.
  async evaluate(code, ...args) {
    return this.evaluateText(`(${code})(${args.map((value) => JSON.stringify(value) ?? 'undefined').join(', ')})`);
  }

  // The bytes of an ArrayBuffer or a view that a function in the page gives.
  async bytes(code, ...args) {
    const text = await this.evaluateText(`(async () => {
      const data = await (${code})(${args.map((value) => JSON.stringify(value)).join(', ')});
      if (data == null) return null;
      const reader = new FileReader();
      await new Promise((done) => { reader.onload = done; reader.readAsDataURL(new Blob([data])); });
      return reader.result.slice(reader.result.indexOf(',') + 1);
    })()`);
    return text === null ? null : Buffer.from(text, 'base64');
  }

  // Waits until a function in the page gives a value that is true, and returns it. The page checks it whenever it draws or
  // 20 ms have passed, as headless browsers do not always draw.
  async until(code, ...args) {
    const call = `(${code})(${args.map((value) => JSON.stringify(value)).join(', ')})`;
    const begun = Date.now();
    for (;;) {
      const value = await this.evaluateText(`(async () => {
        const end = performance.now() + 2000;
        for (;;) {
          const value = await ${call};
          if (value || performance.now() > end) return value ?? null;
          await new Promise((next) => setTimeout(next, 20));
        }
      })()`);
      if (value) return value;
      if (Date.now() - begun > kPatienceMs) throw new Error(await this.#timeout(call));
    }
  }

  // With the mouse, in the middle of the element. Counts as the user's gesture, as tap() and press() do.
  async click(selector) { await this.clickAt(...await this.#middle(selector)); }
  async tap(selector) { await this.tapAt(...await this.#middle(selector)); }
  async #middle(selector) {
    return this.evaluate((selector) => {
      const element = document.querySelector(selector);
      if (!element) throw new Error(`there is no ${selector}`);
      const { left, top, width, height } = element.getBoundingClientRect();
      if (width === 0) throw new Error(`${selector} is not visible`);
      return [left + width / 2, top + height / 2];
    }, selector);
  }

  // Errors of the console; tests expect none. Firefox notes there that a WebSocket broke while something was loading, which
  // the page handles: only a killed server can be the reason, and only sometimes.
  errors() {
    const isBrokenSocket = (text) => /^The connection to wss?:\S+ was interrupted while the page was loading\.$/.test(text);
    return this.log.filter(({ level, text }) => level === 'error' && !isBrokenSocket(text)).map(({ text }) => text);
  }

  async #timeout(call) {
    let text = `${this.browser.name}: timeout: the test waited for ${call}\n${this.story()}`;
    const state = await this.evaluateText(`JSON.stringify({ title: document.title, text: document.body?.innerText,
      texcast: window.texcast && { state: window.texcast.state, shownNumber: window.texcast.shownNumber,
        statistics: window.texcast.statistics } })`).catch(String);
    text += `\nthe page: ${state}`;
    if (evidence.folder) {
      fs.mkdirSync(evidence.folder, { recursive: true });
      const file = path.join(evidence.folder, `timeout-${this.browser.name}-${process.pid}.png`);
      await this.screenshot(file).then(() => { text += `\nscreenshot: ${file}`; }, () => {});
    }
    return text;
  }
  // The console, for the text of a failure.
  story() {
    return this.log.map(({ level, text }) => `  console, ${level}: ${text}`).join('\n') || '  (nothing on the console)';
  }
}
