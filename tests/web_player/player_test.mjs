// player_test.mjs TEXCAST RECEIVED_FRAMES PLAYER_WASM CLIP — plays captures of every kind of stream in player.wasm, with
// and without loss, alone and with helpers, and compares each frame's texture with the one that the native receiver makes
// of the same capture. Then it sends garbage, also from helpers. Node 18 or later.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { Player } from '../../player/web/page/player.js';
import { datagramsOf, messageOf, play } from './captures.mjs';
import { kinds, tableFile } from './table_files.mjs';

const [texcast, receivedFrames, playerWasm, clip] = process.argv.slice(2);
const kStreams = [
  ['bc1', []],
  ['bc1', ['--plain']],
  ['bc1', ['--crf', '23']],
  ['ycocg-bc4', ['--crf', '23', '--transform', 'off']],
  ['ycocg-bc4', ['--crf', '23', '--transform', 'on']],
  ['ycocg-bc4-444', ['--crf', '30', '--transform', 'on']],
  ['ycocg-bc4-444', []],
  ['ycocg-dxt5', []],
  ['bc4', ['--plain']],
  ['bc7', []],
  ['etc2', []],
  ['astc-4x4', []],
  ['astc-8x8', []],
];
const FRAMES = 12;

const folder = await mkdtemp(join(tmpdir(), 'texcast-web-player-'));
const module = await WebAssembly.compile(await readFile(playerWasm));
const gzipped = (/** @type {Uint8Array} */ file) => gzipSync(file, { level: 9 }).length;
const PAGE = new URL('../../player/web/page/', import.meta.url);
/** What every viewer downloads. */
const pageBytes = [...readdirSync(PAGE).map((name) => new URL(name, PAGE)), playerWasm].reduce(
  (sum, file) => sum + gzipped(readFileSync(file)),
  0,
);
const newPlayer = () => new Player(module, 0, (line) => assert.fail(line));

/** The capture without a part of its packets after the first third, always the same ones.
 *  @param {Buffer} file @param {number} percent */
function withLoss(file, percent) {
  const kept = [file.subarray(0, 24)];
  let random = 1;
  for (let at = 24; at + 16 <= file.length; ) {
    const end = at + 16 + file.readUInt32LE(at + 8);
    random = (random * 48271) % 2147483647;
    if (at < file.length / 3 || random % 100 >= percent) kept.push(file.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

/** What the native receiver makes of a capture. @param {string} path */
function native(path) {
  const lines = execFileSync(receivedFrames, [path], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => {
    const [number, complete, sha256] = line.split(' ');
    return { number: Number(number), complete: complete === '1', sha256 };
  });
}

/** @param {string} name @param {string} path @param {number} helpers that share large frames */
async function compare(name, path, helpers) {
  const expected = native(path);
  const datagrams = await datagramsOf(path);
  const { frames, description, needed } = play(newPlayer(), datagrams);
  const bytes = pageBytes + needed.reduce((sum, kind) => sum + gzipped(tableFile(kind)), 0);
  assert.ok(bytes > 200_000 && bytes < 400_000, `${name}: a viewer downloads ${bytes} bytes`);
  assert.deepEqual(frames, expected, name);
  if (helpers > 0) {
    const shared = play(newPlayer(), datagrams, undefined, Array.from({ length: helpers }, newPlayer));
    assert.deepEqual(shared.frames, expected, `${name}, shared with ${helpers}`);
    assert.ok(shared.shares > 0, `${name}: no frame was shared`);
  }
  assert.ok(expected.length >= FRAMES - 4, `${name}: ${expected.length} frames`);
  assert.ok(name.startsWith(description.format), name);
  const complete = frames.filter((frame) => frame.complete).length;
  console.log(`${name}: ${frames.length} frames, ${complete} complete`);
  return complete === frames.length;
}

/** Deterministic bytes. @param {number} seed */
function noise(seed) {
  let state = seed * 7919 + 1;
  return () => (state = (state * 48271) % 2147483647);
}

/** Damaged messages never trap, and the stream after them is shown. @param {string} path */
async function garbage(path) {
  const player = newPlayer();
  const datagrams = await datagramsOf(path);
  let now = 1000;
  for (let seed = 0; seed < 2000; ++seed) {
    const next = noise(seed);
    const message = Buffer.from(messageOf([datagrams[next() % datagrams.length].payload], next() % 3));
    for (let i = next() % 8; i > 0; --i) message[next() % message.length] = next() & 255;
    player.message(message.subarray(0, 1 + (next() % message.length)), now, now);
    while (player.poll(now, now));
    player.frame(now, (bytes) => new ArrayBuffer(bytes));
    while (player.feedback(now));
    while (player.sound(now));
    now += 5;
  }
  player.message(new Uint8Array(0), now, now);
  player.statistics(now, now);
  console.log('garbage: no trap');
}

/** Helpers whose answers are wrong, or do not come, change nothing. @param {string} path */
async function badHelpers(path) {
  const expected = native(path);
  const datagrams = await datagramsOf(path);
  let call = 0;
  /** @type {Record<string, (answer: Buffer) => Uint8Array|null>} */
  const answers = {
    'no answer': () => null,
    'an empty answer': () => Buffer.alloc(0),
    'a short answer': (answer) => answer.subarray(0, answer.length - 1),
    'a long answer': (answer) => Buffer.concat([answer, Buffer.alloc(1)]),
    'an unknown outcome': (answer) => (answer.writeUInt8(255, 8), answer),
    'an answer to another frame': (answer) => (answer.writeUInt8(answer[0] ^ 1, 0), answer),
    noise: (answer) => answer.map(noise(answer.length)),
    'an answer now and then': (answer) => (++call % 3 === 0 ? Buffer.alloc(9) : answer),
  };
  for (const [name, change] of Object.entries(answers)) {
    const help = (/** @type {Uint8Array} */ share, /** @type {Player} */ helper) => {
      const answer = helper.help(share);
      assert.ok(answer, 'a share is malformed');
      return change(Buffer.from(answer));
    };
    const { frames, shares } = play(newPlayer(), datagrams, undefined, [newPlayer(), newPlayer()], help);
    assert.deepEqual(frames, expected, name);
    assert.ok(name === 'no answer' ? shares === 2 : shares > 2, `${name}: ${shares} shares`);
  }
  console.log('helpers that fail: right');
}

/** A share that is damaged never traps. @param {string} path */
async function damagedShares(path) {
  let seed = 0;
  const help = (/** @type {Uint8Array} */ share, /** @type {Player} */ helper) => {
    for (let i = 0; i < 20; ++i) {
      const next = noise(++seed);
      const damaged = Buffer.from(share);
      for (let changes = next() % 4; changes > 0; --changes) damaged[next() % 64] = next() & 255;
      damaged[next() % share.length] = next() & 255;
      helper.help(damaged.subarray(0, i % 2 === 0 ? share.length : next() % share.length));
    }
    return null;
  };
  const helpers = Array.from({ length: 8 }, newPlayer);
  for (const helper of helpers) for (const kind of kinds) helper.give(kind, tableFile(kind));
  play(newPlayer(), await datagramsOf(path), undefined, helpers, help);
  console.log('damaged shares: no trap');
}

try {
  let first = '';
  for (const [at, [format, options]] of kStreams.entries()) {
    const name = [format, ...options].join(' ');
    const path = join(folder, `${name.replaceAll(' ', '')}.pcap`);
    first ||= path;
    const encoder = ['--device', 'cpu-reference', '--quality', 'fast'];
    const source = [clip, `pcap:${path}`, '--format', format, '--frames', String(FRAMES), '--audio', 'none', '-q', '--no-config'];
    execFileSync(texcast, ['send', ...source, ...encoder, ...options]);
    const helpers = options.includes('--plain') || format === 'astc-8x8' ? 0 : 1 + (at % 3);
    assert.ok(await compare(name, path, helpers));
    const lossy = `${path}.loss`;
    for (const percent of [2, 30]) {
      await writeFile(lossy, withLoss(await readFile(path), percent));
      const isComplete = await compare(`${name}, ${percent} % lost`, lossy, helpers);
      if (percent > 10) assert.ok(!isComplete, `${name}: parity restores that much?`);
    }
  }
  await garbage(first);
  await badHelpers(first);
  await damagedShares(first);
} finally {
  await rm(folder, { recursive: true });
}
