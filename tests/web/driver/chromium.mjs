// Chromium without a window, driven by the DevTools protocol through a pipe, so that it listens on no port.
// https://chromedevtools.github.io/devtools-protocol/
import fs from 'node:fs';
import { kReportViolations, Page } from './page.mjs';
import { Program, temporaryFolder } from './process.mjs';

const kFlags = [
  '--headless', '--remote-debugging-pipe', '--window-size=1280,800', '--hide-scrollbars',
  // The only pages are those of the program under test, and containers often lack what the sandbox needs.
  '--no-sandbox', '--disable-dev-shm-usage',
  // WebGL2 on the processor
  '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist',
  // Nothing but the loopback interface is asked for anything.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE [::1]',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-default-apps',
  '--disable-extensions', '--disable-domain-reliability', '--disable-client-side-phishing-detection',
  '--disable-breakpad', '--disable-crash-reporter', '--no-first-run', '--no-default-browser-check', '--no-pings',
  '--metrics-recording-only', '--password-store=basic', '--use-mock-keychain',
  '--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider',
  // Pages that nobody sees go on as if somebody did.
  '--disable-backgrounding-occluded-windows', '--disable-renderer-backgrounding', '--disable-background-timer-throttling',
];
const kLevels = { error: 'error', assert: 'error', warning: 'warning' };

export class Chromium {
  name = 'chromium';
  #folder = temporaryFolder('chromium');
  #program;
  #sessions = new Map(); // pages, by the sessions of the protocol: their own, and those of their workers
  #asked = new Map();
  #last = 0;

  // `flags`: further ones, such as --disable-gpu; a flag that begins with "!" removes one.
  static async start({ flags = [] } = {}) {
    const browser = new Chromium(flags);
    await browser.ask('Browser.getVersion');
    return browser;
  }

  constructor(flags) {
    const removed = flags.filter((flag) => flag.startsWith('!')).map((flag) => flag.slice(1));
    const all = [...kFlags.filter((flag) => !removed.includes(flag)), ...flags.filter((flag) => !flag.startsWith('!'))];
    this.#program = new Program('chromium', [...all, `--user-data-dir=${this.#folder.path}/profile`, 'about:blank'], {
      env: { ...process.env, HOME: this.#folder.path, XDG_CONFIG_HOME: this.#folder.path, XDG_CACHE_HOME: this.#folder.path,
        DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent', DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/nonexistent' },
      stdio: ['pipe', 'pipe'],
    });
    this.#program.stdio[3].on('error', () => {});
    let parts = [];
    this.#program.stdio[4].on('data', (data) => { // messages end with a zero byte
      for (let end; (end = data.indexOf(0)) >= 0; data = data.subarray(end + 1)) {
        parts.push(data.subarray(0, end));
        this.#received(JSON.parse(Buffer.concat(parts).toString()));
        parts = [];
      }
      parts.push(data);
    }).on('close', () => {
      for (const { reject, method } of this.#asked.values())
        reject(new Error(`chromium ended before it answered ${method}:\n${this.#program.output}`));
      this.#asked.clear();
    }).on('error', () => {});
  }

  get pid() { return this.#program.pid; }
  get output() { return this.#program.output; }

  // One command of the protocol.
  ask(method, params = {}, sessionId = undefined) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject, method });
      this.#program.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
    });
  }

  // A page with cookies and storage of its own.
  async page() {
    const { browserContextId } = await this.ask('Target.createBrowserContext');
    const { targetId } = await this.ask('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await this.ask('Target.attachToTarget', { targetId, flatten: true });
    const page = new ChromiumPage(this, sessionId, targetId, browserContextId);
    this.#sessions.set(sessionId, page);
    await page.prepare();
    return page;
  }

  async close() {
    await Promise.race([this.ask('Browser.close').catch(() => {}), this.#program.ended().catch(() => {})]);
    this.#program.killNow();
    await this.#program.ended();
    this.#folder.remove();
  }

  #received(message) {
    if (message.id) {
      const { resolve, reject, method } = this.#asked.get(message.id) ?? {};
      this.#asked.delete(message.id);
      if (message.error) reject?.(new Error(`chromium: ${method}: ${message.error.message}`));
      else resolve?.(message.result);
      return;
    }
    const page = this.#sessions.get(message.sessionId);
    if (!page) return;
    if (message.method === 'Target.attachedToTarget') { // a worker of the page
      const { sessionId } = message.params;
      this.#sessions.set(sessionId, page);
      for (const method of ['Runtime.enable', 'Log.enable', 'Runtime.runIfWaitingForDebugger'])
        this.ask(method, {}, sessionId).catch(() => {});
    }
    page.event(message.method, message.params);
  }
}

class ChromiumPage extends Page {
  #waiting = [];

  constructor(browser, session, target, context) {
    super();
    Object.assign(this, { browser, session, target, context });
  }
  #ask(method, params) { return this.browser.ask(method, params, this.session); }

  async prepare() {
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await this.#ask(`${domain}.enable`);
    await this.#ask('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
    await this.#ask('Page.addScriptToEvaluateOnNewDocument', { source: kReportViolations });
    await this.size({ width: 1280, height: 800 });
  }

  async open(url) {
    const loaded = new Promise((resolve) => this.#waiting.push({ event: 'Page.loadEventFired', resolve }));
    const { errorText } = await this.#ask('Page.navigate', { url });
    if (errorText) throw new Error(`chromium: ${url}: ${errorText}`);
    await loaded;
  }

  async evaluateText(expression) {
    const { result, exceptionDetails } = await this.#ask('Runtime.evaluate',
      { expression, awaitPromise: true, returnByValue: true, userGesture: false });
    if (exceptionDetails)
      throw new Error(`chromium: ${exceptionDetails.exception?.description ?? exceptionDetails.text}\n${this.story()}`);
    return result.value;
  }

  // Of the page, in CSS pixels; ratio: of device pixels; touch: as on a telephone.
  async size({ width, height, ratio = 1, touch = false }) {
    await this.#ask('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: ratio, mobile: touch });
    await this.#ask('Emulation.setTouchEmulationEnabled', { enabled: touch });
  }

  // Keys as KeyboardEvent.key names them ('i', 'Escape', 'Enter'). Counts as the user's gesture.
  async press(key) {
    const code = key.length === 1 ? `Key${key.toUpperCase()}` : key;
    const windowsVirtualKeyCode = { Enter: 13, Escape: 27, Tab: 9 }[key] ?? key.toUpperCase().charCodeAt(0);
    const text = key === 'Enter' ? '\r' : key.length === 1 ? key : undefined;
    await this.#ask('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', key, code, text, windowsVirtualKeyCode });
    await this.#ask('Input.dispatchKeyEvent', { type: 'keyUp', key, code, windowsVirtualKeyCode });
  }
  async type(text) { await this.#ask('Input.insertText', { text }); }
  async clickAt(x, y) {
    for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased'])
      await this.#ask('Input.dispatchMouseEvent', { type, x, y, button: type === 'mouseMoved' ? 'none' : 'left', clickCount: 1 });
  }
  async tapAt(x, y) {
    await this.#ask('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
    await this.#ask('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  }

  // Writes a PNG if there is a name; returns it.
  async screenshot(file) {
    const { data } = await this.#ask('Page.captureScreenshot', { format: 'png' });
    const png = Buffer.from(data, 'base64');
    if (file) fs.writeFileSync(file, png);
    return png;
  }

  async close() {
    await this.browser.ask('Target.closeTarget', { targetId: this.target });
    await this.browser.ask('Target.disposeBrowserContext', { browserContextId: this.context });
  }

  event(method, params) {
    const text = (value) => value.value !== undefined ? String(value.value) : value.description ?? value.unserializableValue ?? value.type;
    if (method === 'Runtime.consoleAPICalled')
      this.log.push({ level: kLevels[params.type] ?? 'info', text: params.args.map(text).join(' ') });
    if (method === 'Runtime.exceptionThrown') {
      const { text: what, exception, url, lineNumber } = params.exceptionDetails;
      this.log.push({ level: 'error', text: `${what} ${exception?.description ?? ''} (${url}:${lineNumber + 1})` });
    }
    if (method === 'Log.entryAdded') {
      const { level, source, text: what, url } = params.entry;
      // A WebSocket that a server does not accept any more is no fault of the page.
      const server = source === 'network' || /^WebSocket connection to /.test(what);
      this.log.push({ level: server ? 'info' : kLevels[level] ?? 'info', text: `${source}: ${what} ${url ?? ''}` });
    }
    this.#waiting = this.#waiting.filter((one) => one.event !== method || (one.resolve(params), false));
  }
}
