// session_test.mjs TEXCAST PLAYER_WASM CLIP — session.js as a worker with a made-up page, server and network: the hello, frames
// of a capture, helpers (in threads), some of which fail, a trap in player.wasm, after which there is another instance, and
// the end of the stream. Node 18 or later.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { statisticsRows } from '../../player/web/page/status.js';
import { datagramsOf, messageOf } from './captures.mjs';
import { WebWorker } from './web_worker.mjs';

const [texcast, playerWasm, clip] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'texcast-web-session-'));
const capture = join(folder, 'stream.pcap');
// Large enough for helpers.
const settings = ['--vf', 'scale=1280:720', '--format', 'bc1', '--frames', '12', '--device', 'cpu-reference', '--quality', 'fast', '--audio', 'none'];
execFileSync(texcast, ['send', clip, `pcap:${capture}`, '-q', '--no-config', ...settings]);

/** @type {any[]} */
const posted = [];
const worker = /** @type {any} */ ({
  addEventListener() {},
  postMessage(/** @type {any} */ message) {
    posted.push(message);
    const { type, buffer } = message;
    if (type === 'frame') setTimeout(() => worker.onmessage({ data: { type: 'recycle', buffer } }));
  },
});
/** @type {any} */
let server = null;
class FakeSocket {
  static OPEN = 1;
  readyState = 1;
  /** @type {any[]} */
  sent = [];
  /** @param {string} url @param {string} protocol */
  constructor(url, protocol) {
    Object.assign(this, { url, protocol });
    server = this;
  }
  send(/** @type {any} */ message) {
    this.sent.push(message);
  }
  close() {
    this.readyState = 3;
  }
}
/** @type {(WebWorker & {isMute: boolean, isOver: boolean})[]} */
const helpers = [];
class Helper extends WebWorker {
  isMute = false;
  isOver = false;
  /** @param {URL} url */
  constructor(url) {
    super(url);
    helpers.push(this);
  }
  /** @param {any} message @param {any[]} [transfer] */
  postMessage(message, transfer) {
    if (!this.isMute) super.postMessage(message, transfer);
  }
  terminate() {
    this.isOver = true;
    super.terminate();
  }
}
const wasm = await readFile(playerWasm);
let instances = 0;
let trapIn = 0; // calls of the first instance until it traps; 0: never
const RealInstance = WebAssembly.Instance;
Object.assign(globalThis, {
  self: worker,
  WebSocket: FakeSocket,
  Worker: Helper,
  fetch: async () => new Response(wasm),
});
Object.defineProperty(globalThis, 'navigator', { value: { hardwareConcurrency: 4 }, configurable: true });
let ready = 0; // helpers
let answers = 0; // of helpers
// An instance whose texcast_poll traps once.
WebAssembly.Instance = /** @type {any} */ (
  function (/** @type {any} */ module, /** @type {any} */ imports) {
    ++instances;
    const { exports } = new RealInstance(module, imports);
    const poll = /** @type {any} */ (exports.texcast_poll);
    const texcast_poll = (/** @type {number[]} */ ...times) => {
      if (trapIn > 0 && --trapIn === 0) throw new WebAssembly.RuntimeError('unreachable');
      return poll(...times);
    };
    const texcast_add_helper = (/** @type {number} */ leastShare) => {
      ++ready;
      return /** @type {any} */ (exports.texcast_add_helper)(leastShare);
    };
    const texcast_answer = (/** @type {number} */ helper, /** @type {number} */ bytes) => {
      ++answers;
      return /** @type {any} */ (exports.texcast_answer)(helper, bytes);
    };
    return { exports: { ...exports, texcast_poll, texcast_add_helper, texcast_answer } };
  }
);
console.error = () => {};

/** @param {() => boolean} is */
async function until(is) {
  for (let i = 0; i < 6000 && !is(); ++i) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(is(), `never: ${is}`);
}

/** Waits for a message of the worker. @param {(m: any) => boolean} is */
async function wait(is) {
  for (let i = 0; i < 6000; ++i) {
    const found = posted.findIndex(is);
    if (found >= 0) return posted.splice(0, found + 1)[found];
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return assert.fail(`no such message: ${is}`);
}

await import('../../player/web/page/session.js');
worker.onmessage({ data: { type: 'open', url: 'ws://x/stream', takes: ['s3tc'], latency: 0, timeOrigin: performance.timeOrigin } });
assert.equal((await wait((m) => m.type === 'status')).state, 'connecting');
assert.equal(server.protocol, 'texcast.1');
server.onopen();
assert.deepEqual(JSON.parse(server.sent[0]), { type: 'hello', takes: ['s3tc'] });
server.onmessage({ data: '{"type":"welcome","variant":"bc1","resume":"r"}' });
assert.equal((await wait((m) => m.type === 'welcome')).resume, 'r');
server.onmessage({ data: 'no JSON' }); // is ignored

const datagrams = await datagramsOf(capture);
await rm(folder, { recursive: true });
const give = (/** @type {number} */ from, /** @type {number} */ to) => {
  for (const { payload } of datagrams.slice(from, to)) server.onmessage({ data: new Uint8Array(messageOf([payload])).buffer });
};
const parts = [0, 1, 2, 3, 4, 5, 6].map((part) => (part * datagrams.length / 6) | 0);
give(0, parts[1]);
const { description } = await wait((m) => m.type === 'stream');
assert.equal(description.format, 'bc1');
const frame = await wait((m) => m.type === 'frame');
assert.ok(frame.uploads.length > 0 && frame.buffer.byteLength > 0);
assert.equal((await wait((m) => m.type === 'status')).state, 'playing');
worker.onmessage({ data: { type: 'shown', number: frame.number, at: performance.now() } });
const statistics = await wait((m) => m.type === 'statistics');
assert.ok('fps' in statistics);
// Others than those of the table are shown by their keys.
for (const [name] of statisticsRows(statistics)) assert.match(name, /^[A-Z]/, `the table of statistics has no words for ${name}`);

// Both helpers have a part of each large frame. One that is silent and one that fails are replaced by the player.
await until(() => ready === 2);
give(parts[1], parts[2]);
await until(() => answers >= 2);
assert.ok((await wait((m) => m.type === 'frame')).number > frame.number);
helpers[0].isMute = true;
give(parts[2], parts[3]);
await until(() => helpers[0].isOver);
await wait((m) => m.type === 'frame');
helpers[1].postMessage({ type: 'start', module: null });
await until(() => helpers[1].isOver);
const before = answers;
give(parts[3], parts[4]);
await wait((m) => m.type === 'frame');
assert.equal(answers, before);

trapIn = 1;
give(parts[4], parts[4] + 1);
assert.match((await wait((m) => m.type === 'status')).line, /begins anew/);
assert.equal(instances, 2);
give(0, parts[1]); // the stream from its beginning, to the new instance
await wait((m) => m.type === 'frame');
await until(() => ready === 4);
give(parts[1], datagrams.length);
await until(() => answers > before);
await wait((m) => m.type === 'frame');

server.onmessage({ data: '{"type":"ended","message":"The stream has ended."}' });
assert.equal((await wait((m) => m.type === 'status' && m.state === 'ended')).line, 'The stream has ended.');
assert.equal(server.readyState, 3);
assert.ok(helpers.length === 4 && helpers.every(({ isOver }) => isOver));
console.log('session: right');
process.exit(0);
