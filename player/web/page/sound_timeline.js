// sound_timeline.js — where each piece of sound is played: without gaps after the previous one, in step with the time at
// which it should be heard, which another clock measures. Counts in samples ("frames") of the audio device.
// @ts-check

const MARGIN = 0.006; // seconds that the device needs before it plays a piece
const JUMP = 0.06; // seconds out of step at which it is put right at once, not gradually
const MOST_DELAY = 0.5; // seconds
const SETTLE = 0.05; // part of the error that each piece corrects in its running mean
const MOST_STRETCH = 0.004; // of a piece's length: inaudible
const TOLERATED = 0.15; // seconds of sound that are left out since they are late, until all is played later
const FORGIVEN = 0.02; // of the sound: so much of what was late counts no longer
const WINDOW = 10; // seconds of sound, after which a delay that was not needed in them goes

/** A piece on the timeline: its first frame, the length to which it is stretched, and whether it begins after a gap.
 *  @typedef {{start: number, length: number, afterGap: boolean}} Place */

export class Timeline {
  /** @param {number} rate frames per second */
  constructor(rate) {
    this.rate = rate;
    this.delay = 0; // frames: how much later than wanted all is played, since pieces arrive late
    /** @type {number|null} */
    this.next = null; // frame after the last piece
    this.error = 0; // running mean of wanted - next, frames
    this.leastSlack = Infinity; // frames by which the pieces lately were early, at least
    this.observed = 0; // frames since leastSlack was Infinity
    this.late = 0; // frames of pieces that were too late, less FORGIVEN of all
    this.most = 0; // by which they were, frames
  }

  /** Forgets what was played; the delay stays. */
  stop() {
    this.next = null;
    this.error = 0;
  }

  /** The place of a piece that should be heard at frame `wanted`; null if it is left out.
   *  @param {number} wanted @param {number} length frames @param {number} now frame that the device is at
   *
   *  @returns {Place|null} */
  place(wanted, length, now) {
    const earliest = now + MARGIN * this.rate;
    this.#adaptDelay(earliest - wanted, length);
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

  /** @param {number} lateness frames by which a piece misses its wanted place; below 0: it is early
   *  @param {number} length */
  #adaptDelay(lateness, length) {
    this.late = Math.max(0, this.late - length * FORGIVEN);
    if (lateness > this.delay && lateness <= MOST_DELAY * this.rate) {
      this.late += length;
      this.most = Math.max(this.most, lateness);
      if (this.late > TOLERATED * this.rate) {
        this.delay = this.most + MARGIN * this.rate;
        this.#observeAnew();
      }
    }
    this.leastSlack = Math.min(this.leastSlack, this.delay - lateness);
    this.observed += length;
    if (this.observed < WINDOW * this.rate) return;
    this.delay = Math.max(0, this.delay - Math.max(0, this.leastSlack - 4 * MARGIN * this.rate));
    this.#observeAnew();
  }

  #observeAnew() {
    this.late = 0;
    this.most = 0;
    this.leastSlack = Infinity;
    this.observed = 0;
  }
}

/** The samples stretched to another length by linear interpolation.
 *  @param {Float32Array} samples
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

/** Lets the first samples rise from silence, in place.
 *  @param {Float32Array} samples @param {number} frames */
export function fadeIn(samples, frames) {
  const count = Math.min(frames, samples.length);
  for (let i = 0; i < count; ++i) samples[i] *= i / count;
}

/** A piece for sound that is missing: from the last sample it decays to silence.
 *  @param {number} last
 *  @param {number} length @param {number} rate @returns {Float32Array} */
export function decay(last, length, rate) {
  const out = new Float32Array(length);
  const factor = Math.exp(-1000 / rate); // to 1/e in a millisecond
  let value = last;
  for (let i = 0; i < length && Math.abs(value) > 1e-5; ++i) out[i] = value *= factor;
  return out;
}
