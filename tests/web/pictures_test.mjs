#!/usr/bin/env node
// pictures_test.mjs chromium|firefox: the canvas shows the pictures of the blocks that were sent, for formats of every family of
// texture compression.
//
// A short clip is encoded into files, whose blocks are those of the stream, and while it is streamed in a loop the canvas
// is read at several moments. Each time it must be one picture of the clip (no two of them are alike), by two measures:
//   - what the same browser draws when it is given the whole texture of the file at once: equal in every byte;
//   - what `texcast decode` makes of the file on the processor: equal within the rounding of the browser's texture unit.
import fs from 'node:fs';
import path from 'node:path';
import { assert, runAll, test } from './cases.mjs';
import { browser, folder, kName } from './shared_browser.mjs';
import { decoded, texcast, WebSender } from './texcast.mjs';

const kPictures = 12, kWidth = 200, kHeight = 120;
const kClip = `lavfi:testsrc2=size=${kWidth}x${kHeight}:rate=6:duration=${kPictures / 6}`;

// `levels`: largest difference from `texcast decode`, of 255. The software GPUs are exact with two exceptions: Chromium's
// (SwiftShader) rounds ASTC to the nearest level, and Firefox's (llvmpipe) the two inner colours of BC1 and the inner values
// of BC4. Of YCoCg, red and blue are sums of three values, each of which is rounded once in another way: as many levels.
// Firefox needs one level more, because llvmpipe rounds the inner values of BC4 down, so that the errors of Co and Cg have
// the same sign and add up in blue.
// `gl`: internal format and bytes of a block, if the shader does not compute with the texture.
const kYcocg = { chromium: 3, firefox: 4 };
const kMostOnAverage = 0.25; // levels
const kFormats = [
  { format: 'bc1', levels: { chromium: 0, firefox: 1 }, gl: [0x83F0, 8] },
  { format: 'bc3', levels: { chromium: 0, firefox: 1 }, gl: [0x83F3, 16] },
  { format: 'ycocg-dxt5', levels: kYcocg },
  { format: 'ycocg-bc4', levels: kYcocg },
  { format: 'ycocg-bc4-444', levels: kYcocg },
  { format: 'bc7', levels: { chromium: 0, firefox: 0 }, gl: [0x8E8C, 16] },
  { format: 'etc2', levels: { chromium: 0, firefox: 0 }, gl: [0x9274, 8] },
  { format: 'astc-4x4', levels: { chromium: 1, firefox: 0 }, gl: [0x93B0, 16] },
  { format: 'etc2', sent: 'bc1', levels: { chromium: 0, firefox: 0 }, gl: [0x9274, 8] }, // another variant of the stream
  // Its soft colours are all rounded; those of the pattern are mostly full or none.
  { format: 'ycocg-bc4', transform: true, levels: { chromium: 3, firefox: 4 }, average: 0.75 },
];

// Lossy streams are not the same twice: a recording is made and served, whose packets are sent as they are stored. Soft, as
// films are.
function recordTransform(format) {
  const file = path.join(folder.path, `${format}-transform.mkv`);
  texcast('encode', `${kClip},gblur=sigma=3`, file, '--format', format, '--crf', '26', '--transform', 'on', '-q', '--overwrite');
  assert.equal(JSON.parse(texcast('info', file, '--json')).coding_version, 4);
  return file;
}

// In a page: draws one texture, a pixel for each texel.
function drawTexture(base64, internalFormat, width, height) {
  const gl = document.createElement('canvas').getContext('webgl2');
  for (const name of ['WEBGL_compressed_texture_s3tc', 'EXT_texture_compression_bptc', 'WEBGL_compressed_texture_etc', 'WEBGL_compressed_texture_astc'])
    gl.getExtension(name);
  const shader = (type, text) => {
    const made = gl.createShader(type);
    gl.shaderSource(made, `#version 300 es\nprecision highp float;\n${text}`);
    gl.compileShader(made);
    return made;
  };
  const program = gl.createProgram();
  gl.attachShader(program, shader(gl.VERTEX_SHADER,
    'void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0, 1); }'));
  gl.attachShader(program, shader(gl.FRAGMENT_SHADER,
    'uniform sampler2D blocks; out vec4 color; void main() { color = texelFetch(blocks, ivec2(gl_FragCoord.xy), 0); }'));
  gl.linkProgram(program);
  gl.useProgram(program);
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.compressedTexImage2D(gl.TEXTURE_2D, 0, internalFormat, width, height, 0, Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)));
  gl.bindRenderbuffer(gl.RENDERBUFFER, gl.createRenderbuffer());
  gl.renderbufferStorage(gl.RENDERBUFFER, gl.RGBA8, width, height);
  gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
  gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, gl.getParameter(gl.RENDERBUFFER_BINDING));
  gl.viewport(0, 0, width, height);
  gl.drawArrays(gl.TRIANGLES, 0, 3);
  const pixels = new Uint8Array(4 * width * height);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels); // the first row of the texture is the upper one
  if (gl.getError() !== gl.NO_ERROR) throw new Error('WebGL does not draw the texture');
  return pixels;
}

// The picture that is nearest to what the canvas shows; its largest difference in R, G or B, and the sum of all.
function nearest(shown, pictures) {
  const distances = pictures.map((picture) => {
    let most = 0, sum = 0;
    for (let i = 0; i < picture.length; ++i) {
      if (i % 4 === 3) continue;
      const distance = Math.abs(picture[i] - shown[i]);
      if (distance > most) most = distance;
      sum += distance;
    }
    return { most, sum };
  });
  const number = distances.reduce((best, { sum }, i) => (sum < distances[best].sum ? i : best), 0);
  return { number, ...distances[number] };
}

async function drawn(files, [internalFormat, blockBytes]) {
  const bytes = Math.ceil(kWidth / 4) * Math.ceil(kHeight / 4) * blockBytes;
  const page = await browser.page();
  const pictures = [];
  for (const file of files)
    pictures.push(await page.bytes(drawTexture, fs.readFileSync(file).subarray(-bytes).toString('base64'), internalFormat, kWidth, kHeight));
  await page.close();
  return pictures;
}

for (const { format, levels: { [kName]: levels }, gl, sent = format, transform = false, average = kMostOnAverage } of kFormats) {
  test(`${kName}: ${format}${transform ? ' with transform coding' : sent === format ? '' : ` as a variant of ${sent}`} on the canvas: ${gl ? 'as the browser draws it at once, and ' : ''}within ${levels} levels of decode`, async () => {
    const name = transform ? recordTransform(format) : path.join(folder.path, `${format}-%05d.dds`);
    if (!transform) texcast('encode', kClip, name, '--format', format, '-q', '--overwrite');
    const { width, height, pictures } = decoded(name, '--expansion', 'replicate');
    assert.deepEqual([width, height, pictures.length], [kWidth, kHeight, kPictures]);
    const files = fs.readdirSync(folder.path).filter((file) => file.startsWith(`${format}-0`)).sort().map((file) => path.join(folder.path, file));
    const textures = gl && await drawn(files, gl);

    const sender = await (transform ? WebSender.start('serve', name, 'web://127.0.0.1:0', '--loop')
      : WebSender.start('send', kClip, 'web://127.0.0.1:0', '--loop', '--format', sent, '--audio', 'none'));
    const page = await browser.page();
    try {
      await page.open(sent === format ? sender.url : `${sender.url}#variant=${format}`);
      const seen = new Set();
      for (let after = -1; seen.size < 3;) {
        after = (await page.until((after) => window.texcast.state === 'playing' && window.texcast.shownNumber > after &&
          { number: window.texcast.shownNumber }, after)).number;
        // A slow machine loses datagrams, as any connection does; the page then shows what it has.
        const shown = await page.bytes(() => (window.texcast.isComplete ? window.texcast.readPixels() : null));
        if (!shown) continue;
        assert.equal(shown.length, 4 * width * height);
        const { number, most, sum } = nearest(shown, pictures);
        assert(most <= levels && sum <= average * 3 * width * height,
          `differs from picture ${number} of decode by up to ${most} levels (sum ${sum})\n${page.story()}`);
        if (textures) {
          const whole = nearest(shown, textures);
          assert.equal(whole.sum, 0, `differs from the whole texture ${whole.number} by up to ${whole.most} levels (sum ${whole.sum})`);
          assert.equal(whole.number, number);
        }
        seen.add(number);
      }
      assert.equal(await page.evaluate(() => window.texcast.description.format), format);
      if (transform) assert.equal(await page.evaluate(() => window.texcast.description.coding), 'lossy, transform coding');
      assert.deepEqual(page.errors(), []);
    } catch (error) {
      error.stack += `\n${sender.story()}`;
      throw error;
    } finally {
      await page.close();
      await sender.stop();
    }
  });
}

await runAll();
