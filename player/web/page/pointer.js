// pointer.js — the pointer of a captured desktop, above the picture and in its scale, rotated with it.
// @ts-check

import { partOnScreen } from './geometry.js';

/** `x`, `y`: the hot spot's place in the stored picture; `rgba`: premultiplied texels of a new shape, or undefined
 *  where the shape is as before.
 *  @typedef {{x: number, y: number, visible: boolean, hotX: number, hotY: number, width: number, height: number,
 *    rgba?: Uint8Array|ArrayBuffer}} PointerState */

/** Premultiplied texels as a canvas takes them: not premultiplied.
 *  @param {Uint8Array} texels */
export function unpremultiplied(texels) {
  const straight = new Uint8ClampedArray(texels.length);
  for (let i = 0; i < texels.length; i += 4) {
    const alpha = texels[i + 3];
    for (let c = 0; c < 3; ++c) straight[i + c] = alpha === 0 ? 0 : Math.round((texels[i + c] * 255) / alpha);
    straight[i + 3] = alpha;
  }
  return straight;
}

/** @param {import('./geometry.js').Rect} rect
 *  @returns {import('./geometry.js').Rect} */
const wholePixels = ({ x, y, width, height }) => ({
  x: Math.round(x),
  y: Math.round(y),
  width: Math.max(1, Math.round(width)),
  height: Math.max(1, Math.round(height)),
});

export class Pointer {
  /** @param {HTMLCanvasElement} canvas in an element that clips it to the picture */
  constructor(canvas) {
    this.canvas = canvas;
    /** @type {PointerState|null} */
    this.state = null;
  }

  /** @param {PointerState|null} state null: there is none */
  set(state) {
    this.state = state;
    if (!state?.rgba || state.width < 1 || state.height < 1) return;
    const { canvas } = this;
    canvas.width = state.width;
    canvas.height = state.height;
    const texels = state.rgba instanceof ArrayBuffer ? new Uint8Array(state.rgba) : state.rgba;
    canvas.getContext('2d')?.putImageData(new ImageData(unpremultiplied(texels), state.width, state.height), 0, 0);
  }

  /** Moves it to its place above the picture.
   *  @param {import('./picture.js').Picture} picture @param {number} density device pixels of a CSS pixel */
  place(picture, density) {
    const { canvas, state } = this;
    const { description, where } = picture;
    canvas.hidden = !state?.visible || !description || !picture.hasPicture || state.width < 1;
    if (canvas.hidden || !state || !description) return;
    const { turn } = description;
    const part = { x: state.x - state.hotX, y: state.y - state.hotY, width: state.width, height: state.height };
    const seen = wholePixels(partOnScreen(part, description, where, turn));
    const area = /** @type {HTMLElement} */ (canvas.parentElement).style;
    area.left = `${where.x / density}px`;
    area.top = `${where.y / density}px`;
    area.width = `${where.width / density}px`;
    area.height = `${where.height / density}px`;
    const centreX = (seen.x + seen.width / 2 - where.x) / density;
    const centreY = (seen.y + seen.height / 2 - where.y) / density;
    const sideways = turn[0] === 0;
    const scaleX = (sideways ? seen.height : seen.width) / state.width / density;
    const scaleY = (sideways ? seen.width : seen.height) / state.height / density;
    const exact = Math.abs(scaleX * density - 1) < 1e-6 && Math.abs(scaleY * density - 1) < 1e-6;
    canvas.style.imageRendering = exact ? 'pixelated' : 'auto';
    // Around its centre: scaled, turned as the picture, then moved.
    canvas.style.transform =
      `translate(${centreX}px, ${centreY}px) matrix(${turn[0]}, ${turn[2]}, ${turn[1]}, ${turn[3]}, 0, 0) ` +
      `scale(${scaleX}, ${scaleY}) translate(-50%, -50%)`;
  }
}
