// main.js — the page: it joins the session (connection.js), the picture, the sound, the pointer and the controls.
// @ts-check

import { Connection } from './connection.js';
import { Controls, element } from './controls.js';
import { Picture, PictureError } from './picture.js';
import { Pointer } from './pointer.js';
import { Sound } from './sound.js';
import { showStatistics, showStatus } from './status.js';

/** @typedef {import('./connection.js').Message} Message */

class Page {
  constructor() {
    /** @type {Message} */
    this.status = { type: 'status', state: 'connecting' };
    /** @type {Message|null} */
    this.welcome = null;
    /** @type {Record<string, unknown>|null} */
    this.statistics = null;
    this.shownNumber = -1;
    this.newest = -1; // number of the newest frame in the textures
    this.newestIsComplete = false; // nothing of it was lost
    this.drawn = 0; // frames since the last statistics
    this.drawnSince = performance.now();
    this.uploadMs = 0;
    /** @type {{number: number, resolve: (number: number) => void}[]} */
    this.waiting = [];
    this.drawRequested = false;
    this.canvas = /** @type {HTMLCanvasElement} */ (element('picture'));
    /** @type {WakeLockSentinel|null} */
    this.wakeLock = null;
  }

  start() {
    this.picture = new Picture(this.canvas, {
      onLost: () => this.setStatus({ type: 'status', state: 'lost', line: 'The GPU was reset. Waiting for it …' }),
      onRestored: () => {
        this.setStatus({ type: 'status', state: 'playing' });
        this.connection?.post({ type: 'whole' });
      },
    });
    this.pointer = new Pointer(/** @type {HTMLCanvasElement} */ (element('pointer')));
    this.sound = new Sound((blocked) => {
      element('unmute').hidden = !blocked;
    });
    this.controls = new Controls(this.picture.view, {
      redraw: () => this.requestDraw(),
      volume: (percent) => this.sound?.setVolume(percent / 100),
      mute: (muted) => this.sound?.setMuted(muted),
      statistics: () => this.showStatistics(),
      variant: (name) => {
        wishes.variant = name;
        history.replaceState(null, '', `#${new URLSearchParams({ variant: name })}`); // for the next visit
        this.connection?.open();
      },
    });
    const wishes = takeFragment();
    if (this.picture.families.length === 0)
      this.setStatus({
        type: 'status',
        state: 'connecting',
        line: 'This GPU takes no compressed textures; asking the server …',
      });
    this.connection = new Connection(this.picture.families, wishes, (message) => this.take(message));
    this.#form(wishes);
    this.#watchSize();
    document.addEventListener('visibilitychange', () => this.#keepAwake());
    for (const gesture of ['pointerup', 'keydown']) document.addEventListener(gesture, () => this.sound?.unlock());
    this.connection.open();
  }

  /** @param {Message} message of the session */
  take(message) {
    switch (message.type) {
      case 'status':
        return this.setStatus(message);
      case 'welcome':
      case 'changed':
        return this.#welcome(message);
      case 'stream':
        return this.#stream(message.description);
      case 'frame':
        return this.#frame(message);
      case 'sound':
        return this.sound?.take(/** @type {any} */ (message));
      case 'pointer':
        this.pointer?.set(/** @type {any} */ (message));
        return this.placePointer();
      case 'statistics':
        this.statistics = message;
        return this.showStatistics();
    }
  }

  /** @param {Message} status */
  setStatus(status) {
    this.status = status;
    const playing = status.state === 'playing';
    showStatus(status, this.picture?.hasPicture ?? false);
    this.controls?.setPlaying(playing);
    if (['failed', 'ended', 'refused', 'retrying'].includes(status.state)) {
      this.sound?.stop();
      this.pointer?.set(null);
      this.placePointer();
    }
    this.#keepAwake();
  }

  /** @param {Message} welcome */
  #welcome(welcome) {
    this.welcome = welcome;
    element('controls').hidden = false;
    if (welcome.name) {
      document.title = `${welcome.name} — texcast`;
      element('name').textContent = welcome.name;
    }
    if (welcome.sound !== undefined) this.controls?.setSound(welcome.sound);
    const families = this.picture?.families ?? [];
    /** @type {{name: string, families?: string[]}[]} */
    const variants = welcome.variants ?? [];
    const taken = variants.filter((variant) => (variant.families ?? []).every((family) => families.includes(family)));
    this.controls?.setVariants(taken, welcome.variant);
  }

  /** @param {import('./picture.js').Description} description */
  #stream(description) {
    try {
      this.picture?.setStream(description);
      this.canvas.setAttribute('aria-label', `Picture of the stream, ${description.width} by ${description.height}`);
    } catch (error) {
      if (!(error instanceof PictureError)) throw error;
      this.connection?.close();
      this.setStatus({ type: 'status', state: 'refused', line: error.message });
    }
  }

  /** @param {Message} frame */
  #frame({ number, complete, uploads, buffer }) {
    const before = performance.now();
    const isTaken = this.picture?.upload(uploads, buffer);
    this.uploadMs = performance.now() - before;
    this.connection?.post({ type: 'recycle', buffer }, [buffer]);
    if (!isTaken) return;
    this.newest = number;
    this.newestIsComplete = complete;
    if (this.status.state !== 'playing' && this.picture?.hasPicture)
      this.setStatus({ type: 'status', state: 'playing' });
    this.requestDraw();
  }

  requestDraw() {
    if (this.drawRequested) return;
    this.drawRequested = true;
    requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.drawRequested = false;
    this.picture?.draw();
    this.placePointer();
    if (this.newest === this.shownNumber || !this.picture?.hasPicture) return;
    this.shownNumber = this.newest;
    ++this.drawn;
    this.connection?.post({ type: 'shown', number: this.shownNumber, at: performance.now() });
    const arrived = this.waiting.filter(({ number }) => number <= this.shownNumber);
    this.waiting = this.waiting.filter(({ number }) => number > this.shownNumber);
    for (const { resolve } of arrived) resolve(this.shownNumber);
  }

  placePointer() {
    if (this.picture) this.pointer?.place(this.picture, this.canvas.width / Math.max(1, this.canvas.clientWidth));
  }

  showStatistics() {
    const now = performance.now();
    const seconds = (now - this.drawnSince) / 1000;
    if (seconds >= 0.9) {
      this.drawnFps = this.drawn / seconds;
      this.drawn = 0;
      this.drawnSince = now;
    }
    if (element('statistics').hidden) return;
    const d = this.picture?.description;
    const where = this.picture?.where;
    showStatistics({
      ...this.statistics,
      renderer: this.picture?.renderer,
      picture: d && where ? `${d.width}x${d.height}, drawn ${where.width}x${where.height}` : undefined,
      drawn_fps: this.drawnFps,
      upload_ms: this.uploadMs,
      sound: this.sound?.summary(),
      sound_lost: /** @type {any} */ (this.statistics)?.sound?.lost,
      seal: this.welcome?.sealed ? 'opened by the server' : undefined,
    });
  }

  /** Resolves with the number of the frame on the screen when that is `number` or newer.
   *  @param {number} number */
  waitForFrame(number) {
    return new Promise((resolve) => {
      if (this.shownNumber >= number) resolve(this.shownNumber);
      else this.waiting.push({ number, resolve });
    });
  }

  /** @param {import('./connection.js').Wishes} wishes */
  #form(wishes) {
    const password = /** @type {HTMLInputElement} */ (element('password'));
    element('access').addEventListener('submit', (event) => {
      event.preventDefault();
      wishes.password = password.value;
      password.value = '';
      this.connection?.open();
    });
    element('reconnect').addEventListener('click', () => this.connection?.open());
    element('unmute').addEventListener('click', () => this.sound?.unlock());
  }

  // The canvas has a pixel for each pixel of the screen, so that 1:1 is 1:1.
  #watchSize() {
    const resize = (/** @type {number} */ width, /** @type {number} */ height) => {
      this.picture?.resize(width, height);
      this.placePointer();
    };
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry.contentRect;
      const box = entry.devicePixelContentBoxSize?.[0];
      // Exact where it is right: a browser that emulates a telephone gives the size on its own screen.
      if (box && Math.abs(box.inlineSize - width * devicePixelRatio) < 2) resize(box.inlineSize, box.blockSize);
      else resize(Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio));
    });
    try {
      observer.observe(this.canvas, { box: 'device-pixel-content-box' });
    } catch {
      observer.observe(this.canvas); // Safari has no such box
    }
  }

  // Screens stay on while a picture plays; browsers allow it on secure pages only.
  async #keepAwake() {
    const wanted = this.status.state === 'playing' && !document.hidden;
    if (!wanted) {
      this.wakeLock?.release();
      this.wakeLock = null;
    } else if (!this.wakeLock && navigator.wakeLock) {
      try {
        this.wakeLock = await navigator.wakeLock.request('screen');
        this.wakeLock.addEventListener('release', () => (this.wakeLock = null));
      } catch {
        // a low battery: the device decides
      }
    }
  }
}

/** Takes what the address says behind its `#`: link and password, which it removes from the address so that they are
 *  not kept in the history, and variant and latency (milliseconds).
 *
 *  @returns {import('./connection.js').Wishes} */
function takeFragment() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const value = (/** @type {string} */ name) => fragment.get(name) ?? undefined;
  const latency = Number(value('latency') ?? NaN);
  const wishes = {
    link: value('link'),
    password: value('password'),
    variant: value('variant'),
    latency: latency >= 0 ? latency : undefined,
  };
  if (wishes.link !== undefined || wishes.password !== undefined) {
    fragment.delete('link');
    fragment.delete('password');
    const rest = fragment.toString();
    history.replaceState(null, '', location.pathname + location.search + (rest ? `#${rest}` : ''));
  }
  return wishes;
}

const page = new Page();
/** For tests and scripts; read only. */
Object.defineProperty(window, 'texcast', {
  value: Object.freeze({
    get state() {
      return page.status.state;
    },
    get status() {
      return page.status;
    },
    get welcome() {
      return page.welcome;
    },
    get description() {
      return page.picture?.description ?? null;
    },
    get statistics() {
      return page.statistics;
    },
    get shownNumber() {
      return page.shownNumber;
    },
    /** Whether the frame that readPixels() draws is complete. */
    get isComplete() {
      return page.newestIsComplete;
    },
    get families() {
      return page.picture?.families ?? [];
    },
    get sound() {
      return page.sound?.statistics() ?? null;
    },
    readPixels: (/** @type {number|undefined} */ rows) => page.picture?.readPixels(rows).data ?? new Uint8Array(),
    waitForFrame: (/** @type {number} */ number) => page.waitForFrame(number),
  }),
});
try {
  page.start();
} catch (error) {
  if (!(error instanceof PictureError)) throw error;
  page.setStatus({ type: 'status', state: 'failed', line: error.message });
}
