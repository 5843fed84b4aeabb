// The picture's place in the page, for each way of scaling. The values of fit, fill and 1:1 are those that
// tests/player asks of the native player.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { letterbox, panOf, partOnScreen, placement, shownSize } from '../../../player/web/page/geometry.js';

const size = (width, height) => ({ width, height });
const rect = (x, y, width, height) => ({ x, y, width, height });
const rounded = ({ x, y, width, height }) => rect(...[x, y, width, height].map(Math.round));
const view = (mode, more = {}) => ({ mode, zoom: 1, panX: 0, panY: 0, ...more });

test('a wide picture gets bars above and below, a narrow one beside it', () => {
  assert.deepEqual(letterbox(size(1920, 1080), size(1280, 800)), rect(0, 40, 1280, 720));
  assert.deepEqual(letterbox(size(640, 480), size(1920, 1080)), rect(240, 0, 1440, 1080));
  assert.deepEqual(letterbox(size(1920, 1080), size(1920, 1080)), rect(0, 0, 1920, 1080));
  assert.deepEqual(letterbox(size(3, 1), size(100, 100)), rect(0, 33, 100, 33));
});

test('a line of one pixel stays visible', () => {
  assert.deepEqual(letterbox(size(16384, 1), size(100, 100)), rect(0, 49, 100, 1));
});

test('fill covers the page and is centred', () => {
  assert.deepEqual(placement(size(1920, 1080), size(1280, 800), view('fill')), rect(-71, 0, 1422, 800));
  assert.deepEqual(placement(size(480, 640), size(360, 800), view('fill')), rect(-120, 0, 600, 800));
});

test('1:1 has the size of the picture, wherever it lies', () => {
  assert.deepEqual(placement(size(1920, 1080), size(1280, 800), view('exact')), rect(-320, -140, 1920, 1080));
  assert.deepEqual(placement(size(641, 481), size(1280, 800), view('exact')), rect(319, 159, 641, 481));
});

test('a picture is dragged no further than its edges, and only where it is larger than the page', () => {
  const target = size(1280, 800);
  const far = placement(size(1920, 1080), target, view('exact', { panX: 5000, panY: -5000 }));
  assert.deepEqual(far, rect(0, -280, 1920, 1080));
  assert.deepEqual(panOf(far, target), { panX: 320, panY: -140 });
  assert.deepEqual(placement(size(1920, 1080), target, view('fit', { panX: 500, panY: 500 })), rect(0, 40, 1280, 720));
});

test('magnifying ends at the largest viewport', () => {
  const placed = placement(size(1920, 1080), size(1920, 1080), view('fit', { zoom: 8 }), 8192);
  assert.equal(placed.width, 8192);
  assert.equal(placed.height, 4608);
});

test('wide pixels stretch the width, tall ones the height, and a quarter turn exchanges both', () => {
  assert.deepEqual(shownSize(size(720, 576), [16, 15], [1, 0, 0, 1]), size(768, 576));
  assert.deepEqual(shownSize(size(720, 480), [8, 9], [1, 0, 0, 1]), size(720, 540));
  assert.deepEqual(shownSize(size(1920, 1080), [1, 1], [0, -1, 1, 0]), size(1080, 1920));
});

test('a part of a picture that is turned clockwise is at the right of its top', () => {
  // The top left corner of the stored picture is displayed at the top right.
  const where = rect(100, 50, 300, 400);
  assert.deepEqual(rounded(partOnScreen(rect(0, 0, 40, 30), size(400, 300), where, [0, -1, 1, 0])), rect(370, 50, 30, 40));
  const twice = partOnScreen(rect(40, 30, 8, 4), size(400, 300), rect(0, 0, 800, 600), [1, 0, 0, 1]);
  assert.deepEqual(rounded(twice), rect(80, 60, 16, 8));
});
