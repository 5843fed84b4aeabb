// controls.js — what the viewer operates: buttons, keys, taps, pinch and drag, fullscreen. It changes the view of the
// picture and calls back for the rest.
// @ts-check

/** @template {HTMLElement} T @param {string} id @returns {T} */
export function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no element ${id}`);
  return /** @type {T} */ (found);
}

/** @type {[mode: import('./geometry.js').ScaleMode, name: string][]} */
const SCALES = [
  ['fit', 'Fit'],
  ['fill', 'Fill'],
  ['exact', '1:1'],
];
const HIDE_AFTER = 3000; // milliseconds without input
const DOUBLE_TAP = 300; // milliseconds
const TAP_SLACK = 10; // CSS pixels that a finger may move in a tap
const LARGEST_ZOOM = 8;
const KEY_STEP = 60; // CSS pixels that an arrow key moves the picture

/** @typedef {{redraw: () => void, volume: (percent: number) => void, mute: (muted: boolean) => void,
 *    statistics: (shown: boolean) => void, variant: (name: string) => void}} Actions */

export class Controls {
  /** @param {import('./geometry.js').View} view which this changes @param {Actions} actions */
  constructor(view, actions) {
    this.view = view;
    this.actions = actions;
    this.stage = element('stage');
    this.muted = false;
    this.volume = 100;
    this.keepShown = true; // while there is no picture
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    this.#buttons();
    this.#touch();
    document.addEventListener('keydown', (event) => this.#key(event));
    document.addEventListener('focusin', () => this.show());
    this.show();
  }

  /** Whether the stream has sound, and so its controls.
   *  @param {boolean} has */
  setSound(has) {
    element('mute').hidden = !has;
    element('volume').hidden = !has;
  }

  /** The formats that the server offers.
   *  @param {{name: string, format?: string}[]} variants @param {string} current */
  setVariants(variants, current) {
    const select = /** @type {HTMLSelectElement} */ (element('variant'));
    element('variants').hidden = variants.length < 2;
    select.replaceChildren(...variants.map(({ name }) => new Option(name, name, false, name === current)));
  }

  /** Playing pictures may be seen without the controls.
   *  @param {boolean} playing */
  setPlaying(playing) {
    this.keepShown = !playing;
    this.show();
  }

  show() {
    this.stage.classList.remove('idle');
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#hide(), HIDE_AFTER);
  }

  #hide() {
    if (!this.keepShown) this.stage.classList.add('idle');
  }

  toggleFullscreen() {
    const root = /** @type {any} */ (document.documentElement);
    const page = /** @type {any} */ (document);
    // Safari on iPads has the functions with a prefix only. A refusal is the browser's own matter.
    if (page.fullscreenElement ?? page.webkitFullscreenElement)
      (page.exitFullscreen ?? page.webkitExitFullscreen).call(page);
    else (root.requestFullscreen ?? root.webkitRequestFullscreen)?.call(root)?.catch?.(() => {});
  }

  nextScale() {
    const at = SCALES.findIndex(([mode]) => mode === this.view.mode);
    this.setScale(SCALES[(at + 1) % SCALES.length][0]);
  }

  /** @param {import('./geometry.js').ScaleMode} mode */
  setScale(mode) {
    Object.assign(this.view, { mode, zoom: 1, panX: 0, panY: 0 });
    element('scale-name').textContent = SCALES.find(([each]) => each === mode)?.[1] ?? '';
    this.actions.redraw();
  }

  /** @param {number} percent */
  setVolume(percent) {
    this.volume = Math.min(100, Math.max(0, percent));
    /** @type {HTMLInputElement} */ (element('volume')).value = String(this.volume);
    this.actions.volume(this.volume);
    if (this.volume > 0) this.setMuted(false);
  }

  /** @param {boolean} muted */
  setMuted(muted) {
    this.muted = muted;
    this.#press('mute', muted);
    this.actions.mute(muted);
  }

  toggleStatistics() {
    const panel = element('statistics');
    panel.hidden = !panel.hidden;
    this.#press('show-statistics', !panel.hidden);
    this.actions.statistics(!panel.hidden);
  }

  toggleKeys() {
    const panel = element('keys');
    panel.hidden = !panel.hidden;
    this.#press('show-keys', !panel.hidden);
  }

  /** @param {string} id @param {boolean} pressed */
  #press(id, pressed) {
    element(id).setAttribute('aria-pressed', String(pressed));
  }

  #buttons() {
    const press = (/** @type {string} */ id, /** @type {() => void} */ act) =>
      element(id).addEventListener('click', act);
    press('fullscreen', () => this.toggleFullscreen());
    press('scale', () => this.nextScale());
    press('mute', () => this.setMuted(!this.muted));
    press('show-statistics', () => this.toggleStatistics());
    press('show-keys', () => this.toggleKeys());
    const volume = /** @type {HTMLInputElement} */ (element('volume'));
    volume.addEventListener('input', () => this.setVolume(Number(volume.value)));
    const variant = /** @type {HTMLSelectElement} */ (element('variant'));
    variant.addEventListener('change', () => this.actions.variant(variant.value));
    const page = /** @type {any} */ (document);
    element('fullscreen').hidden = !(page.fullscreenEnabled ?? page.webkitFullscreenEnabled); // not on iPhones
    for (const name of ['fullscreenchange', 'webkitfullscreenchange'])
      document.addEventListener(name, () =>
        this.#press('fullscreen', Boolean(page.fullscreenElement ?? page.webkitFullscreenElement)),
      );
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { target } = event;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const typing = target instanceof HTMLInputElement && target.type === 'password';
    const isSlider = target instanceof HTMLInputElement && target.type === 'range';
    const ownArrows = isSlider || target instanceof HTMLSelectElement;
    if (typing || (ownArrows && event.key.length !== 1)) return;
    const move = (/** @type {number} */ x, /** @type {number} */ y) => () => this.pan(x * KEY_STEP, y * KEY_STEP);
    /** @type {Record<string, () => void>} */
    const keys = {
      f: () => this.toggleFullscreen(),
      w: () => this.nextScale(),
      m: () => this.setMuted(!this.muted),
      i: () => this.toggleStatistics(),
      '?': () => this.toggleKeys(),
      h: () => this.toggleKeys(),
      9: () => this.setVolume(this.volume - 5),
      0: () => this.setVolume(this.volume + 5),
      '+': () => this.zoom(1.25, innerWidth / 2, innerHeight / 2),
      '-': () => this.zoom(0.8, innerWidth / 2, innerHeight / 2),
      ArrowLeft: move(1, 0),
      ArrowRight: move(-1, 0),
      ArrowUp: move(0, 1),
      ArrowDown: move(0, -1),
    };
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (!act) return;
    event.preventDefault();
    act();
    this.show();
  }

  /** Moves the picture.
   *  @param {number} x CSS pixels @param {number} y */
  pan(x, y) {
    this.view.panX += x * devicePixelRatio;
    this.view.panY += y * devicePixelRatio;
    this.actions.redraw();
  }

  /** Magnifies around a point of the page.
   *  @param {number} factor @param {number} x CSS pixels @param {number} y */
  zoom(factor, x, y) {
    const { view } = this;
    const zoom = Math.min(LARGEST_ZOOM, Math.max(1, view.zoom * factor));
    const grown = zoom / view.zoom;
    // The point keeps its place: its distance from the picture's centre grows by the factor.
    const fromX = (x - innerWidth / 2) * devicePixelRatio - view.panX;
    const fromY = (y - innerHeight / 2) * devicePixelRatio - view.panY;
    view.panX -= fromX * (grown - 1);
    view.panY -= fromY * (grown - 1);
    view.zoom = zoom;
    this.actions.redraw();
  }

  #touch() {
    const picture = element('picture');
    /** @type {Map<number, {x: number, y: number}>} */
    const fingers = new Map();
    let start = { x: 0, y: 0 };
    let moved = false;
    let lastTap = -Infinity;
    picture.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      picture.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      moved = fingers.size > 1;
      start = { x: event.clientX, y: event.clientY };
    });
    picture.addEventListener('pointermove', (event) => {
      if (event.pointerType === 'mouse') this.show();
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const now = { x: event.clientX, y: event.clientY };
      if (!moved && Math.hypot(now.x - start.x, now.y - start.y) < TAP_SLACK) return;
      moved = true;
      const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
      fingers.set(event.pointerId, now);
      if (other) {
        const was = Math.hypot(before.x - other.x, before.y - other.y);
        const is = Math.hypot(now.x - other.x, now.y - other.y);
        if (was > 0) this.zoom(is / was, (now.x + other.x) / 2, (now.y + other.y) / 2);
        this.pan((now.x - before.x) / 2, (now.y - before.y) / 2); // the middle of the two moved half as far
      } else {
        this.pan(now.x - before.x, now.y - before.y);
      }
    });
    const lift = (/** @type {PointerEvent} */ event) => {
      if (!fingers.delete(event.pointerId) || moved || event.type === 'pointercancel') return;
      const double = event.timeStamp - lastTap < DOUBLE_TAP;
      lastTap = double ? -Infinity : event.timeStamp;
      if (double) this.toggleFullscreen();
      else if (event.pointerType === 'mouse' || this.stage.classList.contains('idle')) this.show();
      else this.#hide();
    };
    picture.addEventListener('pointerup', lift);
    picture.addEventListener('pointercancel', lift);
    // As in the native player, the wheel sets the volume. Browsers report two fingers on a touchpad as Ctrl and wheel.
    picture.addEventListener('wheel', (event) => {
      event.preventDefault();
      if (event.ctrlKey) this.zoom(Math.exp(-event.deltaY / 100), event.clientX, event.clientY);
      else this.setVolume(this.volume + (event.deltaY < 0 ? 5 : -5));
      this.show();
    }, { passive: false });
    this.stage.addEventListener('pointerdown', () => this.show());
  }
}
