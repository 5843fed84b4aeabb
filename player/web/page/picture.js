// picture.js — the picture, drawn by WebGL2: textures hold the blocks of the stream as they arrive, and the GPU decodes
// them. The shaders come with the description of the stream, from the source of the native player.
// @ts-check

import { enableFamilies } from './capabilities.js';
import { panOf, partOnScreen, placement, shownSize, swapsSides, coveredPixels } from './geometry.js';
import { RowRanges } from './row_ranges.js';

/** One texture. `width`, `height`: its true size in texels; `offset`, `blockBytes`: bytes. `type` 'compressed', or
 *  'bytes' for 8-bit channels in the WebGL format `pixelFormat`. `pair`: a texel of four channels is two pixels.
 *  @typedef {{internalFormat: number, type: 'compressed'|'bytes', pixelFormat?: number, pair?: boolean, width: number,
 *    height: number, blocksX: number, blocksY: number, blockWidth: number, blockHeight: number, blockBytes: number,
 *    offset: number}} Plane */
/** @typedef {{format: string, family: string, width: number, height: number, aspect: [number, number],
 *    turn: import('./geometry.js').Turn, fps?: number, coding?: string, planes: Plane[],
 *    shaders: {vertex: string, exact: string, scaled: string, chroma: string|null},
 *    uniforms: Record<string, number|number[]>}} Description */
/** Rows of blocks of a plane, at `offset` of the frame's buffer.
 *  @typedef {{plane: number, blockRow: number, blockRows: number, offset: number, bytes: number}} Upload */
/** @typedef {{program: WebGLProgram, at: (name: string) => WebGLUniformLocation|null}} Pass */

/** A failure that the page can say to its reader. */
export class PictureError extends Error {}

const isCompressed = (/** @type {Plane} */ plane) => plane.type === 'compressed';
// In WebGL's texels: those of a compressed block, or one for an uncompressed block.
const texelsAcross = (/** @type {Plane} */ p) => (isCompressed(p) ? p.blocksX * p.blockWidth : p.blocksX);
const texelsDown = (/** @type {Plane} */ p) => (isCompressed(p) ? p.blocksY * p.blockHeight : p.blocksY);

/** The fraction of a texture of whole blocks that its true size takes up.
 *  @param {Plane} plane */
export function texturePart(plane) {
  return [plane.width / (plane.blocksX * plane.blockWidth), plane.height / (plane.blocksY * plane.blockHeight)];
}

/** The fraction of the merged chroma texture that the picture covers. Chroma is centre-sited: with an odd size its last
 *  texel covers only one luma texel, and the picture ends in the middle of it.
 *  @param {Plane[]} planes */
export function chromaPart(planes) {
  if (planes.length < 3) return [1, 1];
  const [luma, chroma] = planes;
  const part = (/** @type {number} */ l, /** @type {number} */ c) => (c === l ? 1 : (l * 0.5) / c);
  return [part(luma.width, chroma.width), part(luma.height, chroma.height)];
}

/** @param {Upload[]} uploads, which do not overlap @param {Plane[]} planes */
const hasAllRows = (uploads, planes) =>
  planes.every((plane, index) => {
    const rows = uploads.reduce((sum, upload) => sum + (upload.plane === index ? upload.blockRows : 0), 0);
    return rows === plane.blocksY;
  });

/** How many rows of the picture a row of a plane covers.
 *  @param {Description} description @param {Plane} plane */
const rowsOf = (description, plane) => Math.ceil(description.height / plane.height);

/** The part of the target that shows rows of the stored picture. Filtering mixes the rows beside them in: a row of the
 *  picture where it is scaled, and one of the merged chroma texture in any case.
 *  @param {import('./row_ranges.js').Range} rows @param {Description} description
 *  @param {import('./geometry.js').Rect} where @param {import('./geometry.js').Size} target @param {boolean} exact
 *
 *  @returns {import('./geometry.js').Rect} */
export function areaOfRows({ first, end }, description, where, target, exact) {
  const { width, height, planes, shaders, turn } = description;
  const beside = shaders.chroma ? rowsOf(description, planes[1]) : exact ? 0 : 1;
  const top = Math.max(0, first - beside);
  const part = { x: 0, y: top, width, height: Math.min(height, end + beside) - top };
  return coveredPixels(partOnScreen(part, { width, height }, where, turn), target);
}

/** Whether one texel is one pixel.
 *  @param {Description} description @param {import('./geometry.js').Rect} where */
function isExact({ width, height, turn }, where) {
  const upright = swapsSides(turn) ? { width: where.height, height: where.width } : where;
  return upright.width === width && upright.height === height;
}

/** @param {import('./geometry.js').Rect} a @param {import('./geometry.js').Rect} b */
const isSameRect = (a, b) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;

export class Picture {
  /** @param {HTMLCanvasElement} canvas
   *
   *  @param {{onLost: () => void, onRestored: () => void}} events of the context. After onRestored the textures are
   *  empty: all rows of the next frame must be uploaded. */
  constructor(canvas, events) {
    this.canvas = canvas;
    /** @type {import('./geometry.js').View} */
    this.view = { mode: 'fit', zoom: 1, panX: 0, panY: 0 };
    /** @type {Description|null} */
    this.description = null;
    this.hasPicture = false;
    /** Where the picture was drawn last, device pixels. */
    this.where = { x: 0, y: 0, width: 0, height: 0 };
    /** The families of formats that this GPU takes.
     *  @type {string[]} */
    this.families = [];
    this.largestTexture = 0; // texels a side
    this.longestSide = 0; // pixels of a viewport
    this.renderer = '';
    const gl = canvas.getContext('webgl2', {
      alpha: false,
      antialias: false,
      depth: false,
      stencil: false,
      preserveDrawingBuffer: true, // so that only what changed is drawn
      powerPreference: 'high-performance',
    });
    if (!gl)
      throw new PictureError(
        'This browser has no WebGL 2, which shows the picture. Turn hardware acceleration on, or use another browser.',
      );
    this.gl = gl;
    canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault(); // so that it can be restored
      this.#forget();
      events.onLost();
    });
    canvas.addEventListener('webglcontextrestored', () => {
      this.#begin();
      if (this.description) this.setStream(this.description);
      events.onRestored();
    });
    this.#begin();
  }

  /** @type {WebGLTexture[]} */ #textures = [];
  /** @type {Map<string, Pass>} */ #passes = new Map(); // by the fragment shader's text
  /** @type {WebGLSampler|null} */ #linear = null;
  /** @type {{texture: WebGLTexture, framebuffer: WebGLFramebuffer}|null} */ #chroma = null;
  #changed = new RowRanges(); // of the picture, since it was drawn
  #changedChroma = new RowRanges(); // of the chroma planes, since they were merged
  /** Where the canvas shows the picture; null: the whole canvas has to be drawn.
   *  @type {import('./geometry.js').Rect|null} */
  #drawn = null;

  #begin() {
    const { gl } = this;
    this.families = enableFamilies(gl);
    this.largestTexture = gl.getParameter(gl.MAX_TEXTURE_SIZE);
    this.longestSide = Math.min(...gl.getParameter(gl.MAX_VIEWPORT_DIMS));
    const info = gl.getExtension('WEBGL_debug_renderer_info');
    this.renderer = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
    this.#linear = gl.createSampler();
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
      if (this.#linear) gl.samplerParameteri(this.#linear, filter, gl.LINEAR);
    for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T])
      if (this.#linear) gl.samplerParameteri(this.#linear, wrap, gl.CLAMP_TO_EDGE);
    gl.bindVertexArray(gl.createVertexArray());
    gl.clearColor(0, 0, 0, 1);
  }

  // The objects of a lost context are gone; those of a running one are deleted by dropStream().
  #forget() {
    this.#textures = [];
    this.#passes.clear();
    this.#chroma = null;
    this.#changed.take();
    this.#changedChroma.take();
    this.#drawn = null;
    this.hasPicture = false;
  }

  #dropStream() {
    const { gl } = this;
    for (const texture of this.#textures) gl.deleteTexture(texture);
    for (const { program } of this.#passes.values()) gl.deleteProgram(program);
    if (this.#chroma) {
      gl.deleteTexture(this.#chroma.texture);
      gl.deleteFramebuffer(this.#chroma.framebuffer);
    }
    this.#forget();
  }

  /** Makes the textures and shaders of a stream, which are empty until the first upload. Throws PictureError if this
   *  GPU cannot hold or draw it.
   *  @param {Description} description */
  setStream(description) {
    const { gl } = this;
    this.#dropStream();
    this.description = description;
    if (gl.isContextLost()) return; // made again when it is restored
    const { width, height, format, planes, shaders } = description;
    if (Math.max(texelsAcross(planes[0]), texelsDown(planes[0])) > this.largestTexture)
      throw new PictureError(
        `The picture is ${width}x${height}, but this GPU (${this.renderer}) takes at most ` +
          `${this.largestTexture} texels a side. Ask for a smaller stream.`,
      );
    while (gl.getError() !== gl.NO_ERROR);
    this.#textures = planes.map((plane) =>
      this.#makeTexture(plane.internalFormat, texelsAcross(plane), texelsDown(plane), gl.NEAREST),
    );
    const error = gl.getError();
    if (error !== gl.NO_ERROR)
      throw new PictureError(
        `This GPU (${this.renderer}) refuses ${width}x${height} ${format} textures (WebGL error ${error}). ` +
          'Ask for another format, or close other pages.',
      );
    for (const text of [shaders.exact, shaders.scaled, shaders.chroma]) if (text) this.#pass(text);
    if (shaders.chroma) {
      const texture = this.#makeTexture(gl.RGBA8, planes[1].width, planes[1].height, gl.LINEAR);
      const framebuffer = /** @type {WebGLFramebuffer} */ (gl.createFramebuffer());
      gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
      this.#chroma = { texture, framebuffer };
    }
  }

  /** @param {number} format @param {number} width @param {number} height @param {number} filter */
  #makeTexture(format, width, height, filter) {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, height);
    return /** @type {WebGLTexture} */ (texture);
  }

  /** The program of a fragment shader, compiled at first use; its uniforms of the stream are set.
   *  @param {string} fragment @returns {Pass} */
  #pass(fragment) {
    const known = this.#passes.get(fragment);
    if (known) return known;
    const { gl } = this;
    const { shaders, uniforms, format } = /** @type {Description} */ (this.description);
    const program = /** @type {WebGLProgram} */ (gl.createProgram());
    const compiled = [
      [gl.VERTEX_SHADER, shaders.vertex],
      [gl.FRAGMENT_SHADER, fragment],
    ].map(([kind, text]) => {
      const shader = /** @type {WebGLShader} */ (gl.createShader(/** @type {number} */ (kind)));
      gl.shaderSource(shader, String(text));
      gl.compileShader(shader);
      gl.attachShader(program, shader);
      return shader;
    });
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      const log = [...compiled.map((shader) => gl.getShaderInfoLog(shader)), gl.getProgramInfoLog(program)].join(' ');
      throw new PictureError(`This GPU (${this.renderer}) refuses the shader of ${format}: ${log.trim()}`);
    }
    for (const shader of compiled) gl.deleteShader(shader);
    /** @type {Map<string, WebGLUniformLocation|null>} */
    const places = new Map();
    const at = (/** @type {string} */ name) => {
      if (!places.has(name)) places.set(name, gl.getUniformLocation(program, name));
      return places.get(name) ?? null;
    };
    gl.useProgram(program);
    [0, 1, 2].forEach((unit) => gl.uniform1i(at(`plane${unit}`), unit));
    this.#setUniforms(program, uniforms);
    const pass = { program, at };
    this.#passes.set(fragment, pass);
    return pass;
  }

  /** Those that the program has, by their types there.
   *  @param {WebGLProgram} program @param {Record<string, number|number[]>} values */
  #setUniforms(program, values) {
    const { gl } = this;
    const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) ?? 0;
    for (let i = 0; i < count; ++i) {
      const info = gl.getActiveUniform(program, i);
      const value = info ? values[info.name] : undefined;
      if (!info || value === undefined) continue;
      const place = gl.getUniformLocation(program, info.name);
      const numbers = Array.isArray(value) ? value : [value];
      if (info.type === gl.FLOAT) gl.uniform1fv(place, numbers);
      if (info.type === gl.FLOAT_VEC2) gl.uniform2fv(place, numbers);
      if (info.type === gl.FLOAT_VEC3) gl.uniform3fv(place, numbers);
      if (info.type === gl.FLOAT_VEC4) gl.uniform4fv(place, numbers);
      if (info.type === gl.FLOAT_MAT2) gl.uniformMatrix2fv(place, false, numbers);
      if (info.type === gl.FLOAT_MAT3) gl.uniformMatrix3fv(place, false, numbers);
    }
  }

  /** Copies rows of blocks into the textures; `uploads` are those that changed since the previous call. Empty textures
   *  take all rows only: after a reset of the GPU, frames that were on their way have some of them.
   *  @param {Upload[]} uploads @param {ArrayBuffer} buffer
   *
   *  @returns {boolean} whether they were taken */
  upload(uploads, buffer) {
    const { gl, description } = this;
    if (!description || this.#textures.length === 0) return false;
    if (!this.hasPicture && !hasAllRows(uploads, description.planes)) return false;
    gl.activeTexture(gl.TEXTURE0);
    for (const { plane: index, blockRow, blockRows, offset, bytes } of uploads) {
      const plane = description.planes[index];
      const [first, end] = [blockRow * plane.blockHeight, (blockRow + blockRows) * plane.blockHeight];
      const down = rowsOf(description, plane);
      this.#changed.add(first * down, end * down);
      if (index > 0) this.#changedChroma.add(first, end);
      const rowHeight = isCompressed(plane) ? plane.blockHeight : 1;
      const [y, width, height] = [blockRow * rowHeight, texelsAcross(plane), blockRows * rowHeight];
      const data = new Uint8Array(buffer, offset, bytes);
      gl.bindTexture(gl.TEXTURE_2D, this.#textures[index]);
      if (isCompressed(plane)) {
        gl.compressedTexSubImage2D(gl.TEXTURE_2D, 0, 0, y, width, height, plane.internalFormat, data);
      } else {
        gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
        gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, y, width, height, plane.pixelFormat ?? gl.RGBA, gl.UNSIGNED_BYTE, data);
      }
    }
    this.hasPicture = true;
    return true;
  }

  /** The size in which the picture is displayed 1:1. */
  shownSize() {
    const d = this.description;
    return d ? shownSize(d, d.aspect, d.turn) : { width: 0, height: 0 };
  }

  /** Of the canvas, in pixels. Draws the picture, since a canvas is black after this.
   *  @param {number} width @param {number} height */
  resize(width, height) {
    this.canvas.width = width;
    this.canvas.height = height;
    this.redraw();
  }

  /** As draw(), but everything: also where the canvas should be right. */
  redraw() {
    this.#drawn = null;
    this.draw();
  }

  /** Draws the newest picture into the canvas; black where there is none. Only what has changed since the last time is
   *  drawn, and if nothing has, the browser need not compose the page again. */
  draw() {
    const { canvas, description } = this;
    if (!description || !this.hasPicture || canvas.width === 0 || canvas.height === 0) return this.#clear();
    const where = placement(this.shownSize(), canvas, this.view, this.longestSide);
    Object.assign(this.view, panOf(where, canvas));
    const changed = this.#changed.take();
    if (this.#drawn && isSameRect(this.#drawn, where)) {
      const exact = isExact(description, where);
      const areas = changed.map((rows) => areaOfRows(rows, description, where, canvas, exact));
      this.#drawInto(null, where, canvas.height, areas.filter(({ width, height }) => width > 0 && height > 0));
    } else {
      this.#clear();
      this.#drawInto(null, where, canvas.height);
    }
    this.where = where;
    this.#drawn = where;
  }

  #clear() {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.clear(gl.COLOR_BUFFER_BIT);
    this.#drawn = null;
  }

  /** The pixels of the picture at 1:1 as RGBA, top row first; also while the page shows it at another scale.
   *
   *  @param {number} [most] the rows from the top that are wanted; otherwise all
   *  @returns {{width: number, height: number, data: Uint8Array}} */
  readPixels(most = Infinity) {
    const { gl, description } = this;
    if (!description || !this.hasPicture) return { width: 0, height: 0, data: new Uint8Array() };
    const { width, height: whole } = swapsSides(description.turn)
      ? { width: description.height, height: description.width }
      : description;
    const height = Math.min(whole, most); // the rest of the picture is below the target
    const texture = this.#makeTexture(gl.RGBA8, width, height, gl.NEAREST);
    const framebuffer = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    this.#drawInto(framebuffer, { x: 0, y: 0, width, height: whole }, height);
    const upward = new Uint8Array(width * height * 4);
    gl.pixelStorei(gl.PACK_ALIGNMENT, 1);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, upward);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.deleteFramebuffer(framebuffer);
    gl.deleteTexture(texture);
    const data = new Uint8Array(upward.length); // WebGL's rows count from below
    const row = width * 4;
    for (let y = 0; y < height; ++y) data.set(upward.subarray((height - 1 - y) * row, (height - y) * row), y * row);
    return { width, height, data };
  }

  #bindPlanes() {
    const { gl } = this;
    this.#textures.forEach((texture, unit) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
    });
  }

  // Merges the half-size chroma planes into one texture, once per frame, so that the pass over all pixels filters one.
  #mergeChroma() {
    const { gl, description } = this;
    if (!this.#chroma || this.#changedChroma.isEmpty || !description?.shaders.chroma) return;
    const { planes, shaders } = description;
    const { width, height } = planes[1];
    const areas = this.#changedChroma.take().map(({ first, end }) => ({ x: 0, y: first, width, height: end - first }));
    this.#bindPlanes();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#chroma.framebuffer);
    gl.viewport(0, 0, width, height);
    this.#run(this.#pass(/** @type {string} */ (shaders.chroma)), [...texturePart(planes[1]), 1, 1], 1, [1, 0, 0, 1], areas);
  }

  /** @param {Pass} pass @param {number[]} scales @param {number} upwards 1: row 0 is the picture's top row
   *
   *  @param {import('./geometry.js').Turn} turn
   *  @param {import('./geometry.js').Rect[]|null} areas of the target that are drawn, y upwards; null: all of it */
  #run(pass, scales, upwards, turn, areas) {
    const { gl } = this;
    gl.useProgram(pass.program);
    gl.uniform4fv(pass.at('scales'), scales);
    gl.uniform1f(pass.at('upwards'), upwards);
    // The inverse of a rotation is its transposed matrix: read by rows here, it is that by columns, as WebGL takes it.
    gl.uniformMatrix2fv(pass.at('back'), false, turn);
    if (!areas) return gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.enable(gl.SCISSOR_TEST);
    for (const { x, y, width, height } of areas) {
      gl.scissor(x, y, width, height);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
    gl.disable(gl.SCISSOR_TEST);
  }

  /** @param {WebGLFramebuffer|null} framebuffer @param {import('./geometry.js').Rect} where
   *
   *  @param {number} height of the target
   *  @param {import('./geometry.js').Rect[]|null} areas of the target, outside of which it keeps its pixels */
  #drawInto(framebuffer, where, height, areas = null) {
    const { gl, description } = this;
    if (!description || areas?.length === 0) return;
    this.#mergeChroma();
    const { planes, shaders, turn } = description;
    const luma = planes[0];
    const exact = isExact(description, where);
    const pass = this.#pass(exact ? shaders.exact : shaders.scaled);
    this.#bindPlanes();
    if (this.#chroma) {
      gl.activeTexture(gl.TEXTURE1);
      gl.bindTexture(gl.TEXTURE_2D, this.#chroma.texture);
    }
    const part = texturePart(luma);
    const upward = (/** @type {import('./geometry.js').Rect} */ rect) => ({ ...rect, y: height - rect.y - rect.height });
    gl.useProgram(pass.program);
    gl.uniform2f(pass.at('top_left'), where.x, height - where.y);
    if (!exact) {
      const half = [0.5 / (luma.blocksX * luma.blockWidth), 0.5 / (luma.blocksY * luma.blockHeight)];
      gl.uniform2fv(pass.at('first_centre'), half);
      gl.uniform2f(pass.at('last_centre'), part[0] - half[0], part[1] - half[1]);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    gl.viewport(where.x, upward(where).y, where.width, where.height);
    for (let unit = 0; unit < 3; ++unit) gl.bindSampler(unit, exact ? null : this.#linear);
    this.#run(pass, [...part, ...chromaPart(planes)], -1, turn, areas?.map(upward) ?? null);
    for (let unit = 0; unit < 3; ++unit) gl.bindSampler(unit, null);
  }
}
