#!/usr/bin/env node
// viewers_test.mjs: many viewers of one sender, without browsers. All get the same datagrams; one that stops reading costs
// the others nothing; a sender's memory does not grow with what a viewer does not read.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { assert, atEnd, runAll, test } from './cases.mjs';
import { temporaryFolder } from './driver/process.mjs';
import { privateBytes } from './machine.mjs';
import { PlayerViewer } from './player_viewer.mjs';
import { texcast, WebSender } from './texcast.mjs';
import { Viewer } from './viewer.mjs';

const senders = [];
atEnd(async () => { for (const sender of senders) await sender.stop().catch(() => {}); });
async function send(...options) {
  senders.push(await WebSender.start('send', 'test', 'web://127.0.0.1:0', '--format', 'bc1', '--audio', 'none', '--web-formats', 'none', ...options));
  return senders.at(-1);
}
const first = (viewer) => viewer.until(({ datagrams }) => datagrams[0] > 0, 'the first datagram');

test('viewers are welcomed, get whole datagrams, and are told of the end', async () => {
  const sender = await send('--size', '320x180', '--fps', '30');
  const viewers = await Promise.all(Array.from({ length: 12 }, () => Viewer.connect(sender.url)));
  await Promise.all(viewers.map(first));
  for (const viewer of viewers) {
    assert.equal(viewer.welcome.type, 'welcome');
    assert.equal(viewer.welcome.sound, false);
    assert.equal(viewer.welcome.variant, 'bc1');
    assert.deepEqual(viewer.welcome.variants[0], { name: 'bc1', family: 's3tc', families: ['s3tc'], format: 'bc1' });
  }
  await sender.stop();
  await Promise.all(viewers.map((viewer) => viewer.until(({ closed }) => closed, 'the end of the connection')));
  for (const viewer of viewers) {
    assert.equal(viewer.malformed, 0);
    assert.equal(viewer.ended?.type, 'ended', String(viewer));
  }
});

test('viewers whose GPU takes no format of the stream are told so', async () => {
  const sender = await send('--size', '320x180');
  const viewer = await Viewer.connect(sender.url, { hello: { takes: ['etc2'] } });
  await viewer.until(({ closed }) => closed, 'the refusal');
  assert.equal(viewer.refused?.code, 4002, String(viewer));
  assert.equal(viewer.closed.code, 4002);
});

// The blocks of the picture that a viewer with this GPU gets of the sender, once it is complete.
async function blocksFor(sender, takes) {
  const viewer = await PlayerViewer.connect(sender.url, { hello: { takes } });
  await viewer.until(({ frames }) => frames.some(({ complete }) => complete), 'a whole picture');
  viewer.leave();
  return { format: viewer.description.format, hash: viewer.frames.find(({ complete }) => complete).hash };
}

test('viewers whose GPU takes another format get the same picture in that, encoded when the first of them comes', async () => {
  const folder = temporaryFolder('variants');
  const picture = path.join(folder.path, 'picture.png');
  execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=size=320x180', '-frames:v', '1', picture]);
  const start = (...options) => WebSender.start('send', picture, 'web://127.0.0.1:0', '--loop', '--fps', '20', ...options);
  const sender = await start('--format', 'bc7');
  senders.push(sender);
  for (const [format, ...takes] of [['bc7', 's3tc', 'bptc'], ['bc1', 's3tc', 'etc2'], ['etc2', 'etc2', 'astc'], ['astc-4x4', 'astc']]) {
    // A sender of that format alone is the reference.
    const alone = await start('--format', format, '--web-formats', 'none');
    senders.push(alone);
    const wanted = await blocksFor(alone, takes);
    assert.equal(wanted.format, format);
    assert.deepEqual(await blocksFor(sender, takes), wanted);
    await alone.stop();
  }
  folder.remove();
});

test('a viewer that stops reading costs the others nothing, and its sender no memory', async () => {
  // Raw: 55 Mbit/s for each, so that a connection backs up soon.
  const sender = await send('--size', '640x360', '--fps', '60', '--plain');
  const [still, ...others] = await Promise.all(Array.from({ length: 4 }, () => Viewer.connect(sender.url)));
  await Promise.all([still, ...others].map(first));
  still.stopReading();
  // The memory of a sender whose queue is full, and of the same when the others have got many times as much.
  const more = (bytes) => Promise.all(others.map((viewer) => {
    const target = viewer.bytes + bytes;
    return viewer.until(() => viewer.bytes >= target || viewer.closed, 'more of the stream');
  }));
  await more(8 << 20);
  const before = privateBytes(sender.program.pid);
  await more(24 << 20);
  const grown = privateBytes(sender.program.pid) - before;
  assert(grown < 8 << 20, `the sender's memory grew by ${grown >> 20} MiB`);
  for (const viewer of others) {
    assert.equal(viewer.closed, null);
    assert.equal(viewer.malformed, 0);
  }
  // All got the same: what the kernel and the queues hold for one of them is their difference.
  const counts = others.map(({ bytes }) => bytes);
  assert(Math.max(...counts) - Math.min(...counts) < 4 << 20, `the others got ${counts}`);
});

// The player recovers in real time what it lost, so that this waits for frames that are right and never asks how long it took.
test('a viewer that loses 5 % of its datagrams shows no wrong picture as a right one, and is right again each time', async () => {
  const kWidth = 640, kHeight = 360, kBytes = kWidth * kHeight / 2;
  const clip = `lavfi:testsrc2=size=${kWidth}x${kHeight}:rate=15:duration=2`;
  const folder = temporaryFolder('loss');
  texcast('encode', clip, path.join(folder.path, '%05d.dds'), '--format', 'bc1', '-q');
  const right = new Set(fs.readdirSync(folder.path).map((file) =>
    createHash('sha1').update(fs.readFileSync(path.join(folder.path, file)).subarray(-kBytes)).digest('hex')));
  folder.remove();
  // Without parity, so that the player has to request what is missing.
  senders.push(await WebSender.start('send', clip, 'web://127.0.0.1:0', '--loop', '--format', 'bc1', '--audio', 'none', '--fec', 'none'));
  const viewer = await PlayerViewer.connect(senders.at(-1).url, { loss: 0.05 });
  let recovered = 0;
  await viewer.until(({ frames }) => {
    recovered = frames.filter(({ complete }, i) => complete && i > 0 && !frames[i - 1].complete).length;
    return frames.filter(({ complete }) => complete).length >= 60 && (recovered >= 2 || viewer.statistics().recovered > 20);
  }, '60 whole frames');
  viewer.leave();
  assert(viewer.lost > 0);
  for (const { number, complete, hash } of viewer.frames)
    assert(!complete || right.has(hash), `frame ${number} counts as complete, and is none of the clip's`);
});

await runAll();
