#!/usr/bin/env node
// viewers_test.mjs: many viewers of one sender, without browsers. All get the same datagrams; one that stops reading costs
// the others nothing; a sender's memory does not grow with what a viewer does not read.
import { assert, atEnd, runAll, test } from './cases.mjs';
import { privateBytes } from './machine.mjs';
import { WebSender } from './texcast.mjs';
import { Viewer } from './viewer.mjs';

const senders = [];
atEnd(async () => { for (const sender of senders) await sender.stop().catch(() => {}); });
async function send(...options) {
  senders.push(await WebSender.start('send', 'test', 'web://127.0.0.1:0', '--format', 'bc1', '--audio', 'none', ...options));
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
    assert.deepEqual(viewer.welcome.variants.map(({ family, format }) => [family, format]), [['s3tc', 'bc1']]);
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

test('a viewer that stops reading costs the others nothing, and its sender no memory', async () => {
  // Raw: 40 Mbit/s for each, so that a connection backs up soon.
  const sender = await send('--size', '640x360', '--fps', '30', '--plain');
  const [still, ...others] = await Promise.all(Array.from({ length: 4 }, () => Viewer.connect(sender.url)));
  await Promise.all([still, ...others].map(first));
  still.stopReading();
  // The memory of a sender whose buffers are full, and then after the others have got many times as much.
  const more = (bytes) => Promise.all(others.map((viewer) => {
    const target = viewer.bytes + bytes;
    return viewer.until(() => viewer.bytes >= target || viewer.closed, 'more of the stream');
  }));
  await more(16 << 20);
  const before = privateBytes(sender.program.pid);
  await more(48 << 20);
  const grown = privateBytes(sender.program.pid) - before;
  assert(grown < 16 << 20, `the sender's memory grew by ${grown >> 20} MiB`);
  for (const viewer of others) {
    assert.equal(viewer.closed, null);
    assert.equal(viewer.malformed, 0);
  }
  // All got the same: what the kernel and the queues hold for one of them is their difference.
  const counts = others.map(({ bytes }) => bytes);
  assert(Math.max(...counts) - Math.min(...counts) < 8 << 20, `the others got ${counts}`);
});

await runAll();
