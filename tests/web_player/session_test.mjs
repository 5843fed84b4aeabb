// session_test.mjs TEXCAST PLAYER_WASM CLIP — session.js as a worker with a made-up page, server and network: the hello, frames
// of a capture, a trap in player.wasm, after which there is another instance, and the end of the stream. Node 18 or later.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { datagramsOf, messageOf } from './captures.mjs';

const [texcast, playerWasm, clip] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'texcast-web-session-'));
const capture = join(folder, 'stream.pcap');
const settings = ['--format', 'bc1', '--frames', '12', '--device', 'cpu-reference', '--quality', 'fast', '--audio', 'none'];
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
const wasm = await readFile(playerWasm);
let instances = 0;
let trapIn = 0; // calls of the first instance until it traps; 0: never
const RealInstance = WebAssembly.Instance;
Object.assign(globalThis, {
  self: worker,
  WebSocket: FakeSocket,
  fetch: async () => new Response(wasm),
});
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
    return { exports: { ...exports, texcast_poll } };
  }
);
console.error = () => {};

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
const half = datagrams.length >> 1;
give(0, half);
const { description } = await wait((m) => m.type === 'stream');
assert.equal(description.format, 'bc1');
const frame = await wait((m) => m.type === 'frame');
assert.ok(frame.uploads.length > 0 && frame.buffer.byteLength > 0);
assert.equal((await wait((m) => m.type === 'status')).state, 'playing');
worker.onmessage({ data: { type: 'shown', number: frame.number, at: performance.now() } });
assert.ok('fps' in (await wait((m) => m.type === 'statistics')));

trapIn = 1;
give(half, half + 1);
assert.match((await wait((m) => m.type === 'status')).line, /begins anew/);
assert.equal(instances, 2);
give(0, datagrams.length); // the stream from its beginning, to the new instance
await wait((m) => m.type === 'frame');

server.onmessage({ data: '{"type":"ended","message":"The stream has ended."}' });
assert.equal((await wait((m) => m.type === 'status' && m.state === 'ended')).line, 'The stream has ended.');
assert.equal(server.readyState, 3);
console.log('session: right');
process.exit(0);
