// opus_decoders.js — decodes Opus packets by what the browser has: WebCodecs on secure pages, else decodeAudioData of
// small Ogg files, each of which begins with earlier packets that are decoded and dropped, so that pieces join.
// @ts-check

import { OPUS_RATE, oggOpusFile, opusSamples } from './ogg_opus.js';

/** `at`: performance.now() at which the first sample should be heard.
 *  @typedef {(channels: Float32Array[], at: number) => void} Output */
/** @typedef {{take(packet: Uint8Array, at: number): void, gap(): void, stop(): void, kind: string}} OpusDecoder */

const PREROLL = 0.08 * OPUS_RATE; // samples until a decoder has converged (RFC 7845, section 4.6)
const LONGEST_PIECE = 0.1 * OPUS_RATE;
const DECODE_TIME = 40; // milliseconds before a piece should be heard at which it is decoded, complete or not

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
    if (this.samples >= LONGEST_PIECE || this.at - performance.now() < DECODE_TIME) this.gap();
  }

  /** Packets are missing: decodes those that are there. */
  gap() {
    if (this.waiting.length === 0) return;
    const { at, samples, generation } = this;
    const file = oggOpusFile([...this.history, ...this.waiting], this.channels, this.#historySamples());
    const decoded = this.context.decodeAudioData(file.buffer);
    this.order = this.order.then(async () => {
      try {
        const buffer = await decoded;
        if (generation !== this.generation) return;
        // The last of them, since browsers differ in whether they leave out the samples that the file says.
        const channels = Array.from({ length: buffer.numberOfChannels }, (_, c) =>
          buffer.getChannelData(c).slice(Math.max(0, buffer.length - samples)),
        );
        this.output(channels, at);
      } catch {
        // a damaged packet: its piece is left out
      }
    });
    this.#remember();
  }

  stop() {
    ++this.generation;
    this.waiting = [];
    this.samples = 0;
    this.history = [];
  }

  #historySamples() {
    return this.history.reduce((sum, packet) => sum + opusSamples(packet), 0);
  }

  #remember() {
    this.history.push(...this.waiting);
    this.waiting = [];
    this.samples = 0;
    let beyond = this.#historySamples() - PREROLL;
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
