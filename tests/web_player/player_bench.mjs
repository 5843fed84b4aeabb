// player_bench.mjs PLAYER_WASM CAPTURE [ROUNDS] — as player_bench.cpp, with player.wasm.
import { readFileSync } from 'node:fs';

import { Player } from '../../player/web/page/player.js';
import { datagramsOf, messageOf } from './captures.mjs';

const [playerWasm, capture, rounds = '5'] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(playerWasm));
const datagrams = await datagramsOf(capture);
let least = Infinity;
let median = 0;
for (let round = 0; round < Number(rounds); ++round) {
  const player = new Player(module, 0, console.warn);
  for (const name of ['film', 'fine_film', 'screen', 'opaque'])
    player.give(name, readFileSync(new URL(`../../codec/compact/bitstream/tables/${name}.txt`, import.meta.url)));
  /** @type {number[]} */
  const times = [];
  const take = (/** @type {number} */ now) => {
    for (let more = true; more; ) {
      const before = performance.now();
      more = player.poll(now, now);
      const ms = performance.now() - before;
      if (player.wasm.texcast_frame(now) !== 0) times.push(ms);
    }
  };
  let now = 0;
  for (const { at, payload } of datagrams) {
    now = at;
    player.message(messageOf([payload]), now, now);
    take(now);
  }
  for (let late = 0; late < 100; ++late) take((now += 10));
  const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  if (mean >= least) continue;
  least = mean;
  median = times.sort((a, b) => a - b)[times.length >> 1];
}
console.log(`${capture}: mean ${least.toFixed(2)} ms, median ${median.toFixed(2)} ms a frame`);
