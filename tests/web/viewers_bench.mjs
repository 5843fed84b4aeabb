#!/usr/bin/env node
// viewers_bench.mjs [--seconds S] [--send OPTIONS]: what viewers cost a sender on this machine, and what loss costs a viewer.
// Streams a test card (default: 1280x720 at 30 frames a second, bc1, coded losslessly) to 1, 10 and 50 viewers without
// browsers, and prints for each number the sender's processor seconds a second and private memory, how much more these are
// than for the first viewer (without viewers nothing is encoded), what each viewer got, and the same with one viewer that
// has stopped reading. Then one viewer runs the player and drops datagrams, in both directions: how many of its frames were
// whole, and for how many frames they were not. By hand: TEXCAST_PROGRAM=build/release/tools/texcast tests/web/viewers_bench.mjs
import { percentile, privateBytes, processorSeconds } from './machine.mjs';
import { PlayerViewer } from './player_viewer.mjs';
import { WebSender } from './texcast.mjs';
import { Viewer } from './viewer.mjs';

const options = { seconds: '8', send: '--size 1280x720 --fps 30 --format bc1' };
for (let i = 2; i + 1 < process.argv.length; i += 2) options[process.argv[i].slice(2)] = process.argv[i + 1];
const kSeconds = Number(options.seconds);
const wait = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

console.log('| viewers | sender, s/s | more a viewer, ms/s | private MiB | more a viewer, KiB | Mbit/s a viewer, least to most | datagrams a viewer, least to most |');
console.log('|---|---|---|---|---|---|---|');
let alone = null;
for (const [number, stopped] of [[0, 0], [1, 0], [10, 0], [50, 0], [50, 1]]) {
  const sender = await WebSender.start('send', 'test', 'web://127.0.0.1:0', '--audio', 'none', ...options.send.split(' '));
  const viewers = [];
  for (let i = 0; i < number; ++i) viewers.push(await Viewer.connect(sender.url));
  const first = viewers.splice(0, stopped);
  await Promise.all(viewers.map((viewer) => viewer.until(({ datagrams }) => datagrams[0] > 0)));
  for (const viewer of first) viewer.stopReading();
  await wait(2);
  const { pid } = sender.program;
  const before = { processor: processorSeconds([pid]), at: performance.now(), each: viewers.map(({ bytes, datagrams }) => [bytes, datagrams[0]]) };
  await wait(kSeconds);
  const took = (performance.now() - before.at) / 1000;
  const processor = (processorSeconds([pid]) - before.processor) / took, memory = privateBytes(pid);
  if (number === 1) alone = { processor, memory };
  const range = (values, digits) => (values.length ? `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}` : '–');
  const each = viewers.map(({ bytes, datagrams }, i) => [bytes - before.each[i][0], datagrams[0] - before.each[i][1]]);
  console.log(`| ${number}${stopped ? `, ${stopped} of them stopped` : ''} | ${processor.toFixed(3)} | ` +
    `${number > 1 ? (1000 * (processor - alone.processor) / (number - 1)).toFixed(2) : '–'} | ${(memory / 2 ** 20).toFixed(1)} | ` +
    `${number > 1 ? ((memory - alone.memory) / 1024 / (number - 1)).toFixed(0) : '–'} | ${range(each.map(([bytes]) => bytes * 8 / took / 1e6), 2)} | ` +
    `${range(each.map(([, count]) => count), 0)} |`);
  for (const viewer of [...first, ...viewers]) viewer.socket.destroy();
  await sender.stop().catch(() => {});
}

// One viewer that runs the player and loses datagrams, in both directions.
console.log('\n| lost | parity | frames whole | frames until whole again: p50, max | datagrams lost, restored, requested |');
console.log('|---|---|---|---|---|');
for (const [loss, parity] of [[0, 'auto'], [0.05, 'auto'], [0.05, 'none']]) {
  const sender = await WebSender.start('send', 'test', 'web://127.0.0.1:0', '--audio', 'none', '--fec', parity, ...options.send.split(' '));
  const viewer = await PlayerViewer.connect(sender.url, { loss });
  await viewer.until(({ frames }) => frames.some(({ complete }) => complete));
  await wait(kSeconds);
  const frames = viewer.frames.slice(viewer.frames.findIndex(({ complete }) => complete)), runs = [];
  let broken = 0;
  for (const { complete } of frames) {
    if (complete && broken > 0) runs.push(broken);
    broken = complete ? 0 : broken + 1;
  }
  const { recovered, requested } = viewer.statistics();
  console.log(`| ${100 * loss} % | ${parity} | ${frames.filter(({ complete }) => complete).length} of ${frames.length} | ` +
    `${runs.length ? `${percentile(runs, 0.5)}, ${Math.max(...runs)}` : '–'} | ${viewer.lost}, ${recovered}, ${requested} |`);
  viewer.leave();
  await sender.stop().catch(() => {});
}
process.exit(0);
