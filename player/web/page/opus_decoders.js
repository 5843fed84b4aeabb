// opus_decoders.js — decodes Opus packets by what the browser has: WebCodecs on secure pages, else decodeAudioData of
// small Ogg files, each of which begins with earlier packets that are decoded and dropped, so that pieces join.
// @ts-check

import { OPUS_RATE, oggOpusFile, opusSamples } from './ogg_opus.js';

/** `at`: performance.now() at which the first sample should be heard.
 *  @typedef {(channels: Float32Array[], at: number) => void} Output */
/** @typedef {{take(packet: Uint8Array, at: number): void, gap(): void, stop(): void, kind: string}} OpusDecoder */

// Samples until a decoder has converged. RFC 7845 asks for 80 ms, but the energies that CELT predicts from the previous
// frame then still differ by up to 2 dB: each 20 ms halve the difference.
const PREROLL = 0.24 * OPUS_RATE;
const OVERLAP = 0.0025 * OPUS_RATE; // samples in which a piece blends into the next one
const CONTIGUOUS = 5; // milliseconds by which the times of two pieces that follow each other may differ
const SHORTEST_PIECE = 0.02 * OPUS_RATE; // shorter ones would decode little but the earlier packets
const LONGEST_PIECE = 0.1 * OPUS_RATE;
const DECODE_TIME = 60; // milliseconds before a piece should be heard at which it is decoded, complete or not

/** @implements {OpusDecoder} */
export class OggDecoder {
  kind = 'Ogg';
  /** @param {BaseAudioContext} context at 48 kHz @param {number} channels @param {Output} output */
  constructor(context, channels, output) {
    this.context = context;
    this.channels = channels;
    this.output = output;
    /** @type {Uint8Array[]} */
    this.history = []; // packets that are decoded already, the newest PREROLL samples of them
    /** @type {Uint8Array[]} */
    this.waiting = [];
    this.samples = 0; // of `waiting`
    this.at = 0; // of the first of them
    /** @type {{channels: Float32Array[], at: number}|null} */
    this.held = null; // the end of the last piece, which blends into the next one
    this.order = Promise.resolve(); // results come in the order of the packets
    this.generation = 0;
  }

  /** @param {Uint8Array} packet @param {number} at */
  take(packet, at) {
    const samples = opusSamples(packet);
    if (samples === 0) return;
    if (this.waiting.length === 0) this.at = at;
    this.waiting.push(packet);
    this.samples += samples;
    const isDue = this.samples >= SHORTEST_PIECE && this.at - performance.now() < DECODE_TIME;
    if (isDue || this.samples >= LONGEST_PIECE) this.#decode();
  }

  /** Packets are missing: all that are there are decoded and given out. */
  gap() {
    this.#decode();
    const { generation } = this;
    this.order = this.order.then(() => {
      if (generation !== this.generation || !this.held) return;
      this.output(this.held.channels, this.held.at);
      this.held = null;
    });
  }

  stop() {
    ++this.generation;
    this.waiting = [];
    this.samples = 0;
    this.history = [];
    this.held = null;
  }

  #decode() {
    if (this.waiting.length === 0) return;
    const { at, samples, generation } = this;
    const decoded = this.context.decodeAudioData(oggOpusFile([...this.history, ...this.waiting], this.channels).buffer);
    this.order = this.order.then(async () => {
      try {
        const buffer = await decoded;
        if (generation === this.generation) this.#give(buffer, samples, at);
      } catch {
        // a damaged packet: its piece is left out
      }
    });
    this.#remember();
  }

  // The last `samples` of what was decoded, which should be heard from `at` on, without the end, but after that of the
  // previous piece. The earlier packets are in both.
  /** @param {AudioBuffer} buffer
   *  @param {number} samples
   *  @param {number} at */
  #give(buffer, samples, at) {
    const all = Array.from({ length: buffer.numberOfChannels }, (_, c) => buffer.getChannelData(c));
    let { held } = this;
    if (held && Math.abs(held.at + (OVERLAP * 1000) / OPUS_RATE - at) > CONTIGUOUS) {
      this.output(held.channels, held.at);
      held = null;
    }
    const first = Math.max(0, buffer.length - samples - (held ? OVERLAP : 0));
    const end = Math.max(first, buffer.length - OVERLAP);
    const channels = all.map((decoded) => decoded.slice(first, end));
    held?.channels.forEach((before, c) => {
      const after = channels[c];
      const count = Math.min(OVERLAP, after.length);
      for (let i = 0; i < count; ++i) after[i] = before[i] + ((after[i] - before[i]) * i) / OVERLAP;
    });
    const heldAt = at + ((samples - OVERLAP) * 1000) / OPUS_RATE;
    this.held = { channels: all.map((decoded) => decoded.slice(end)), at: heldAt };
    this.output(channels, held ? held.at : at);
  }

  #remember() {
    this.history.push(...this.waiting);
    this.waiting = [];
    this.samples = 0;
    let beyond = this.history.reduce((sum, packet) => sum + opusSamples(packet), 0) - PREROLL;
    while (this.history.length > 1 && beyond >= opusSamples(this.history[0]))
      beyond -= opusSamples(/** @type {Uint8Array} */ (this.history.shift()));
  }
}

/** @implements {OpusDecoder} */
export class CodecsDecoder {
  kind = 'WebCodecs';
  /** @param {number} channels @param {Output} output @param {() => void} onFailure the browser cannot after all */
  constructor(channels, output, onFailure) {
    const config = { codec: 'opus', sampleRate: OPUS_RATE, numberOfChannels: channels };
    this.decoder = new AudioDecoder({
      output: (data) => {
        const planes = Array.from({ length: data.numberOfChannels }, (_, planeIndex) => {
          const plane = new Float32Array(data.numberOfFrames);
          data.copyTo(plane, { planeIndex, format: 'f32-planar' });
          return plane;
        });
        const at = data.timestamp / 1000;
        data.close();
        output(planes, at);
      },
      error: onFailure,
    });
    this.decoder.configure(config);
  }

  /** @param {Uint8Array} packet @param {number} at */
  take(packet, at) {
    if (this.decoder.state !== 'configured') return;
    this.decoder.decode(new EncodedAudioChunk({ type: 'key', timestamp: Math.round(at * 1000), data: packet }));
  }

  gap() {}

  stop() {
    if (this.decoder.state === 'configured') this.decoder.close();
  }
}
