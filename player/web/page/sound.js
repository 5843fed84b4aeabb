// sound.js — plays the stream's sound in step with the picture.
// @ts-check

import { OPUS_RATE } from './ogg_opus.js';
import { CodecsDecoder, OggDecoder } from './opus_decoders.js';
import { Timeline, decay, fadeIn, stretched } from './sound_timeline.js';

/** `at`: performance.now() at which its first sample should be heard. `buffer`: Float32 samples, one channel after the
 *  other ('pcm'), or a packet ('opus'); 'lost' and 'silent' have none.
 *  @typedef {{rate: number, channels: number, samples: number, at: number, kind: 'pcm'|'opus'|'lost'|'silent',
 *    buffer?: ArrayBuffer}} SoundUnit */
/** Plays pieces at frames of its context.
 *  @typedef {{play(channels: Float32Array[], start: number): void, stop(): void, kind: string}} Sink */

const FADE = 0.0025; // seconds in which sound rises after a gap

/** One AudioBufferSourceNode for each piece: on every page. @implements {Sink} */
export class NodeSink {
  kind = 'AudioBufferSourceNode';
  /** @param {BaseAudioContext} context @param {AudioNode} output */
  constructor(context, output) {
    this.context = context;
    this.output = output;
    /** @type {Set<AudioBufferSourceNode>} */
    this.playing = new Set();
  }
  /** @param {Float32Array[]} channels @param {number} start */
  play(channels, start) {
    const { context } = this;
    const buffer = context.createBuffer(channels.length, channels[0].length, context.sampleRate);
    channels.forEach((samples, c) => buffer.copyToChannel(/** @type {Float32Array} */ (samples), c));
    const node = context.createBufferSource();
    node.buffer = buffer;
    node.connect(this.output);
    node.onended = () => {
      node.disconnect();
      this.playing.delete(node);
    };
    this.playing.add(node);
    node.start(start / context.sampleRate);
  }
  stop() {
    for (const node of this.playing) node.stop();
  }
}

/** A processor on the audio thread: on secure pages. @implements {Sink} */
class WorkletSink {
  kind = 'AudioWorklet';
  /** @param {BaseAudioContext} context @param {AudioNode} output @param {number} channels */
  constructor(context, output, channels) {
    this.node = new AudioWorkletNode(context, 'pieces', { numberOfInputs: 0, outputChannelCount: [channels] });
    this.node.connect(output);
  }
  /** @param {Float32Array[]} channels @param {number} start */
  play(channels, start) {
    this.node.port.postMessage({ start, channels }, channels.map(({ buffer }) => buffer));
  }
  stop() {
    this.node.port.postMessage({ stop: true });
  }
}

export class Sound {
  /** @param {(blocked: boolean) => void} onBlocked: the browser plays nothing before the viewer's first gesture */
  constructor(onBlocked) {
    this.onBlocked = onBlocked;
    this.volume = 1;
    this.muted = false;
    /** @type {AudioContext|null} */
    this.context = null;
    /** @type {GainNode|null} */
    this.gain = null;
    /** @type {Sink|null} */
    this.sink = null;
    /** @type {Timeline|null} */
    this.timeline = null;
    /** @type {import('./opus_decoders.js').OpusDecoder|null} */
    this.decoder = null;
    this.canUseCodecs = 'AudioDecoder' in globalThis;
    this.rate = 0;
    this.channels = 0;
    /** @type {number|null} */
    this.offset = null; // seconds of the context's clock at performance.now() = 0
    /** @type {number[]} */
    this.last = []; // sample of each channel
    this.played = 0;
    this.leftOut = 0;
    this.gaps = 0;
  }

  /** @param {SoundUnit} unit */
  take(unit) {
    this.#prepare(unit.kind === 'opus' ? OPUS_RATE : unit.rate, unit.channels);
    if (!this.context || this.context.state !== 'running') return;
    if (unit.kind === 'opus' && unit.buffer) this.#opus().take(new Uint8Array(unit.buffer), unit.at);
    else if (unit.kind === 'pcm' && unit.buffer) this.#play(planes(unit), unit.at);
    else this.#missing(unit);
  }

  /** After a gesture of the viewer, the browser lets sound play, if the device can. */
  unlock() {
    if (this.context?.state !== 'suspended') return;
    this.context.resume();
    this.onBlocked(false);
  }

  /** @param {number} volume 0..1 */
  setVolume(volume) {
    this.volume = volume;
    this.#setGain();
  }

  /** @param {boolean} muted */
  setMuted(muted) {
    this.muted = muted;
    this.#setGain();
  }

  /** The stream has ended or the connection is lost. */
  stop() {
    this.decoder?.stop();
    this.decoder = null;
    this.sink?.stop();
    this.timeline?.stop();
    this.last = [];
  }

  /** For the table of statistics; undefined without sound. */
  summary() {
    if (!this.context) return undefined;
    if (this.context.state !== 'running') return 'not started by the browser; click, or connect an output';
    const delay = Math.round((this.timeline?.delay ?? 0) * 1000 / this.rate);
    const decoder = this.decoder ? `, Opus by ${this.decoder.kind}` : '';
    return `${this.rate / 1000} kHz, ${this.channels} channels${decoder}, ${delay} ms late, gaps: ${this.gaps}`;
  }

  statistics() {
    const { context, played, leftOut, gaps, rate, timeline } = this;
    return {
      state: context?.state ?? 'none',
      sink: this.sink?.kind,
      decoder: this.decoder?.kind,
      played,
      leftOut,
      gaps,
      delay_ms: timeline && rate ? (timeline.delay * 1000) / rate : 0,
      error_ms: timeline && rate ? (timeline.error * 1000) / rate : 0,
    };
  }

  #setGain() {
    // A curve in which equal steps sound equally large, as in the native player.
    const gain = this.muted ? 0 : this.volume ** 2;
    if (this.gain && this.context) this.gain.gain.setTargetAtTime(gain, this.context.currentTime, 0.01);
  }

  /** @param {number} rate @param {number} channels */
  #prepare(rate, channels) {
    if (this.context && rate === this.rate && channels === this.channels) return;
    this.stop();
    this.context?.close();
    this.rate = rate;
    this.channels = channels;
    this.offset = null;
    const context = new AudioContext({ sampleRate: rate, latencyHint: 'interactive' });
    this.context = context;
    this.gain = context.createGain();
    this.gain.gain.value = this.muted ? 0 : this.volume ** 2;
    this.gain.connect(context.destination);
    this.sink = new NodeSink(context, this.gain);
    this.timeline = new Timeline(rate);
    const tell = () => this.context === context && this.onBlocked(context.state !== 'running');
    context.onstatechange = tell;
    tell();
    this.#useWorklet(context, channels);
  }

  /** @param {AudioContext} context @param {number} channels */
  async #useWorklet(context, channels) {
    if (!context.audioWorklet) return;
    try {
      await context.audioWorklet.addModule(new URL('./sound_worklet.js', import.meta.url));
      if (this.context !== context || !this.gain) return;
      // Pieces that are scheduled play on; those of the worklet begin behind them.
      this.sink = new WorkletSink(context, this.gain, channels);
    } catch {
      // the nodes remain
    }
  }

  #opus() {
    if (this.decoder) return this.decoder;
    const output = (/** @type {Float32Array[]} */ channels, /** @type {number} */ at) => this.#play(channels, at);
    if (this.canUseCodecs) {
      this.decoder = new CodecsDecoder(this.channels, output, () => {
        this.canUseCodecs = false;
        this.decoder = null;
      });
    } else {
      this.decoder = new OggDecoder(/** @type {AudioContext} */ (this.context), this.channels, output);
    }
    return this.decoder;
  }

  /** @param {SoundUnit} unit that did not arrive, or is silent */
  #missing({ at, samples, rate }) {
    this.decoder?.gap();
    if (this.last.every((value) => value === 0)) return; // there is nothing to fade out
    const length = Math.max(1, Math.round((samples * this.rate) / (rate || this.rate)));
    this.#play(this.last.map((value) => decay(value, length, this.rate)), at);
  }

  /** @param {Float32Array[]} channels @param {number} at */
  #play(channels, at) {
    const { context, timeline, sink } = this;
    if (!context || !timeline || !sink || channels.length === 0 || channels[0].length === 0) return;
    const wanted = (this.#clock(context) + at / 1000) * this.rate;
    const place = timeline.place(wanted, channels[0].length, context.currentTime * this.rate);
    if (!place) {
      ++this.leftOut;
      return;
    }
    const pieces = channels.map((samples) => stretched(samples, place.length));
    if (place.afterGap) {
      if (this.played > 0) ++this.gaps;
      for (const samples of pieces) fadeIn(samples, FADE * this.rate);
    }
    this.last = pieces.map((samples) => samples[samples.length - 1]);
    ++this.played;
    sink.play(pieces, place.start);
  }

  // Seconds of the context's clock at performance.now() = 0: what is scheduled at this + t is heard at t. It is
  // averaged, as browsers give the pair of clocks in steps of their buffers.
  /** @param {AudioContext} context */
  #clock(context) {
    const pair = context.getOutputTimestamp?.();
    const measured =
      pair?.performanceTime && pair.contextTime
        ? pair.contextTime - pair.performanceTime / 1000
        : context.currentTime - (context.outputLatency || context.baseLatency || 0) - performance.now() / 1000;
    if (this.offset === null || Math.abs(measured - this.offset) > 0.1) this.offset = measured;
    else this.offset += 0.02 * (measured - this.offset);
    return this.offset;
  }
}

/** The channels of a unit, each with memory of its own.
 *  @param {SoundUnit} unit
 *  @returns {Float32Array[]} */
export function planes({ buffer, channels, samples }) {
  const all = new Float32Array(/** @type {ArrayBuffer} */ (buffer));
  return Array.from({ length: channels }, (_, c) => all.slice(c * samples, (c + 1) * samples));
}
