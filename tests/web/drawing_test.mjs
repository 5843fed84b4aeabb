#!/usr/bin/env node
// drawing_test.mjs chromium|firefox: the page draws only the rows of the picture that changed, and the canvas is right everywhere.
//
//   - Picture (player/web/page/picture.js) by itself: after each upload of some rows, its canvas equals that of another
//     which draws everything; for formats with each kind of shader, scaled, moved and rotated. Empty textures take
//     nothing but all rows.
//   - The page with a stream in which a small area changes: its canvas equals `texcast decode`, also after a change of the
//     window's size, after lost frames and after a reset of the GPU.
import fs from 'node:fs';
import path from 'node:path';
import { assert, runAll, test } from './cases.mjs';
import { LossyProxy } from './driver/lossy_proxy.mjs';
import { browser, folder, kName } from './shared_browser.mjs';
import { decoded, texcast, WebSender } from './texcast.mjs';

// An odd height, so that the last rows of blocks are padded.
const kOddClip = 'lavfi:testsrc2=size=104x227:rate=5';
const kViews = [
  { name: '1:1', width: 300, height: 260, view: { mode: 'exact', zoom: 1, panX: 0, panY: 0 } },
  { name: '1:1, at the same place of a larger canvas', width: 301, height: 260, view: { mode: 'exact', zoom: 1, panX: 0, panY: 0 } },
  { name: 'a part of it, 1:1', width: 80, height: 101, view: { mode: 'exact', zoom: 1, panX: 5, panY: -40 } },
  { name: 'smaller', width: 91, height: 133, view: { mode: 'fit', zoom: 1, panX: 0, panY: 0 } },
  { name: 'larger', width: 500, height: 611, view: { mode: 'fit', zoom: 1, panX: 0, panY: 0 } },
  { name: 'magnified and moved', width: 200, height: 200, view: { mode: 'fill', zoom: 2.5, panX: 33, panY: 150 } },
];
const kTurns = { upright: [1, 0, 0, 1], 'rotated left': [0, 1, -1, 0], 'upside down': [-1, 0, 0, -1] };

// In the page: returns what differs, as text. Uploads random blocks of rows of tiles, a few at a time.
async function drawParts(views, turns) {
  const { Picture } = await import('/picture.js');
  const of = window.texcast.description;
  const kTile = 32;
  let random = 1;
  const byte = () => ((random = (Math.imul(random, 1103515245) + 12345) >>> 0) >>> 16) & 255;
  const made = [0, 1].map(() => new Picture(document.createElement('canvas'), { onLost() {}, onRestored() {} }));
  const pixels = ({ gl, canvas: { width, height } }) => {
    const data = new Uint32Array(width * height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(data.buffer));
    return data;
  };
  const upload = (pictures, first, end) => { // tile rows, with new blocks
    let bytes = 0;
    const uploads = of.planes.map(({ height, blockHeight, blocksX, blocksY, blockBytes }, plane) => {
      const down = Math.ceil(of.height / height);
      const blockRow = (first * kTile) / down / blockHeight;
      const blockRows = Math.min(blocksY, (end * kTile) / down / blockHeight) - blockRow;
      const made = { plane, blockRow, blockRows, offset: bytes, bytes: blockRows * blocksX * blockBytes };
      bytes += made.bytes;
      return made;
    });
    const data = Uint8Array.from({ length: bytes }, byte);
    for (const picture of pictures) picture.upload(uploads, data.buffer);
  };
  const rows = Math.ceil(of.height / kTile), wrong = [];
  for (const [turn, matrix] of Object.entries(turns)) {
    for (const picture of made) picture.setStream({ ...of, turn: matrix });
    upload(made, 0, rows);
    for (const { name, width, height, view } of views) {
      for (const picture of made) {
        Object.assign(picture.view, view);
        picture.resize(width, height);
      }
      for (const changed of [[[0, 1]], [[3, 4]], [[rows - 1, rows]], [[1, 2], [4, 6]], []]) {
        for (const [first, end] of changed) upload(made, first, end);
        made[0].draw();
        made[1].redraw();
        const [part, whole] = made.map(pixels);
        const at = part.findIndex((pixel, i) => pixel !== whole[i]);
        if (at >= 0)
          wrong.push(`${turn}, ${name}, rows of tiles ${JSON.stringify(changed)}: first at row ${Math.floor(at / width)} from below`);
        if (new Set(whole).size < 20) wrong.push(`${turn}, ${name}: nothing is drawn`);
      }
    }
  }
  return wrong;
}

// In the page: the number of rows of the canvas that are drawn when nothing changed, and when a row of tiles did.
async function countDrawn() {
  const { Picture } = await import('/picture.js');
  const of = window.texcast.description;
  const picture = new Picture(document.createElement('canvas'), { onLost() {}, onRestored() {} });
  const { gl } = picture, { blocksX, blocksY, blockBytes } = of.planes[0];
  const upload = (blockRow, blockRows) => {
    const data = new Uint8Array(blockRows * blocksX * blockBytes);
    picture.upload([{ plane: 0, blockRow, blockRows, offset: 0, bytes: data.length }], data.buffer);
  };
  picture.setStream(of);
  picture.resize(of.width, of.height);
  upload(0, blocksY);
  picture.draw();
  const count = () => {
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.clearColor(1, 0, 1, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    picture.draw();
    const data = new Uint8Array(4 * of.width * of.height);
    gl.readPixels(0, 0, of.width, of.height, gl.RGBA, gl.UNSIGNED_BYTE, data);
    return Array.from({ length: of.height }, (_, y) => data[4 * y * of.width]).filter((red) => red !== 255).length;
  };
  const nothing = count();
  upload(8, 8);
  return { nothing, some: count() };
}

// In the page: what a picture says and shows when textures that are empty get a part of the rows, and then all.
async function fillEmpty() {
  const { Picture } = await import('/picture.js');
  const of = window.texcast.description;
  let restored = null;
  const picture = new Picture(document.createElement('canvas'), { onLost() {}, onRestored: () => restored() });
  const { gl } = picture;
  const rows = (first, end) => ({ plane: 0, blockRow: first, blockRows: end - first, offset: 0,
    bytes: (end - first) * of.planes[0].blocksX * of.planes[0].blockBytes });
  const all = of.planes[0].blocksY, data = new ArrayBuffer(rows(0, all).bytes);
  const fill = () => [[rows(8, 16)], [rows(0, 8), rows(16, all)], [rows(0, 8), rows(8, all)], [rows(8, 16)]].map((uploads) => {
    const isTaken = picture.upload(uploads, data);
    picture.draw();
    return isTaken && picture.hasPicture;
  });
  picture.setStream(of);
  picture.resize(of.width, of.height);
  const first = fill();
  const lost = gl.getExtension('WEBGL_lose_context');
  const isRestored = new Promise((done) => (restored = done));
  const isLost = new Promise((done) => picture.canvas.addEventListener('webglcontextlost', done));
  lost.loseContext();
  await isLost;
  const whileLost = picture.upload([rows(0, all)], data);
  await new Promise((done) => setTimeout(done, 50));
  lost.restoreContext();
  await isRestored;
  return { first, whileLost, again: fill() };
}

for (const format of ['bc1', 'bc3', 'ycocg-dxt5', 'ycocg-bc4', 'ycocg-bc4-444'])
  test(`${kName}: ${format}: what is drawn in parts equals what is drawn at once`, async () => {
    const sender = await WebSender.start('send', kOddClip, 'web://127.0.0.1:0', '--format', format, '--audio', 'none');
    const page = await browser.page();
    try {
      await page.open(sender.url);
      await page.until(() => window.texcast.state === 'playing');
      assert.equal(await page.evaluate(() => window.texcast.description.format), format);
      assert.deepEqual(await page.evaluate(drawParts, kViews, kTurns), []);
      if (format === 'bc1') {
        assert.deepEqual(await page.evaluate(countDrawn), { nothing: 0, some: 32 });
        const filled = [false, false, true, true];
        assert.deepEqual(await page.evaluate(fillEmpty), { first: filled, whileLost: false, again: filled });
      }
      assert.deepEqual(page.errors(), []);
    } finally {
      await page.close();
      await sender.stop();
    }
  });

// A pattern that stands still, and before it another, which jumps from one row of tiles to another with each picture and
// fills its height.
const kWidth = 200, kHeight = 160, kPictures = 15;
const pattern = (size, across, down) =>
  `nullsrc=size=${size}:rate=6:duration=${kPictures / 6},geq=lum=mod(${across}*X+${down}*Y\\,256):cb=mod(${down}*X+Y\\,256):cr=128`;
const kClip = `lavfi:${pattern(`${kWidth}x${kHeight}`, 3, 7)}[still];${pattern('72x32', 11, 29)}[jumps];` +
  `[still][jumps]overlay=x=44*floor(n/5):y=32*mod(2*n\\,5)`;

// In the page: the pixels of the canvas after its next drawing, top row first; null if that frame was not complete.
async function canvasAfterDrawing() {
  await window.texcast.waitForFrame(window.texcast.shownNumber + 1);
  if (!window.texcast.isComplete) return null;
  const canvas = document.getElementById('picture'), gl = canvas.getContext('webgl2');
  const { width, height } = canvas, upward = new Uint8Array(4 * width * height), data = new Uint8Array(upward.length);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, upward);
  for (let y = 0; y < height; ++y) data.set(upward.subarray(4 * width * y, 4 * width * (y + 1)), 4 * width * (height - 1 - y));
  return data;
}

// The largest difference of a canvas from a picture in its middle, and black around it.
function mostDifference(canvas, width, height, picture) {
  const left = Math.floor((width - kWidth) / 2), top = Math.floor((height - kHeight) / 2);
  let most = 0;
  for (let y = 0; y < height; ++y)
    for (let x = 0; x < width; ++x) {
      const isInside = x >= left && x < left + kWidth && y >= top && y < top + kHeight;
      for (let c = 0; c < 3; ++c) {
        const wanted = isInside ? picture[4 * ((y - top) * kWidth + x - left) + c] : 0;
        most = Math.max(most, Math.abs(canvas[4 * (y * width + x) + c] - wanted));
      }
    }
  return most;
}

test(`${kName}: a small area changes: the canvas equals decode, also in another size and after lost frames and a reset GPU`, async () => {
  const levels = kName === 'chromium' ? 0 : 1; // llvmpipe rounds the inner colours of BC1
  const name = path.join(folder.path, '%05d.dds');
  texcast('encode', kClip, name, '--format', 'bc1', '-q', '--overwrite');
  const { pictures } = decoded(name, '--expansion', 'replicate');
  assert.equal(pictures.length, kPictures);
  assert.equal(fs.readdirSync(folder.path).length, kPictures);
  const sender = await WebSender.start('send', kClip, 'web://127.0.0.1:0', '--loop', '--format', 'bc1', '--audio', 'none');
  const proxy = await LossyProxy.start(sender.port);
  const page = await browser.page();
  const check = async (width, height) => {
    await page.until((width, height) => document.getElementById('picture').width === width &&
      document.getElementById('picture').height === height, width, height);
    for (let right = 0; right < 5;) {
      const canvas = await page.bytes(canvasAfterDrawing);
      if (!canvas) continue;
      const most = Math.min(...pictures.map((picture) => mostDifference(canvas, width, height, picture)));
      assert(most <= levels, `the canvas of ${width}x${height} differs from each picture of decode by ${most} levels`);
      ++right;
    }
  };
  try {
    await page.open(proxy.url);
    await page.until(() => window.texcast.state === 'playing');
    await page.press('w');
    await page.press('w');
    await page.until(() => document.getElementById('scale-name').textContent === '1:1');
    await check(1280, 800);
    await page.size({ width: 640, height: 480 });
    await check(640, 480);
    proxy.lose(8);
    await page.until(() => window.texcast.statistics?.lost > 0);
    await check(640, 480);
    assert.equal(proxy.lost, 8);
    await page.evaluate(async () => {
      const lost = document.getElementById('picture').getContext('webgl2').getExtension('WEBGL_lose_context');
      lost.loseContext();
      await new Promise((done) => setTimeout(done, 100));
      lost.restoreContext();
    });
    await check(640, 480);
    assert.deepEqual(page.errors(), []);
  } catch (error) {
    error.stack += `\n${sender.story()}`;
    throw error;
  } finally {
    await page.close();
    proxy.stop();
    await sender.stop();
  }
});

await runAll();
