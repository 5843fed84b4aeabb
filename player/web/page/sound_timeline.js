// sound_timeline.js — where each piece of sound is played: without gaps after the previous one, in step with the time at
// which it should be heard, which another clock measures. Counts in samples ("frames") of the audio device.
// @ts-check

const MARGIN = 0.006; // seconds that the device needs before it plays a piece
const JUMP = 0.06; // seconds out of step at which it is put right at once, not gradually
const MOST_DELAY = 0.5; // seconds
const SETTLE = 0.05; // part of the error that each piece corrects in its running mean
const MOST_STRETCH = 0.004; // of a piece's length: inaudible
const WINDOW = 250; // pieces, after which an unneeded delay shrinks

/** A piece on the timeline: its first frame, the length to which it is stretched, and whether it begins after a gap.
 *  @typedef {{start: number, length: number, afterGap: boolean}} Place */

export class Timeline {
  /** @param {number} rate frames per second */
  constructor(rate) {
    this.rate = rate;
    this.delay = 0; // frames: how much later than wanted all is played, since pieces arrive late
    this.#restart();
  }

  #restart() {
    /** @type {number|null} */
    this.next = null; // frame after the last piece
    this.error = 0; // running mean of wanted - next, frames
    this.leastSlack = Infinity;
    this.pieces = 0;
  }

  /** Forgets what was played; the delay stays. */
  stop() {
    this.#restart();
  }

  /** The place of a piece that should be heard at frame `wanted`; null if it is left out.
   *  @param {number} wanted @param {number} length frames @param {number} now frame that the device is at
   *  @returns {Place|null} */
  place(wanted, length, now) {
    const earliest = now + MARGIN * this.rate;
    this.#adaptDelay(earliest - wanted);
    const target = wanted + this.delay;
    if (target < earliest) return null; // later than anything that the delay may make up for
    if (this.next === null || this.next < earliest || target - this.next > JUMP * this.rate) {
      const start = Math.ceil(Math.max(target, this.next ?? 0));
      this.next = start + length;
      this.error = 0;
      return { start, length, afterGap: true };
    }
    if (this.next - target > JUMP * this.rate) return null; // what is scheduled reaches beyond it
    this.error += SETTLE * (target - this.next - this.error);
    const most = length * MOST_STRETCH;
    const stretch = Math.round(Math.min(most, Math.max(-most, this.error * SETTLE)));
    const start = this.next;
    this.next += length + stretch;
    return { start, length: length + stretch, afterGap: false };
  }

  // `lateness`: frames by which the piece misses its wanted place; below 0: it is early.
  /** @param {number} lateness */
  #adaptDelay(lateness) {
    const most = MOST_DELAY * this.rate;
    if (lateness > this.delay && lateness <= most) {
      this.delay = Math.min(most, lateness + MARGIN * this.rate);
      this.leastSlack = Infinity;
      this.pieces = 0;
      return;
    }
    this.leastSlack = Math.min(this.leastSlack, this.delay - lateness);
    if (++this.pieces < WINDOW) return;
    this.delay = Math.max(0, this.delay - Math.max(0, this.leastSlack - 4 * MARGIN * this.rate) / 4);
    this.leastSlack = Infinity;
    this.pieces = 0;
  }
}

/** The samples stretched to another length by linear interpolation. @param {Float32Array} samples
 *  @param {number} length @returns {Float32Array} */
export function stretched(samples, length) {
  if (samples.length === length || samples.length === 0) return samples;
  const out = new Float32Array(length);
  const step = samples.length / length;
  const last = samples.length - 1;
  for (let i = 0; i < length; ++i) {
    const at = i * step;
    const before = Math.min(last, Math.floor(at));
    out[i] = samples[before] + (samples[Math.min(last, before + 1)] - samples[before]) * (at - before);
  }
  return out;
}

/** Lets the first samples rise from silence, in place. @param {Float32Array} samples @param {number} frames */
export function fadeIn(samples, frames) {
  const count = Math.min(frames, samples.length);
  for (let i = 0; i < count; ++i) samples[i] *= i / count;
}

/** A piece for sound that is missing: from the last sample it decays to silence. @param {number} last
 *  @param {number} length @param {number} rate @returns {Float32Array} */
export function decay(last, length, rate) {
  const out = new Float32Array(length);
  const factor = Math.exp(-1000 / rate); // to 1/e in a millisecond
  let value = last;
  for (let i = 0; i < length && Math.abs(value) > 1e-5; ++i) out[i] = value *= factor;
  return out;
}
