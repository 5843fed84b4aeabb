// connection.js — the session with the server, which runs in a worker (session.js), and its repetition when it fails.
// Each attempt has a new worker, so nothing of a failed one remains.
// @ts-check

/** What the server takes as credentials, and what the viewer wishes.
 *  @typedef {{password?: string, link?: string, variant?: string, latency?: number}} Wishes */
/** @typedef {{type: string, [key: string]: any}} Message */

/** Codes of a refusal (the server's close codes). */
export const PASSWORD_WANTED = 4001;
const NO_VARIANT = 4002;
const TRY_AGAIN = new Set([4003, 4009]); // too many viewers; shutting down: both pass

const FIRST_DELAY = 500; // milliseconds
const LONGEST_DELAY = 10_000;

/** Milliseconds until the next attempt after `failures` of them; `random` 0..1 spreads many viewers of one server.
 *  @param {number} failures 1.. @param {number} random */
export function retryDelay(failures, random) {
  return Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (failures - 1)) * (0.75 + 0.5 * random);
}

const kResume = 'texcast.resume';

// A browser that keeps no data for this page still plays.
const stored = {
  /** @returns {string|undefined} */
  get resume() {
    try {
      return sessionStorage.getItem(kResume) ?? undefined;
    } catch {
      return undefined;
    }
  },
  set resume(token) {
    try {
      if (token) sessionStorage.setItem(kResume, token);
      else sessionStorage.removeItem(kResume);
    } catch {
      // as above
    }
  },
};

export class Connection {
  /** @param {string[]} families that the GPU takes
   *
   *  @param {Wishes} wishes
   *
   *  @param {(message: Message) => void} onMessage of the worker, and of this: {type: 'status', state: 'retrying',
   *  line, seconds} */
  constructor(families, wishes, onMessage) {
    this.families = families;
    this.wishes = wishes;
    this.onMessage = onMessage;
    /** @type {Worker|null} */
    this.worker = null;
    this.failures = 0;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    addEventListener('online', () => this.#hurry());
    document.addEventListener('visibilitychange', () => document.hidden || this.#hurry());
    addEventListener('pagehide', () => this.close());
    addEventListener('pageshow', (event) => event.persisted && this.open());
  }

  /** Connects, instead of any session that there is. */
  open() {
    this.close();
    const worker = new Worker(new URL('./session.js', import.meta.url), { type: 'module', name: 'texcast session' });
    this.worker = worker;
    worker.onmessage = ({ data }) => this.worker === worker && this.#take(data);
    worker.onerror = (event) => {
      event.preventDefault();
      if (this.worker !== worker) return;
      this.#take({ type: 'status', state: 'failed', line: `The player stopped: ${event.message ?? 'it did not load'}.` });
    };
    const url = new URL('stream', location.href);
    url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    url.hash = '';
    url.search = '';
    const { password, link, variant, latency } = this.wishes;
    worker.postMessage({
      type: 'open',
      url: url.href,
      takes: this.families,
      password,
      link,
      variant,
      resume: stored.resume,
      latency: latency ?? 'auto',
      timeOrigin: performance.timeOrigin,
    });
  }

  close() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.worker?.postMessage({ type: 'close' });
    this.#drop();
  }

  /** To the worker.
   *  @param {Message} message @param {Transferable[]} [transfer] */
  post(message, transfer = []) {
    this.worker?.postMessage(message, transfer);
  }

  // Leaves the worker a moment to say goodbye to the server.
  #drop() {
    const { worker } = this;
    this.worker = null;
    if (worker) setTimeout(() => worker.terminate(), 200);
  }

  #hurry() {
    if (this.timer !== undefined) this.open();
  }

  /** @param {Message} message */
  #take(message) {
    if (message.type === 'welcome') {
      this.failures = 0;
      delete this.wishes.link; // it is used up; `resume` lets this page in again
      stored.resume = message.resume;
    }
    const again =
      message.type === 'status' &&
      (message.state === 'failed' ||
        message.state === 'ended' ||
        (message.state === 'refused' && TRY_AGAIN.has(message.code)));
    if (message.type === 'status' && message.state === 'refused') {
      stored.resume = undefined;
      if (message.code === PASSWORD_WANTED) delete this.wishes.password; // a wrong one
      if (message.code === NO_VARIANT) delete this.wishes.variant;
    }
    this.onMessage(message);
    if (again) this.#retry(message);
    else if (message.type === 'status' && message.state === 'refused') this.#drop();
  }

  /** @param {Message} reason */
  #retry(reason) {
    this.#drop();
    ++this.failures;
    const delay = reason.state === 'failed' ? retryDelay(this.failures, Math.random()) : LONGEST_DELAY;
    this.timer = setTimeout(() => this.open(), delay);
    this.onMessage({ type: 'status', state: 'retrying', after: reason.state, line: reason.line, seconds: delay / 1000 });
  }
}
