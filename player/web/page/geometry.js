// geometry.js — where the picture is drawn in the page. Device pixels, from the top left corner. The rules are those of
// the native player (player/geometry.h, texcast/shape.h), so that both show the same.
// @ts-check

/** @typedef {{width: number, height: number}} Size */
/** @typedef {{x: number, y: number, width: number, height: number}} Rect */
/** @typedef {'fit'|'fill'|'exact'} ScaleMode */
/** A point of the stored picture is displayed at x' = xx x + xy y, y' = yx x + yy y, both from the centre, y down.
 *  @typedef {[xx: number, xy: number, yx: number, yy: number]} Turn */

/** The longest side that every implementation draws; smaller where WebGL says so. */
export const LONGEST_SIDE = 16384;

/** @param {Turn} turn */
export const swapsSides = (turn) => turn[0] === 0;

/** The size in square pixels, after rotation: the side that non-square pixels stretch grows.
 *  @param {Size} stored @param {[number, number]} aspect of a stored pixel @param {Turn} turn @returns {Size} */
export function shownSize(stored, aspect, turn) {
  let { width, height } = stored;
  const [num, den] = aspect;
  if (num > den) width *= num / den;
  else height *= den / num;
  const shrunk = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  const side = (/** @type {number} */ length) => Math.max(1, Math.round(length * shrunk));
  return swapsSides(turn) ? { width: side(height), height: side(width) } : { width: side(width), height: side(height) };
}

// a * b / c, rounded, at least 1.
const scaled = (/** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ c) =>
  Math.max(1, Math.floor((a * b + Math.floor(c / 2)) / c));

/** The largest rectangle of the picture's aspect inside the target, centred.
 *  @param {Size} picture @param {Size} target @returns {Rect} */
export function letterbox(picture, target) {
  let { width, height } = target;
  const wider = picture.width * target.height - picture.height * target.width;
  if (wider > 0) height = Math.min(height, scaled(width, picture.height, picture.width));
  if (wider < 0) width = Math.min(width, scaled(height, picture.width, picture.height));
  return {
    x: Math.floor((target.width - width) / 2),
    y: Math.floor((target.height - height) / 2),
    width,
    height,
  };
}

/** The size of the picture, which may be larger than the target: `fit` is letterbox(), `fill` covers the target, and
 *  `exact` is the picture's own size.
 *  @param {Size} picture @param {Size} target @param {ScaleMode} mode @returns {Size} */
export function scaledSize(picture, target, mode) {
  if (mode === 'exact') return picture;
  if (mode === 'fit') return letterbox(picture, target);
  const wider = picture.width * target.height > picture.height * target.width;
  const size = wider
    ? { width: scaled(target.height, picture.width, picture.height), height: target.height }
    : { width: target.width, height: scaled(target.width, picture.height, picture.width) };
  if (size.width <= LONGEST_SIDE && size.height <= LONGEST_SIDE) return size;
  return letterbox(picture, { width: LONGEST_SIDE, height: LONGEST_SIDE });
}

/** What the viewer sees: the mode, how much it is magnified (1..8), and how far the picture was dragged.
 *  @typedef {{mode: ScaleMode, zoom: number, panX: number, panY: number}} View */

// A side that is longer than the target's can be dragged until its ends are at the target's ends; a shorter one is
// centred.
function placeSide(/** @type {number} */ length, /** @type {number} */ target, /** @type {number} */ pan) {
  const centred = Math.floor((target - length) / 2);
  if (length <= target) return centred;
  return Math.min(0, Math.max(target - length, centred + Math.round(pan)));
}

/** The rectangle of the picture for a view. `longest`: no side becomes longer.
 *  @param {Size} picture @param {Size} target @param {View} view @param {number} [longest] @returns {Rect} */
export function placement(picture, target, view, longest = LONGEST_SIDE) {
  let { width, height } = scaledSize(picture, target, view.mode);
  const zoom = Math.min(view.zoom, longest / Math.max(width, height));
  if (zoom !== 1) {
    width = Math.max(1, Math.round(width * zoom));
    height = Math.max(1, Math.round(height * zoom));
  }
  return {
    x: placeSide(width, target.width, view.panX),
    y: placeSide(height, target.height, view.panY),
    width,
    height,
  };
}

/** The pan of a placed rectangle: what remains of `view.panX`, `view.panY` after limiting.
 *  @param {Rect} rect @param {Size} target */
export function panOf(rect, target) {
  return {
    panX: rect.width <= target.width ? 0 : rect.x - Math.floor((target.width - rect.width) / 2),
    panY: rect.height <= target.height ? 0 : rect.y - Math.floor((target.height - rect.height) / 2),
  };
}

/** The rectangle in which a part of the stored picture is displayed; unrounded.
 *  @param {Rect} part of the stored picture
 *  @param {Size} stored @param {Rect} where @param {Turn} turn @returns {Rect} */
export function partOnScreen(part, stored, where, turn) {
  const [xx, xy, yx, yy] = turn;
  const seen = (/** @type {number} */ px, /** @type {number} */ py) => {
    const x = px / stored.width - 0.5;
    const y = py / stored.height - 0.5;
    return [where.x + (xx * x + xy * y + 0.5) * where.width, where.y + (yx * x + yy * y + 0.5) * where.height];
  };
  const [ax, ay] = seen(part.x, part.y);
  const [bx, by] = seen(part.x + part.width, part.y + part.height);
  return { x: Math.min(ax, bx), y: Math.min(ay, by), width: Math.abs(ax - bx), height: Math.abs(ay - by) };
}

/** The smallest rectangle of whole pixels of the target that covers one.
 *  @param {Rect} rect @param {Size} target @returns {Rect} empty where they do not overlap */
export function coveredPixels(rect, target) {
  const x = Math.max(0, Math.floor(rect.x));
  const y = Math.max(0, Math.floor(rect.y));
  const right = Math.min(target.width, Math.ceil(rect.x + rect.width));
  const bottom = Math.min(target.height, Math.ceil(rect.y + rect.height));
  return { x, y, width: Math.max(0, right - x), height: Math.max(0, bottom - y) };
}
