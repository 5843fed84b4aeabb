// What the page says, and what it tells the server.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FAMILIES, enableFamilies } from '../../../player/web/page/capabilities.js';
import { retryDelay } from '../../../player/web/page/connection.js';
import { chromaPart, texturePart } from '../../../player/web/page/picture.js';
import { unpremultiplied } from '../../../player/web/page/pointer.js';
import { statisticsRows, statusLine } from '../../../player/web/page/status.js';

test('the families are those whose extension the GPU has, BC first', () => {
  const gl = (...has) => ({ getExtension: (name) => (has.includes(name) ? {} : null) });
  assert.deepEqual(enableFamilies(gl('WEBGL_compressed_texture_astc', 'WEBGL_compressed_texture_etc')), ['etc2', 'astc']);
  assert.deepEqual(enableFamilies(gl('EXT_texture_compression_bptc', 'WEBGL_compressed_texture_s3tc')), ['s3tc', 'bptc']);
  assert.deepEqual(enableFamilies(gl()), []);
  assert.deepEqual(FAMILIES.map(([family]) => family), ['s3tc', 'rgtc', 'bptc', 'etc2', 'astc']);
});

test('attempts to connect become rarer, up to five seconds', () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 50].map((failures) => retryDelay(failures, 0.5)), [500, 1000, 2000, 4000, 5000, 5000, 5000]);
  assert.equal(retryDelay(1, 0), 375);
  assert.equal(retryDelay(1, 1), 625);
});

test('a state has one line, which says when the page tries again', () => {
  assert.equal(statusLine({ state: 'playing', line: 'x' }), '');
  assert.equal(statusLine({ state: 'refused', line: 'This stream needs a password.' }), 'This stream needs a password.');
  assert.equal(statusLine({ state: 'retrying', after: 'failed', seconds: 0.4 }), 'The connection is lost. Trying again in 1 second.');
  assert.equal(statusLine({ state: 'retrying', after: 'ended', seconds: 10 }), 'The stream has ended. Trying again in 10 seconds.');
});

test('the table of statistics has units, and shows what it does not know as it is', () => {
  assert.deepEqual(
    statisticsRows({ type: 'statistics', bits_per_s: 42.1e6, decode_ms: { p50: 3.21, p95: 5.4 }, lost: 0, new_thing: 7, age_ms: null, nested: {} }),
    [
      ['Bit rate', '42.10 Mbit/s'],
      ['Decoding (p50 / p95)', '3.2 / 5.4 ms'],
      ['Datagrams lost', '0'],
      ['new thing', '7'],
    ],
  );
});

test('the padding of the last blocks is not part of the picture', () => {
  const plane = { width: 1278, height: 718, blocksX: 320, blocksY: 180, blockWidth: 4, blockHeight: 4 };
  assert.deepEqual(texturePart(plane), [1278 / 1280, 718 / 720]);
});

test('a picture of odd size ends in the middle of its last chroma texel', () => {
  const plane = (width, height) => ({ width, height });
  assert.deepEqual(chromaPart([plane(7, 5), plane(4, 3), plane(4, 3)]), [7 / 8, 5 / 6]);
  assert.deepEqual(chromaPart([plane(8, 6), plane(4, 6), plane(4, 6)]), [1, 1]);
  assert.deepEqual(chromaPart([plane(8, 6)]), [1, 1]);
});

test('a pointer keeps its colours at half transparent edges', () => {
  assert.deepEqual([...unpremultiplied(Uint8Array.of(128, 64, 0, 128, 0, 0, 0, 0))], [255, 128, 0, 128, 0, 0, 0, 0]);
});
