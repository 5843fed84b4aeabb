// helpers.js — the workers (helper.js) that decode parts of a player's large frames. One that fails, or does not answer
// soon, is ended and not used again; the player decodes its parts.
// @ts-check

/** @typedef {import('./player.js').Player} Player */
/** @typedef {{worker: Worker, number: number, timer: ReturnType<typeof setTimeout>|undefined}} Helper
 *    number: the player's, or -1 before it is ready; timer: while it has a part */

const MOST_HELPERS = 3;
// The time for so many coded bytes, about two milliseconds. With less the messages, which have the rows that changed in
// the frame before, take longer than they save.
const LEAST_SHARE = 32 * 1024;
const LONGEST_ANSWER = 1000; // milliseconds

export class Helpers {
  /** @param {WebAssembly.Module} module @param {Player} player
   *  @param {(call: (player: Player) => void) => void} use calls the player, and `call` with it; then what is ready is
   *    taken from the player */
  constructor(module, player, use) {
    this.module = module;
    this.player = player;
    this.use = use;
    this.isStarted = false;
    /** @type {Set<Helper>} */
    this.all = new Set();
    /** @type {{name: string, file: Uint8Array}[]} */
    this.files = [];
  }

  /** A file that the stream needs. @param {string} name @param {Uint8Array} file */
  give(name, file) {
    this.files.push({ name, file });
    for (const { worker } of this.all) worker.postMessage({ type: 'give', name, file });
  }

  /** After each Player.poll(): the parts of a frame to the helpers, and the player's own. */
  share() {
    if (!this.isStarted && this.player.largestFrame() >= 2 * LEAST_SHARE) this.start();
    let isShared = false;
    for (const helper of this.all) {
      if (helper.number < 0) continue;
      const share = this.player.share(helper.number);
      if (!share) continue;
      isShared = true;
      helper.timer = setTimeout(() => this.lose(helper), LONGEST_ANSWER);
      helper.worker.postMessage({ type: 'share', buffer: share.buffer }, [share.buffer]);
    }
    if (isShared) this.player.ownShare();
  }

  start() {
    this.isStarted = true;
    // But for this worker's and the page's, which draws in a process of the browser. A helper without a processor of its
    // own costs a tenth of the time of large frames.
    const free = typeof Worker === 'undefined' ? 0 : (navigator.hardwareConcurrency ?? 1) - 2;
    for (let i = Math.min(free, MOST_HELPERS); i > 0; --i) {
      const worker = new Worker(new URL('./helper.js', import.meta.url), { type: 'module' });
      /** @type {Helper} */
      const helper = { worker, number: -1, timer: undefined };
      worker.onmessage = ({ data }) => this.take(helper, data);
      worker.onerror = (event) => {
        event.preventDefault?.(); // the player goes on without it
        this.lose(helper);
      };
      worker.postMessage({ type: 'start', module: this.module });
      for (const { name, file } of this.files) worker.postMessage({ type: 'give', name, file });
      this.all.add(helper);
    }
  }

  /** @param {Helper} helper @param {any} message */
  take(helper, message) {
    if (!this.all.has(helper)) return;
    if (message.type === 'ready') {
      this.use((player) => (helper.number = player.addHelper(LEAST_SHARE)));
    } else {
      clearTimeout(helper.timer);
      helper.timer = undefined;
      this.use((player) => player.answer(helper.number, new Uint8Array(message.buffer ?? 0)));
    }
  }

  /** @param {Helper} helper */
  lose(helper) {
    clearTimeout(helper.timer);
    helper.worker.terminate();
    if (this.all.delete(helper) && helper.number >= 0) this.use((player) => player.loseHelper(helper.number));
  }

  close() {
    for (const { worker, timer } of this.all) {
      clearTimeout(timer);
      worker.terminate();
    }
    this.all.clear();
  }
}
