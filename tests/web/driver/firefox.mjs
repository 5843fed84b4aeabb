// Firefox on an X server of its own (without a display it has no WebGL2), driven by WebDriver BiDi, for which it listens
// on a port of the loopback interface. https://w3c.github.io/webdriver-bidi/
import fs from 'node:fs';
import path from 'node:path';
import { kReportViolations, Page } from './page.mjs';
import { Program, temporaryFolder } from './process.mjs';
import { WebSocket } from './websocket.mjs';
import { XServer } from './x_server.mjs';

const kPreferences = {
  // WebGL2 on the processor
  'webgl.force-enabled': true, 'webgl.disable-fail-if-major-performance-caveat': true,
  // Nothing is asked for anything. (A proxy that does not exist, for all but the loopback interface.)
  'network.proxy.type': 1, 'network.proxy.http': '127.0.0.1', 'network.proxy.http_port': 9, 'network.proxy.ssl': '127.0.0.1',
  'network.proxy.ssl_port': 9, 'network.proxy.no_proxies_on': 'localhost, 127.0.0.1, ::1',
  'app.update.disabledForTesting': true, 'app.update.enabled': false, 'app.normandy.enabled': false,
  'browser.safebrowsing.malware.enabled': false, 'browser.safebrowsing.phishing.enabled': false,
  'browser.safebrowsing.downloads.enabled': false, 'browser.safebrowsing.update.enabled': false,
  'browser.search.update': false, 'browser.region.network.url': '', 'browser.topsites.contile.enabled': false,
  'browser.newtabpage.enabled': false, 'browser.startup.page': 0, 'browser.startup.homepage_override.mstone': 'ignore',
  'browser.shell.checkDefaultBrowser': false, 'browser.tabs.warnOnClose': false, 'browser.sessionstore.resume_from_crash': false,
  'datareporting.policy.dataSubmissionEnabled': false, 'datareporting.healthreport.uploadEnabled': false,
  'toolkit.telemetry.enabled': false, 'toolkit.telemetry.server': '', 'toolkit.telemetry.reportingpolicy.firstRun': false,
  'extensions.update.enabled': false, 'extensions.getAddons.cache.enabled': false, 'extensions.systemAddon.update.enabled': false,
  'extensions.blocklist.enabled': false, 'services.settings.server': 'data:,#remote-settings-dummy/v1',
  'network.captive-portal-service.enabled': false, 'network.connectivity-service.enabled': false,
  'network.dns.disablePrefetch': true, 'network.prefetch-next': false, 'dom.push.enabled': false,
  'media.gmp-manager.updateEnabled': false, 'media.gmp-manager.url': '', 'signon.autofillForms': false,
  // Pages that nobody sees go on as if somebody did.
  'dom.min_background_timeout_value': 4, 'dom.timeout.enable_budget_timer_throttling': false, 'widget.windows.window_occlusion_tracking.enabled': false,
  'dom.ipc.processPrelaunch.enabled': false, 'dom.w3c_touch_events.enabled': 1,
};
const kKeys = { Enter: '\uE007', Escape: '\uE00C', Tab: '\uE004', ArrowUp: '\uE013', ArrowDown: '\uE015' };

export class Firefox {
  name = 'firefox';
  #folder = temporaryFolder('firefox');
  #display;
  #program;
  #socket;
  #pages = new Map();
  #asked = new Map();
  #last = 0;

  // `preferences`: further ones of about:config.
  static async start({ preferences = {} } = {}) {
    const browser = new Firefox();
    await browser.#start(preferences);
    return browser;
  }

  async #start(preferences) {
    this.#display = await XServer.start(2560, 1600);
    const profile = path.join(this.#folder.path, 'profile');
    fs.mkdirSync(profile);
    fs.writeFileSync(path.join(profile, 'user.js'), Object.entries({ ...kPreferences, ...preferences })
      .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(''));
    this.#program = new Program('firefox-esr',
      ['--no-remote', '--profile', profile, '--remote-debugging-port', '0', '--width', '1280', '--height', '900', 'about:blank'],
      { env: { ...this.#display.env, HOME: this.#folder.path, XDG_CONFIG_HOME: this.#folder.path,
        XDG_CACHE_HOME: this.#folder.path, MOZ_CRASHREPORTER_DISABLE: '1', MOZ_DISABLE_CONTENT_SANDBOX: '1', LIBGL_ALWAYS_SOFTWARE: '1',
        DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent', DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/nonexistent' } });
    await this.#connect();
  }

  get pid() { return this.#program.pid; }
  get output() { return this.#program.output; }

  async #connect() {
    const [, url] = await this.#program.says(/WebDriver BiDi listening on (ws:\S+)/);
    this.#socket = await WebSocket.connect(`${url}/session`);
    this.#socket.on('message', (text) => this.#received(JSON.parse(text)));
    this.#socket.on('close', () => {
      for (const { reject, method } of this.#asked.values())
        reject(new Error(`firefox ended before it answered ${method}:\n${this.#program.output}`));
      this.#asked.clear();
    });
    await this.ask('session.new', { capabilities: {} });
    await this.ask('session.subscribe', { events: ['log.entryAdded'] });
    await this.ask('script.addPreloadScript', { functionDeclaration: `() => { ${kReportViolations} }` });
  }

  // One command of the protocol.
  ask(method, params = {}) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject, method });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  // A page with cookies and storage of its own.
  async page() {
    const { userContext } = await this.ask('browser.createUserContext');
    const { context } = await this.ask('browsingContext.create', { type: 'window', userContext });
    const page = new FirefoxPage(this, context, userContext);
    this.#pages.set(context, page);
    await page.size({ width: 1280, height: 800 });
    return page;
  }

  async close() {
    await Promise.race([this.ask('browser.close').catch(() => {}), this.#program.ended().catch(() => {})]);
    this.#program.killNow();
    await this.#program.ended();
    await this.#display.stop();
    this.#folder.remove();
  }

  #received(message) {
    if (message.type === 'event') {
      if (message.method === 'log.entryAdded') this.#pages.get(message.params.source.context)?.entry(message.params);
      return;
    }
    const { resolve, reject, method } = this.#asked.get(message.id) ?? {};
    this.#asked.delete(message.id);
    if (message.type === 'error') reject?.(new Error(`firefox: ${method}: ${message.error}: ${message.message}`));
    else resolve?.(message.result);
  }
}

class FirefoxPage extends Page {
  constructor(browser, context, userContext) {
    super();
    Object.assign(this, { browser, context, userContext });
  }
  #ask(method, params) { return this.browser.ask(method, { context: this.context, ...params }); }

  async open(url) { await this.#ask('browsingContext.navigate', { url, wait: 'complete' }); }

  async evaluateText(expression) {
    // As JSON, because the protocol describes values by types.
    const { result, exceptionDetails } = await this.browser.ask('script.evaluate', { target: { context: this.context },
      expression: `(async () => {
        try {
          return JSON.stringify({ value: await (${expression}) });
        } catch (error) {
          return JSON.stringify({ thrown: String(error) + '\\n' + error?.stack });
        }
      })()`, awaitPromise: true });
    if (exceptionDetails) throw new Error(`firefox: ${exceptionDetails.text}\n${this.story()}`);
    const { value, thrown } = JSON.parse(result.value);
    if (thrown) throw new Error(`firefox: ${thrown}\n${this.story()}`);
    return value;
  }

  // Of the page, in CSS pixels; ratio: of device pixels. (Firefox always has touch events here.)
  async size({ width, height, ratio = 1 }) {
    await this.#ask('browsingContext.setViewport', { viewport: { width, height }, devicePixelRatio: ratio });
  }

  // Keys as KeyboardEvent.key names them ('i', 'Escape', 'Enter'). Counts as the user's gesture.
  async press(key) {
    const value = kKeys[key] ?? key;
    await this.#actions({ type: 'key', id: 'keyboard', actions: [{ type: 'keyDown', value }, { type: 'keyUp', value }] });
  }
  async type(text) {
    for (const key of text) await this.press(key);
  }
  async clickAt(x, y) { await this.#point('mouse', x, y); }
  async tapAt(x, y) { await this.#point('touch', x, y); }

  // Writes a PNG if there is a name; returns it.
  async screenshot(file) {
    const { data } = await this.#ask('browsingContext.captureScreenshot', {});
    const png = Buffer.from(data, 'base64');
    if (file) fs.writeFileSync(file, png);
    return png;
  }

  async close() {
    await this.#ask('browsingContext.close', {});
    await this.browser.ask('browser.removeUserContext', { userContext: this.userContext });
  }

  entry({ level, text }) { this.log.push({ level: level === 'warn' ? 'warning' : level, text: text ?? '' }); }

  async #point(pointerType, x, y) {
    await this.#actions({ type: 'pointer', id: pointerType, parameters: { pointerType }, actions: [
      { type: 'pointerMove', x: Math.round(x), y: Math.round(y) }, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }] });
  }
  async #actions(source) { await this.#ask('input.performActions', { actions: [source] }); }
}
