// player.js — player.wasm as an object (web_player_api.h documents its functions). Times are milliseconds of
// performance.now() of the page, `wall` those since 1970. A function that throws WebAssembly.RuntimeError leaves the
// instance unusable.
// @ts-check

import { wasi } from './wasi.js';

/** @typedef {{plane: number, blockRow: number, blockRows: number, offset: number, bytes: number}} Upload */
/** @typedef {{number: number, due: number, available: number, complete: boolean, uploads: Upload[],
 *    buffer: ArrayBuffer}} Frame */
/** @typedef {{kind: 'pcm'|'opus'|'lost'|'silent', rate: number, channels: number, samples: number, at: number,
 *    buffer?: ArrayBuffer}} Sound */
/** @typedef {{x: number, y: number, visible: boolean, hotX: number, hotY: number, width: number, height: number,
 *    rgba?: Uint8Array}} PointerState */

const SOUND_KINDS = /** @type {const} */ (['pcm', 'opus', 'lost', 'silent']);
const UPLOAD_NUMBERS = 5;
const FRAME_NUMBERS = 5;

export class Player {
  /** @param {WebAssembly.Module} module
   *  @param {number} latency playout delay; negative: automatic
   *  @param {(line: string) => void} log */
  constructor(module, latency, log) {
    /** @type {any} */
    let exports;
    const imports = { wasi_snapshot_preview1: wasi(() => exports.memory, log) };
    exports = new WebAssembly.Instance(module, imports).exports;
    this.wasm = exports;
    exports._initialize();
    exports.texcast_start(latency, crypto.getRandomValues(new Uint32Array(1))[0]);
  }

  /** @param {Uint8Array} message of the WebSocket @param {number} now @param {number} wall */
  message(message, now, wall) {
    this.#put(message);
    this.wasm.texcast_message(message.length, now, wall);
  }

  /** Decodes at most one frame. True: more wait. @param {number} now @param {number} wall */
  poll(now, wall) {
    return this.wasm.texcast_poll(now, wall) !== 0;
  }

  /** The time to decode the largest frame so far: about that for so many coded bytes. */
  largestFrame() {
    return /** @type {number} */ (this.wasm.texcast_largest_frame());
  }

  /** Another instance decodes parts of large frames. After each poll(): each helper gets its share(), then ownShare().
   *  @param {number} leastShare it gets no share that takes less time than so many coded bytes
   *
   *  @returns {number} the helper's */
  addHelper(leastShare) {
    return this.wasm.texcast_add_helper(leastShare);
  }

  /** It does not answer any more. @param {number} helper */
  loseHelper(helper) {
    this.wasm.texcast_lose_helper(helper);
  }

  /** A helper's part of a frame, for its help(). @param {number} helper
   *
   *  @returns {Uint8Array<ArrayBuffer>|null} */
  share(helper) {
    return this.#bytes(this.wasm.texcast_share(helper));
  }

  ownShare() {
    this.wasm.texcast_own_share();
  }

  /** What help() of a helper returned. @param {number} helper @param {Uint8Array} answer */
  answer(helper, answer) {
    this.#put(answer);
    this.wasm.texcast_answer(helper, answer.length);
  }

  /** As a helper of another instance. @param {Uint8Array} share
   *
   *  @returns {Uint8Array<ArrayBuffer>|null} the answer; null: the share is malformed */
  help(share) {
    this.#put(share);
    return this.#bytes(this.wasm.texcast_help(share.length));
  }

  /** When to call poll() and frame() even if no message arrives; Infinity: there is no such time. */
  nextDeadline() {
    return /** @type {number} */ (this.wasm.texcast_next_deadline());
  }

  /** The newest frame that is due, with what changed since the one before.
   *  @param {number} now @param {(bytes: number) => ArrayBuffer} bufferOf at least that size
   *
   *  @returns {Frame|null} */
  frame(now, bufferOf) {
    const at = this.wasm.texcast_frame(now);
    if (at === 0) return null;
    const [number, due, available, complete, count] = this.#numbers(at, FRAME_NUMBERS);
    const listed = this.#numbers(at + 8 * FRAME_NUMBERS, UPLOAD_NUMBERS * count);
    let total = 0;
    for (let i = 0; i < count; ++i) total += listed[UPLOAD_NUMBERS * i + 4];
    const buffer = bufferOf(total);
    /** @type {Upload[]} */
    const uploads = [];
    let offset = 0;
    for (let i = 0; i < count; ++i) {
      const [plane, blockRow, blockRows, address, bytes] = listed.slice(UPLOAD_NUMBERS * i);
      new Uint8Array(buffer, offset, bytes).set(new Uint8Array(this.wasm.memory.buffer, address, bytes));
      uploads.push({ plane, blockRow, blockRows, offset, bytes });
      offset += bytes;
    }
    return { number, due, available, complete: complete === 1, uploads, buffer };
  }

  /** The next frame will have all rows. */
  whole() {
    this.wasm.texcast_whole();
  }

  /** A frame was drawn. @param {number} number @param {number} at */
  shown(number, at) {
    this.wasm.texcast_shown(number, at);
  }

  /** The description of the frame that frame() returned last, once for each stream (stream_description.h). */
  description() {
    const text = this.#text(this.wasm.texcast_description());
    return text === null ? null : JSON.parse(text);
  }

  /** @param {number} now @returns {Sound|null} */
  sound(now) {
    const list = this.wasm.texcast_sound(now);
    if (list === 0) return null;
    const [kind, rate, channels, samples, at, address, bytes] = this.#numbers(list, 7);
    const buffer = bytes > 0 ? this.wasm.memory.buffer.slice(address, address + bytes) : undefined;
    return { kind: SOUND_KINDS[kind], rate, channels, samples, at, buffer };
  }

  /** The pointer if it has changed; `rgba`, premultiplied, if its image has. @returns {PointerState|null} */
  pointer() {
    const at = this.wasm.texcast_pointer();
    if (at === 0) return null;
    const [x, y, visible, hotX, hotY, width, height, image] = this.#numbers(at, 8);
    const texels = image === 0 ? undefined : new Uint8Array(this.wasm.memory.buffer, image, 4 * width * height).slice();
    return { x, y, visible: visible === 1, hotX, hotY, width, height, rgba: texels };
  }

  /** A message for the server, until there is none. @param {number} now
   *
   *  @returns {Uint8Array|null} */
  feedback(now) {
    return this.#bytes(this.wasm.texcast_feedback(now));
  }

  /** The last message for the server. @param {number} now @returns {Uint8Array|null} */
  goodbye(now) {
    return this.#bytes(this.wasm.texcast_goodbye(now));
  }

  /** Files that the stream needs (NAME.txt of the page), each once. Frames wait until give() gets them.
   *  @returns {string[]} */
  needs() {
    return this.#text(this.wasm.texcast_needs())?.split(' ') ?? [];
  }

  /** @param {string} name @param {Uint8Array} file */
  give(name, file) {
    const head = new TextEncoder().encode(`${name}\n`);
    const at = this.wasm.texcast_message_memory(head.length + file.length);
    const memory = new Uint8Array(this.wasm.memory.buffer, at, head.length + file.length);
    memory.set(head);
    memory.set(file, head.length);
    this.wasm.texcast_give(memory.length);
  }

  /** A line for the viewer, once. */
  line() {
    return this.#text(this.wasm.texcast_line());
  }

  /** About the time since the last call. @param {number} now @param {number} wall */
  statistics(now, wall) {
    return JSON.parse(this.#text(this.wasm.texcast_statistics(now, wall)) ?? '{}');
  }

  /** Into the memory of a message. @param {Uint8Array} message */
  #put(message) {
    const at = this.wasm.texcast_message_memory(message.length);
    new Uint8Array(this.wasm.memory.buffer, at, message.length).set(message);
  }

  /** @param {number} at @returns {Uint8Array<ArrayBuffer>|null} */
  #bytes(at) {
    return at === 0 ? null : new Uint8Array(this.wasm.memory.buffer, at, this.wasm.texcast_bytes()).slice();
  }

  /** @param {number} at @param {number} count */
  #numbers(at, count) {
    return new Float64Array(this.wasm.memory.buffer, at, count).slice();
  }

  /** @param {number} at @returns {string|null} */
  #text(at) {
    if (at === 0) return null;
    return new TextDecoder().decode(new Uint8Array(this.wasm.memory.buffer, at, this.wasm.texcast_bytes()));
  }
}
