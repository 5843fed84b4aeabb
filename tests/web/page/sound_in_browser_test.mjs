#!/usr/bin/env node
// sound_in_browser_test.mjs chromium|firefox: pieces of sound join without a click, whichever way the browser decodes and
// plays them. The graph of Web Audio is rendered into memory, so nothing depends on a device or on the time.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert, atEnd, runAll, test } from '../cases.mjs';
import { start } from '../driver/browsers.mjs';
import { packetsOf } from './opus_file.mjs';

const kName = process.argv[2];
const kPage = fileURLToPath(new URL('../../../player/web/page', import.meta.url));

// Two tones whose pitch changes, three seconds, stereo.
const kTones = 'aevalsrc=0.4*sin(2*PI*t*(200+300*t))|0.4*sin(2*PI*t*(700-100*t)):s=48000:d=3';
const packets = packetsOf(execFileSync('ffmpeg', ['-v', 'error', '-nostdin', '-f', 'lavfi', '-i', kTones,
  '-c:a', 'libopus', '-b:a', '128k', '-frame_duration', '20', '-f', 'ogg', '-'])).map((packet) => Buffer.from(packet).toString('base64'));

// The page's modules, without the page.
const server = http.createServer((request, response) => {
  const name = path.basename(request.url);
  response.setHeader('Content-Security-Policy', "default-src 'none'; script-src 'self'; img-src data:");
  if (name === '') return response.setHeader('Content-Type', 'text/html').end('<!doctype html><link rel="icon" href="data:,">');
  if (!fs.existsSync(path.join(kPage, name))) return response.writeHead(404).end();
  response.setHeader('Content-Type', 'text/javascript').end(fs.readFileSync(path.join(kPage, name)));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const browser = await start(kName);
atEnd(async () => {
  await browser.close();
  server.close();
});
const page = await browser.page();
await page.open(`http://127.0.0.1:${server.address().port}/`);

// In the page: decodes the packets in pieces, by `decoder` 'OggDecoder' or 'CodecsDecoder', which are due `lead`
// milliseconds from now, and compares them with the packets decoded at once.
async function compare(texts, decoder, lead) {
  const { oggOpusFile, opusSamples } = await import('/ogg_opus.js');
  const decoders = await import('/opus_decoders.js');
  const packets = texts.map((text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
  const total = packets.reduce((sum, packet) => sum + opusSamples(packet), 0);
  const context = new OfflineAudioContext(2, total, 48000);
  const whole = await context.decodeAudioData(oggOpusFile(packets, 2).buffer);
  const wanted = [0, 1].map((c) => whole.getChannelData(c));
  const got = [new Float32Array(total), new Float32Array(total)];
  const joins = [];
  const due = performance.now() + lead;
  let arrived = 0;
  await new Promise((done, fail) => {
    const output = (channels, at) => {
      const first = Math.round((at - due) * 48);
      if (first < 0 || first + channels[0].length > total) return fail(new Error(`a piece is at ${first}`));
      channels.forEach((samples, c) => got[c].set(samples, first));
      joins.push(first);
      arrived += channels[0].length;
      if (arrived === total) done();
    };
    const made = decoder === 'OggDecoder' ? new decoders.OggDecoder(context, 2, output) :
      new decoders.CodecsDecoder(2, output, () => fail(new Error('the browser decodes no Opus')));
    let at = 0;
    for (const packet of packets) {
      made.take(packet, due + at / 48);
      at += opusSamples(packet);
    }
    made.gap();
    made.decoder?.flush();
  });
  let most = 0;
  for (let c = 0; c < 2; ++c) for (let i = 0; i < total; ++i) most = Math.max(most, Math.abs(got[c][i] - wanted[c][i]));
  return { length: whole.length, total, most, pieces: joins.length, isOrdered: joins.every((at, i) => i === 0 || at > joins[i - 1]) };
}

for (const [lead, pieces] of [[1e6, 'of 100 ms'], [-1e6, 'of one packet each, as they are due']])
  test(`${kName}: Ogg Opus decoded in pieces ${pieces} is as if decoded at once`, async () => {
    const result = await page.evaluate(compare, packets, 'OggDecoder', lead);
    assert.equal(result.length, result.total);
    assert(result.isOrdered);
    assert(lead < 0 ? result.pieces > packets.length : result.pieces < packets.length / 4, `${result.pieces} pieces`);
    assert(result.most < 0.002, `differs by ${result.most}`); // the tones have 0.4; pieces that only follow each other differ by 0.13
  });

test(`${kName}: WebCodecs decodes every packet as if decoded at once`, async () => {
  if (!(await page.evaluate(() => 'AudioDecoder' in window))) return; // Firefox before version 130 has none
  const result = await page.evaluate(compare, packets, 'CodecsDecoder', 0);
  assert.equal(result.pieces, packets.length);
  assert.equal(result.most, 0);
});

test(`${kName}: pieces of any length are played one after the other, sample by sample`, async () => {
  const most = await page.evaluate(async () => {
    const { NodeSink } = await import('/sound.js');
    const total = 48_000;
    const wanted = [0, 1].map((c) => Float32Array.from({ length: total }, (_, i) => 0.7 * Math.sin((i * (c + 1)) / 9)));
    const context = new OfflineAudioContext(2, total, 48000);
    const sink = new NodeSink(context, context.destination);
    const lengths = [960, 957, 964, 441, 1024, 1];
    for (let at = 0, k = 0; at < total; ++k) {
      const length = Math.min(lengths[k % lengths.length], total - at);
      sink.play(wanted.map((samples) => samples.slice(at, at + length)), at);
      at += length;
    }
    const rendered = await context.startRendering();
    let most = 0;
    for (let c = 0; c < 2; ++c) {
      const samples = rendered.getChannelData(c);
      for (let i = 0; i < total; ++i) most = Math.max(most, Math.abs(samples[i] - wanted[c][i]));
    }
    return most;
  });
  assert.equal(most, 0);
});

// Firefox cannot suspend an offline context, so a worklet there has no chance to get messages.
if (kName === 'chromium') test('chromium: the worklet plays pieces at their frames, and fades into gaps', async () => {
  const render = async (pause) => {
    const context = new OfflineAudioContext(1, 4096, 48000);
    await context.audioWorklet.addModule('/sound_worklet.js');
    const node = new AudioWorkletNode(context, 'pieces', { numberOfInputs: 0, outputChannelCount: [1] });
    node.connect(context.destination);
    const piece = (start, length) => node.port.postMessage({ start, channels: [Float32Array.from({ length }, (_, i) => (start + i) / 4096)] });
    piece(100, 300);
    piece(400, 1000);
    piece(2000, 500);
    // Messages arrive when the context has run for a moment.
    context.suspend(128 / 48000).then(() => setTimeout(() => context.resume(), pause));
    const samples = (await context.startRendering()).getChannelData(0);
    let wrong = 0;
    for (const [first, end] of [[128, 1400], [2000, 2500]]) for (let i = first; i < end; ++i) if (samples[i] !== Math.fround(i / 4096)) ++wrong;
    return { played: samples[1399] !== 0, wrong, before: samples[50], after: [1399, 1400, 1450, 1999].map((i) => samples[i]), end: samples[4000] };
  };
  let result = { played: false };
  for (let pause = 10; !result.played && pause < 60_000; pause *= 2) result = await page.evaluate(render, pause);
  assert.equal(result.before, 0);
  assert.equal(result.wrong, 0);
  const [last, first, later, quiet] = result.after;
  assert(first < last && first > 0.9 * last && later < first && later > 0, JSON.stringify(result));
  assert(Math.abs(quiet) < 1e-4);
  assert(Math.abs(result.end) < 1e-4);
});

await runAll();
