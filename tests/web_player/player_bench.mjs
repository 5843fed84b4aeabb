// player_bench.mjs PLAYER_WASM CAPTURE [ROUNDS [HELPERS]] — as player_bench.cpp, with player.wasm. With HELPERS, large frames
// are shared with that many threads; the times are those from poll() to the last answer.
import { readFileSync } from 'node:fs';

import { Helpers } from '../../player/web/page/helpers.js';
import { Player } from '../../player/web/page/player.js';
import { datagramsOf, messageOf } from './captures.mjs';
import { kinds, tableFile } from './table_files.mjs';
import { WebWorker } from './web_worker.mjs';

const [playerWasm, capture, rounds = '5', threads = '0'] = process.argv.slice(2);
Object.assign(globalThis, { Worker: WebWorker });
Object.defineProperty(globalThis, 'navigator', { value: { hardwareConcurrency: 2 + Number(threads) }, configurable: true });
const module = new WebAssembly.Module(readFileSync(playerWasm));
const datagrams = await datagramsOf(capture);
let least = Infinity;
let median = 0;
for (let round = 0; round < Number(rounds); ++round) {
  const player = new Player(module, 0, console.warn);
  /** @type {() => void} */
  let wake = () => {};
  const helpers = new Helpers(module, player, (call) => {
    call(player);
    wake();
  });
  for (const kind of kinds) {
    const file = tableFile(kind);
    player.give(kind, file);
    helpers.give(kind, file);
  }
  if (Number(threads) > 0) helpers.start();
  const isBusy = () => [...helpers.all].some(({ timer }) => timer !== undefined);
  const isReady = () => [...helpers.all].every(({ number }) => number >= 0);
  while (!isReady()) await new Promise((resolve) => (wake = () => resolve(undefined)));
  /** @type {number[]} */
  const times = [];
  const take = async (/** @type {number} */ now) => {
    for (let more = true; more; ) {
      const before = performance.now();
      more = player.poll(now, now);
      for (helpers.share(); isBusy(); ) await new Promise((resolve) => (wake = () => resolve(undefined)));
      const ms = performance.now() - before;
      if (player.wasm.texcast_frame(now) !== 0) times.push(ms);
    }
  };
  let now = 0;
  for (const { at, payload } of datagrams) {
    now = at;
    player.message(messageOf([payload]), now, now);
    await take(now);
  }
  for (let late = 0; late < 100; ++late) await take((now += 10));
  helpers.close();
  const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  if (mean >= least) continue;
  least = mean;
  median = times.sort((a, b) => a - b)[times.length >> 1];
}
const by = Number(threads) > 0 ? ` with ${threads} helpers` : '';
console.log(`${capture}: mean ${least.toFixed(2)} ms, median ${median.toFixed(2)} ms a frame${by}`);
