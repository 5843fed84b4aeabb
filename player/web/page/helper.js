// helper.js — a worker of session.js (helpers.js), with an instance of player.wasm that decodes parts of its large frames.
//
// From session.js:
//   start   module: player.wasm, compiled
//   give    name, file: a file that the stream needs
//   share   buffer: of a frame (slice_shares.h)
// To it:
//   ready
//   answer  buffer; without one the share was malformed. An instance that trapped answers no more.
// @ts-check

import { Player } from './player.js';

/** @type {any} */
const session = self;
/** @type {Player|null} */
let player = null;

session.onmessage = (/** @type {MessageEvent} */ { data }) => {
  switch (data.type) {
    case 'start':
      player = new Player(data.module, -1, (line) => console.warn(line));
      session.postMessage({ type: 'ready' });
      break;
    case 'give':
      player?.give(data.name, data.file);
      break;
    case 'share': {
      const buffer = player?.help(new Uint8Array(data.buffer))?.buffer;
      session.postMessage({ type: 'answer', buffer }, buffer ? [buffer] : []);
      break;
    }
  }
};
