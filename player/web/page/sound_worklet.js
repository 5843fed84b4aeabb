// sound_worklet.js — plays pieces of sound at their frames, on the audio thread. Used on secure pages, which alone have
// AudioWorklet; sound.js schedules AudioBufferSourceNodes on others.
// @ts-check
/* global AudioWorkletProcessor, currentFrame, registerProcessor */

const kDecay = 0.97; // a gap decays from the last sample, per frame

// @ts-expect-error: the types of this scope are not those of a page
class Pieces extends AudioWorkletProcessor {
  constructor() {
    super();
    /** @type {{start: number, channels: Float32Array[]}[]} */
    this.pieces = []; // by increasing start, without overlap
    /** @type {number[]} */
    this.last = [];
    // @ts-expect-error: as above
    this.port.onmessage = ({ data }) => {
      if (data.stop) this.pieces = [];
      else this.pieces.push(data);
    };
  }

  /** @param {unknown} _ @param {Float32Array[][]} outputs */
  process(_, [output]) {
    // @ts-expect-error: as above
    const now = /** @type {number} */ (currentFrame);
    const frames = output[0].length;
    let at = 0; // frames that are written
    for (const { start, channels } of this.pieces) {
      const first = Math.max(at, start - now);
      if (first >= frames) break;
      const end = Math.min(frames, start - now + channels[0].length);
      if (end <= first) continue;
      this.#fillGap(output, at, first);
      output.forEach((out, c) => {
        const from = channels[Math.min(c, channels.length - 1)];
        out.set(from.subarray(first + now - start, end + now - start), first);
        this.last[c] = out[end - 1];
      });
      at = end;
    }
    this.#fillGap(output, at, frames);
    while (this.pieces.length > 0 && this.pieces[0].start + this.pieces[0].channels[0].length <= now + frames)
      this.pieces.shift();
    return true;
  }

  /** @param {Float32Array[]} output @param {number} from @param {number} to */
  #fillGap(output, from, to) {
    output.forEach((out, c) => {
      let value = this.last[c] ?? 0;
      for (let i = from; i < to; ++i) out[i] = value *= kDecay;
      if (to > from) this.last[c] = Math.abs(value) < 1e-5 ? 0 : value;
    });
  }
}

// @ts-expect-error: as above
registerProcessor('pieces', Pieces);
