// Which part of the canvas is drawn.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { coveredPixels } from '../../../player/web/page/geometry.js';
import { areaOfRows } from '../../../player/web/page/picture.js';
import { RowRanges } from '../../../player/web/page/row_ranges.js';

function ranges(...added) {
  const of = new RowRanges();
  for (const [first, end] of added) of.add(first, end);
  return of.take().map(({ first, end }) => [first, end]);
}

test('ranges of rows that overlap or are close are joined', () => {
  assert.deepEqual(ranges([64, 96], [0, 32]), [[0, 32], [64, 96]]);
  assert.deepEqual(ranges([0, 32], [48, 64]), [[0, 32], [48, 64]]);
  assert.deepEqual(ranges([0, 32], [47, 64]), [[0, 64]]);
  assert.deepEqual(ranges([0, 32], [100, 132], [20, 110]), [[0, 132]]);
  assert.deepEqual(ranges([100, 132], [0, 400], [200, 232]), [[0, 400]]);
  assert.deepEqual(ranges([5, 5]), []);
});

test('of many ranges those that are nearest are joined', () => {
  const many = Array.from({ length: 9 }, (_, i) => [100 * i - (i === 5 ? 10 : 0), 100 * i + 32]);
  const expected = many.filter((_, i) => i !== 5);
  expected[4] = [400, 532];
  assert.deepEqual(ranges(...many), expected);
});

test('ranges are taken once', () => {
  const of = new RowRanges();
  assert(of.isEmpty);
  of.add(1, 2);
  assert(!of.isEmpty);
  assert.equal(of.take().length, 1);
  assert(of.isEmpty && of.take().length === 0);
});

test('pixels that are covered in part are drawn, within the target', () => {
  const target = { width: 100, height: 50 };
  assert.deepEqual(coveredPixels({ x: 1.5, y: 2, width: 3, height: 4.1 }, target), { x: 1, y: 2, width: 4, height: 5 });
  assert.deepEqual(coveredPixels({ x: -10, y: 40, width: 200, height: 20 }, target), { x: 0, y: 40, width: 100, height: 10 });
  assert.equal(coveredPixels({ x: 0, y: -30, width: 10, height: 20 }, target).height, 0);
  assert.equal(coveredPixels({ x: 0, y: 60, width: 10, height: 20 }, target).height, 0);
});

test('rows beside those that changed are drawn where they are filtered together', () => {
  const plane = (height) => ({ height });
  const description = (chroma, turn = [1, 0, 0, 1]) => ({
    width: 64,
    height: 100,
    turn,
    planes: chroma ? [plane(100), plane(50), plane(50)] : [plane(100)],
    shaders: { chroma },
  });
  const rows = { first: 32, end: 64 };
  const where = { x: 10, y: 20, width: 64, height: 100 };
  const target = { width: 300, height: 300 };
  assert.deepEqual(areaOfRows(rows, description(null), where, target, true), { x: 10, y: 52, width: 64, height: 32 });
  assert.deepEqual(areaOfRows(rows, description('merges'), where, target, true), { x: 10, y: 50, width: 64, height: 36 });
  const doubled = { x: 0, y: 0, width: 128, height: 200 };
  assert.deepEqual(areaOfRows(rows, description(null), doubled, target, false), { x: 0, y: 62, width: 128, height: 68 });
  const left = { x: 0, y: 0, width: 100, height: 64 };
  assert.deepEqual(areaOfRows(rows, description(null, [0, 1, -1, 0]), left, target, true), { x: 32, y: 0, width: 32, height: 64 });
});
