// session.js — a worker that holds the connection to the server: datagrams from the WebSocket to player.wasm, and frames,
// sound, pointer and statistics from there to the page.
//
// From the page:
//   open      url, takes, password, link, resume, variant: of the server's hello; latency: 'auto' or milliseconds;
//             timeOrigin: the page's performance.timeOrigin
//   recycle   buffer: of a frame, which the page no longer needs
//   shown     number, at: a frame was drawn
//   whole     the next frame must have all rows, as the page has a new texture
//   close
// To the page, with times of the page's performance.now():
//   status    state: connecting, waiting, playing, refused, ended, failed; code, line
//   welcome, changed   as the server sent them
//   stream    description (stream_description.h), before the stream's first frame
//   frame     number, due, available, complete, uploads, buffer: the rows that changed since the frame before
//   sound, pointer     as player.js has them
//   statistics         once a second
// @ts-check

import { Helpers } from './helpers.js';
import { Player } from './player.js';

const PROTOCOL = 'texcast.1';
const MOST_BUFFERS = 4; // that wait to be used again
const MOST_FRAMES = 4; // posted, and not given back: a page that is busy or hidden gets the newest frame later
const QUIET = 3000; // milliseconds without a frame after which the viewer is told
const MOST_TRAPS = 5; // of one connection
const BUSY_WAIT = 20; // milliseconds
const LONGEST_WAIT = 1000;
const kLines = {
  4001: 'The server wants a password.',
  4003: 'The server has as many viewers as it takes.',
  4009: 'The stream has ended.',
};

/** @type {any} */
const page = self;
/** @param {string} type @param {object} content @param {Transferable[]} [transfer] */
const post = (type, content, transfer = []) => page.postMessage({ ...content, type }, transfer);
/** @param {string} state @param {string} line @param {number} [code] */
const status = (state, line, code) => post('status', { state, line, code });

class Session {
  /** @param {any} request the message 'open' */
  constructor(request) {
    this.request = request;
    this.latency = typeof request.latency === 'number' ? request.latency : -1;
    // The page's clock.
    this.offset = performance.timeOrigin - (request.timeOrigin ?? performance.timeOrigin);
    /** @type {WebAssembly.Module|null} */
    this.module = null;
    /** @type {Player|null} */
    this.player = null;
    /** @type {Helpers|null} */
    this.helpers = null;
    /** @type {WebSocket|null} */
    this.socket = null;
    /** @type {Uint8Array[]} */
    this.early = []; // messages that came before the player was compiled
    this.over = false;
    this.state = '';
    this.traps = 0;
    this.frameAt = 0;
    this.held = 0; // frames that the page has
    /** @type {ArrayBuffer[]} */
    this.buffers = [];
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    // Later than messages that are here already, and without the least delay of setTimeout.
    this.soon = new MessageChannel();
    this.isSoon = false;
    this.soon.port1.onmessage = () => {
      this.isSoon = false;
      this.run();
    };
  }

  now() {
    return performance.now() + this.offset;
  }
  wall() {
    return performance.timeOrigin + performance.now();
  }

  async open() {
    this.say('connecting', 'Connecting.');
    this.connect();
    const answer = await fetch(new URL('./player.wasm', import.meta.url));
    if (!answer.ok) throw new Error(`The player could not be loaded (${answer.status}). Reload the page.`);
    this.module = await WebAssembly.compile(await answer.arrayBuffer());
    if (this.over) return;
    this.begin();
    for (const message of this.early.splice(0)) this.take(message);
    this.ticker = setInterval(() => this.tick(), 1000);
  }

  connect() {
    const socket = new WebSocket(this.request.url, PROTOCOL);
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      const { takes, password, link, resume, variant } = this.request;
      socket.send(JSON.stringify({ type: 'hello', takes, password, link, resume, variant }));
    };
    socket.onmessage = ({ data }) => (typeof data === 'string' ? this.answer(data) : this.take(new Uint8Array(data)));
    socket.onclose = ({ code }) => {
      if (this.over) return;
      const line = kLines[/** @type {keyof typeof kLines} */ (code)];
      if (code === 4009) this.end('ended', line, code);
      else if (code >= 4000) this.end('refused', line ?? `The server refused this viewer (${code}).`, code);
      else this.end('failed', 'The connection to the server was lost.', code);
    };
  }

  /** A text message of the server. @param {string} text */
  answer(text) {
    /** @type {any} */
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    if (message.type === 'welcome' || message.type === 'changed') {
      if (this.state === 'connecting') this.say('waiting', 'Waiting for the picture.');
      post(message.type, message);
    } else if (message.type === 'refused') {
      this.end('refused', message.message, message.code);
    } else if (message.type === 'ended') {
      this.end('ended', message.message ?? kLines[4009]);
    }
  }

  begin() {
    if (!this.module) return;
    const player = new Player(this.module, this.latency, (line) => console.warn(line));
    this.player = player;
    this.helpers?.close();
    this.helpers = new Helpers(this.module, player, (call) => {
      this.use(() => call(player));
      this.runSoon();
    });
  }

  /** Calls player.wasm. After a trap there is a new instance, which asks the server for the whole picture.
   *  @param {(player: Player) => void} call */
  use(call) {
    if (!this.player || this.over) return;
    try {
      call(this.player);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      console.error(error);
      this.player = null;
      if (++this.traps > MOST_TRAPS) return this.end('failed', `The player failed ${this.traps} times (${error.message}).`);
      this.say('waiting', `The player failed (${error.message}) and begins anew.`);
      this.begin();
    }
  }

  /** @param {Uint8Array} message of datagrams */
  take(message) {
    if (!this.player) {
      if (!this.module) this.early.push(message);
      return;
    }
    this.use((player) => player.message(message, this.now(), this.wall()));
    this.runSoon();
  }

  runSoon() {
    if (this.isSoon) return;
    this.isSoon = true;
    this.soon.port2.postMessage(null);
  }

  run() {
    clearTimeout(this.timer);
    this.use((player) => {
      if (player.poll(this.now(), this.wall())) this.runSoon();
      this.helpers?.share();
      this.sendFeedback(player);
      this.postFrame(player);
      this.postRest(player);
      for (const name of player.needs()) this.load(name, player).catch(fail);
      // A page that holds all frames gives one back later.
      const least = this.held < MOST_FRAMES ? 0 : BUSY_WAIT;
      const wait = player.nextDeadline() - this.now();
      if (!this.isSoon) this.timer = setTimeout(() => this.run(), Math.min(Math.max(wait, least), LONGEST_WAIT));
    });
  }

  /** A file that the stream needs. @param {string} name @param {Player} player */
  async load(name, player) {
    const answer = await fetch(new URL(`./${name}.txt`, import.meta.url));
    if (!answer.ok) throw new Error(`A part of the player could not be loaded (${name}, ${answer.status}). Reload the page.`);
    const file = new Uint8Array(await answer.arrayBuffer());
    if (player !== this.player) return;
    this.helpers?.give(name, file);
    this.use(() => player.give(name, file));
    this.runSoon();
  }

  /** @param {Player} player */
  sendFeedback(player) {
    for (let message = player.feedback(this.now()); message; message = player.feedback(this.now()))
      if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(message);
  }

  /** @param {Player} player */
  postFrame(player) {
    if (this.held >= MOST_FRAMES) return;
    const frame = player.frame(this.now(), (bytes) => this.bufferOf(bytes));
    if (!frame) return;
    const description = player.description();
    if (description) post('stream', { description });
    ++this.held;
    this.frameAt = this.now();
    post('frame', frame, [frame.buffer]);
    if (this.state !== 'playing') this.say('playing', '');
  }

  /** @param {Player} player */
  postRest(player) {
    for (let sound = player.sound(this.now()); sound; sound = player.sound(this.now()))
      post('sound', sound, sound.buffer ? [sound.buffer] : []);
    const pointer = player.pointer();
    if (pointer) post('pointer', pointer);
    const line = player.line();
    if (line) this.say('waiting', line);
  }

  tick() {
    this.use((player) => post('statistics', player.statistics(this.now(), this.wall())));
    if (this.state === 'playing' && this.now() - this.frameAt > QUIET && this.held < MOST_FRAMES)
      this.say('waiting', 'No picture comes from the sender.');
  }

  /** @param {number} bytes @returns {ArrayBuffer} */
  bufferOf(bytes) {
    const fitting = this.buffers.findIndex((buffer) => buffer.byteLength >= bytes);
    if (fitting >= 0) return this.buffers.splice(fitting, 1)[0];
    return new ArrayBuffer(Math.max(65536, bytes + (bytes >> 3)));
  }

  /** @param {ArrayBuffer} buffer */
  recycle(buffer) {
    this.held = Math.max(0, this.held - 1);
    if (buffer instanceof ArrayBuffer && buffer.byteLength > 0) this.buffers.push(buffer);
    if (this.buffers.length > MOST_BUFFERS) this.buffers.shift();
    this.runSoon();
  }

  /** @param {string} state @param {string} line @param {number} [code] */
  say(state, line, code) {
    this.state = state;
    status(state, line, code);
  }

  /** @param {string} state @param {string} line @param {number} [code] */
  end(state, line, code) {
    if (this.over) return;
    this.say(state, line, code);
    this.close();
  }

  close() {
    this.over = true;
    clearTimeout(this.timer);
    clearInterval(this.ticker);
    if (this.player && this.socket?.readyState === WebSocket.OPEN) {
      try {
        const last = this.player.goodbye(this.now());
        if (last) this.socket.send(last);
      } catch (error) {
        console.error(error); // it ends anyway
      }
    }
    this.socket?.close(1000);
    this.helpers?.close();
    this.player = null;
  }
}

/** @type {Session|null} */
let session = null;
const fail = (/** @type {any} */ error) => {
  if (session) session.end('failed', error?.message ?? String(error));
  else status('failed', error?.message ?? String(error));
};

page.addEventListener('unhandledrejection', (/** @type {PromiseRejectionEvent} */ event) => {
  event.preventDefault();
  fail(event.reason);
});

page.onmessage = (/** @type {MessageEvent} */ { data }) => {
  switch (data.type) {
    case 'open':
      session?.close();
      session = new Session(data);
      session.open().catch(fail);
      break;
    case 'recycle':
      session?.recycle(data.buffer);
      break;
    case 'shown':
      session?.use((player) => player.shown(data.number, data.at));
      break;
    case 'whole':
      session?.use((player) => player.whole());
      session?.runSoon();
      break;
    case 'close':
      session?.close();
      session = null;
      break;
  }
};
