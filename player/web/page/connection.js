// connection.js — the session with the server, which runs in a worker (session.js), and its repetition when it fails.
// The worker stays for all attempts, since it could not be loaded while the server is away; after an error there is a
// new one.
// @ts-check

/** What the server takes as credentials, and what the viewer wishes.
 *  @typedef {{password?: string, link?: string, variant?: string, latency?: number}} Wishes */
/** @typedef {{type: string, [key: string]: any}} Message */

/** Codes of a refusal (the server's close codes). */
export const PASSWORD_WANTED = 4001;
const NO_VARIANT = 4002;
const LINK_USED = 4004; // or unknown
const TRY_AGAIN = new Set([4003, 4009]); // too many viewers; shutting down: both pass

const FIRST_DELAY = 500; // milliseconds
const LONGEST_DELAY = 5_000;

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
    this.isOpen = false;
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
    this.isOpen = true;
    this.worker ??= this.#makeWorker();
    const url = new URL('stream', location.href);
    url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    url.hash = '';
    url.search = '';
    const { password, link, variant, latency } = this.wishes;
    this.post({
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
    this.isOpen = false;
    this.post({ type: 'close' });
  }

  /** To the worker.
   *  @param {Message} message @param {Transferable[]} [transfer] */
  post(message, transfer = []) {
    this.worker?.postMessage(message, transfer);
  }

  #makeWorker() {
    const worker = new Worker(new URL('./session.js', import.meta.url), { type: 'module', name: 'texcast session' });
    worker.onmessage = ({ data }) => this.worker === worker && this.isOpen && this.#take(data);
    worker.onerror = (event) => {
      event.preventDefault();
      worker.terminate();
      if (this.worker !== worker) return;
      this.worker = null;
      // Without a message it did not load.
      const line = event.message ? `The player stopped: ${event.message}.` : 'No connection to the server.';
      if (this.isOpen) this.#take({ type: 'status', state: 'failed', line });
    };
    return worker;
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
    this.onMessage(message);
    if (message.type !== 'status' || !['failed', 'ended', 'refused'].includes(message.state)) return;
    this.isOpen = false;
    if (message.state === 'refused') this.#forgetWhatIsRefused(message.code);
    if (message.state !== 'refused' || TRY_AGAIN.has(message.code)) this.#retry(message);
  }

  /** @param {number} code */
  #forgetWhatIsRefused(code) {
    if (code === PASSWORD_WANTED) delete this.wishes.password;
    if (code === NO_VARIANT) delete this.wishes.variant;
    if (code === PASSWORD_WANTED || code === LINK_USED) stored.resume = undefined;
  }

  /** @param {Message} reason */
  #retry(reason) {
    clearTimeout(this.timer);
    ++this.failures;
    const delay = reason.state === 'failed' ? retryDelay(this.failures, Math.random()) : LONGEST_DELAY;
    this.timer = setTimeout(() => this.open(), delay);
    const { state: after, line } = reason;
    this.onMessage({ type: 'status', state: 'retrying', after, line, seconds: delay / 1000 });
  }
}
