// The Ogg Opus files that the page makes are those that FFmpeg reads, and pieces of sound follow each other in time.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { oggCrc, oggOpusFile, opusSamples } from '../../../player/web/page/ogg_opus.js';
import { planes } from '../../../player/web/page/sound.js';
import { Timeline, decay, fadeIn, stretched } from '../../../player/web/page/sound_timeline.js';
import { packetsOf, pagesOf } from './opus_file.mjs';

const folder = mkdtempSync(join(tmpdir(), 'texcast-page-'));
after(() => rmSync(folder, { recursive: true }));
const ffmpeg = (...options) => execFileSync('ffmpeg', ['-v', 'error', '-nostdin', ...options], { maxBuffer: 1 << 28 });

// Half a second of two tones, encoded by FFmpeg.
function encoded(name, ...options) {
  const file = join(folder, name);
  ffmpeg('-f', 'lavfi', '-i', 'aevalsrc=0.4*sin(2*PI*440*t)|0.3*sin(2*PI*700*t):s=48000:d=0.5', '-c:a', 'libopus', ...options, file);
  return readFileSync(file);
}
const decoded = (file) => {
  const pcm = ffmpeg('-i', file, '-f', 's16le', '-ac', '2', '-');
  return new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2);
};

test('the checksum is that of the pages which FFmpeg writes', () => {
  for (const { page } of pagesOf(encoded('crc.opus'))) {
    const copy = Buffer.from(page);
    copy.writeUInt32LE(0, 22);
    assert.equal(oggCrc(copy), page.readUInt32LE(22));
  }
});

for (const [name, ...options] of [
  ['20 ms', '-frame_duration', '20'],
  ['60 ms', '-frame_duration', '60'],
  ['2.5 ms', '-frame_duration', '2.5', '-application', 'lowdelay'],
  ['large packets', '-b:a', '510k', '-frame_duration', '120'],
])
  test(`FFmpeg decodes all samples of the file that the page makes: ${name}`, () => {
    const original = encoded(`${name}.opus`, ...options);
    const packets = packetsOf(original);
    const made = join(folder, `made ${name}.opus`);
    writeFileSync(made, oggOpusFile(packets, 2));
    const samples = packets.reduce((sum, packet) => sum + opusSamples(packet), 0);
    const got = decoded(made);
    assert.equal(got.length, 2 * samples);
    // FFmpeg's own file says that the first samples are to be left out, and the last ones.
    const skip = original.readUInt16LE(28 + 10);
    const want = decoded(join(folder, `${name}.opus`));
    assert.ok(want.length > 40_000);
    assert.deepEqual(got.subarray(2 * skip, 2 * skip + want.length), want);
  });

test('packets are as long as their first bytes say', () => {
  assert.equal(opusSamples(Uint8Array.of()), 0);
  assert.equal(opusSamples(Uint8Array.of(0xfc)), 960); // CELT 20 ms, one frame
  assert.equal(opusSamples(Uint8Array.of(0x01)), 960); // SILK 10 ms, two frames
  assert.equal(opusSamples(Uint8Array.of(0x63, 3)), 1440); // hybrid 10 ms, three frames
  assert.equal(opusSamples(Uint8Array.of(0x18)), 2880); // SILK 60 ms
  assert.equal(opusSamples(Uint8Array.of(0xe3)), 0); // a number of frames that is missing
});

const kRate = 48_000;
const kPiece = 480;

test('pieces that arrive in time follow each other without a gap', () => {
  const timeline = new Timeline(kRate);
  const places = Array.from({ length: 200 }, (_, i) => timeline.place(5000 + i * kPiece, kPiece, i * kPiece));
  assert.equal(places[0].afterGap, true);
  assert.equal(places[0].start, 5000);
  for (let i = 1; i < places.length; ++i)
    assert.deepEqual(places[i], { start: 5000 + i * kPiece, length: kPiece, afterGap: false });
});

test('a clock that drifts by 100 ppm is followed without a gap, within 3 ms', () => {
  const timeline = new Timeline(kRate);
  let worst = 0;
  for (let i = 0; i < 60_000; ++i) {
    const wanted = 5000 + i * kPiece * 1.0001;
    const { start, length, afterGap } = timeline.place(wanted, kPiece, wanted - 4000);
    assert.ok(i === 0 || !afterGap);
    assert.ok(Math.abs(length - kPiece) <= 2);
    worst = Math.max(worst, Math.abs(start - wanted));
  }
  assert.ok(worst < 0.003 * kRate, `${worst} frames`);
});

test('times that jitter by 3 ms are averaged', () => {
  const timeline = new Timeline(kRate);
  for (let i = 0; i < 1000; ++i) {
    const wanted = 5000 + i * kPiece + (i % 2 === 0 ? 144 : -144);
    const { start, length, afterGap } = timeline.place(wanted, kPiece, i * kPiece);
    assert.ok(i === 0 || !afterGap);
    if (i < 300) continue;
    assert.equal(length, kPiece);
    assert.ok(Math.abs(start - (5000 + i * kPiece)) <= 24, `${start}`);
  }
});

test('pieces that are always late are played later, all by the same time', () => {
  const timeline = new Timeline(kRate);
  const places = Array.from({ length: 300 }, (_, i) => timeline.place(i * kPiece, kPiece, i * kPiece + 2000));
  assert.ok(places.slice(0, 15).every((place) => place === null)); // for 150 ms it might be one stall
  const played = places.slice(16);
  for (let i = 1; i < played.length; ++i) assert.equal(played[i].start, played[i - 1].start + played[i - 1].length);
  assert.ok(timeline.delay >= 2000 && timeline.delay <= 2000 + 0.03 * kRate, `${timeline.delay}`);
});

test('a second stall soon after the first makes a delay that covers it', () => {
  const timeline = new Timeline(kRate);
  // Each stall is of 100 ms, after which all pieces arrive at once. They are due 10 ms after they should arrive.
  const arrival = (i) => Math.ceil(i / 10) * 10 * kPiece;
  const stalls = (i) => (i > 100 && i <= 110) || (i > 200 && i <= 210) || (i > 300 && i <= 310);
  const leftOut = [0, 0, 0];
  for (let i = 0; i < 400; ++i)
    if (!timeline.place((i + 1) * kPiece, kPiece, stalls(i) ? arrival(i) : i * kPiece)) ++leftOut[Math.floor(i / 100) - 1];
  assert.ok(leftOut[0] > 5 && leftOut[1] > 0, `${leftOut}`);
  assert.equal(leftOut[2], 0);
  assert.ok(timeline.delay > 0.07 * kRate && timeline.delay < 0.11 * kRate, `${timeline.delay}`);
});

test('one stall leaves no delay behind', () => {
  const timeline = new Timeline(kRate);
  for (let i = 0; i < 130; ++i) timeline.place(5000 + i * kPiece, kPiece, i * kPiece);
  const stalledUntil = 150 * kPiece;
  let leftOut = 0;
  for (let i = 130; i < 150; ++i) if (!timeline.place(5000 + i * kPiece, kPiece, stalledUntil)) ++leftOut;
  assert.equal(timeline.delay, 0);
  assert.equal(leftOut, 11); // those before stalledUntil and the margin of 6 ms
  const place = timeline.place(5000 + 150 * kPiece, kPiece, stalledUntil);
  assert.deepEqual(place, { start: 5000 + 150 * kPiece, length: kPiece, afterGap: false });
});

test('a delay that is no longer needed goes', () => {
  const timeline = new Timeline(kRate);
  for (let i = 0; i < 100; ++i) timeline.place(i * kPiece, kPiece, i * kPiece + 2000);
  assert.ok(timeline.delay > 2000);
  for (let i = 100; i < 2200; ++i) timeline.place(i * kPiece, kPiece, i * kPiece - 5000);
  assert.equal(timeline.delay, 0);
});

test('sound that is due far earlier than what is scheduled is left out', () => {
  const timeline = new Timeline(kRate);
  timeline.place(10_000, kPiece, 0);
  assert.equal(timeline.place(1000, kPiece, 0), null);
  assert.equal(timeline.next, 10_000 + kPiece);
});

test('stretching keeps a tone, and its ends', () => {
  const tone = Float32Array.from({ length: 960 }, (_, i) => Math.sin(i / 20));
  const longer = stretched(tone, 963);
  assert.equal(longer.length, 963);
  longer.forEach((value, i) => assert.ok(Math.abs(value - Math.sin((i * 960) / 963 / 20)) < 0.003 || i > 960));
  assert.equal(longer[0], tone[0]);
  assert.ok(Math.abs(longer[962] - tone[959]) < 0.05);
  assert.equal(stretched(tone, 960), tone);
});

test('sound rises after a gap and decays before one', () => {
  const ones = new Float32Array(200).fill(1);
  fadeIn(ones, 100);
  assert.deepEqual([ones[0], ones[50], ones[100], ones[199]], [0, 0.5, 1, 1]);
  const tail = decay(0.8, 480, kRate);
  assert.ok(tail[0] < 0.8 && tail[0] > 0.78);
  assert.ok(tail.every((value, i) => i === 0 || value <= tail[i - 1]));
  assert.ok(tail[479] < 1e-4);
});

test('the channels of a unit can be given to the audio thread, each with memory of its own', () => {
  const unit = { kind: 'pcm', rate: kRate, channels: 2, samples: 3, at: 0, buffer: Float32Array.of(1, 2, 3, 4, 5, 6).buffer };
  const channels = planes(unit);
  assert.deepEqual(channels.map((samples) => [...samples]), [[1, 2, 3], [4, 5, 6]]);
  structuredClone(channels, { transfer: channels.map(({ buffer }) => buffer) });
});
