// A viewer without a browser whose datagrams go to the player (player.wasm of the page that the server gives), so that it
// requests what it lost as a browser does. It can lose datagrams in both directions.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from './driver/process.mjs';
import { datagramsOf, messageOf, numbers, Viewer } from './viewer.mjs';

// The player of the page of a server: { module, Player }.
export async function loadPlayer(url) {
  const folder = temporaryFolder('player');
  fs.writeFileSync(path.join(folder.path, 'package.json'), '{ "type": "module" }');
  for (const file of ['player.js', 'wasi.js', 'player.wasm']) {
    const answer = await fetch(new URL(file, url));
    if (!answer.ok) throw new Error(`${url}${file}: ${answer.status}`);
    fs.writeFileSync(path.join(folder.path, file), Buffer.from(await answer.arrayBuffer()));
  }
  const { Player } = await import(pathToFileURL(path.join(folder.path, 'player.js')));
  const module = await WebAssembly.compile(fs.readFileSync(path.join(folder.path, 'player.wasm')));
  folder.remove();
  return { module, Player };
}

export class PlayerViewer {
  frames = []; // { number, at, complete, hash }: each that was due; the hash is that of the first plane's blocks
  lost = 0; // datagrams that were dropped, both ways
  #timer = null;
  #plane = null;
  #draw;

  // `loss`: 0 to 1 of the datagrams. `onFrame` is called for each frame.
  static async connect(url, { loss = 0, seed = 1, onFrame = () => {}, hello = {} } = {}) {
    const viewer = new PlayerViewer();
    viewer.url = url;
    const { module, Player } = await loadPlayer(url);
    viewer.player = new Player(module, -1, (line) => viewer.log.push(line));
    viewer.log = [];
    viewer.onFrame = onFrame;
    viewer.#draw = numbers(seed);
    viewer.loss = loss;
    viewer.viewer = await Viewer.connect(url, { hello, take: (channel, datagram) => viewer.#take(channel, datagram) });
    return viewer;
  }

  until(condition, what) { return this.viewer.until(() => condition(this), what); }
  statistics() { return this.player.statistics(performance.now(), this.#wall()); }
  leave() {
    clearTimeout(this.#timer);
    this.viewer.socket.destroy();
  }

  #wall() { return performance.timeOrigin + performance.now(); }
  #isLost() {
    const lost = this.#draw() < this.loss;
    if (lost) ++this.lost;
    return lost;
  }
  #take(channel, datagram) {
    if (this.#isLost()) return;
    this.player.message(messageOf(channel, [datagram]), performance.now(), this.#wall());
    this.#run();
  }
  #run() {
    clearTimeout(this.#timer);
    while (this.player.poll(performance.now(), this.#wall()));
    for (const name of this.player.needs()) this.#load(name);
    for (let frame; (frame = this.player.frame(performance.now(), (bytes) => new ArrayBuffer(bytes)));) this.#frame(frame);
    for (let message; (message = this.player.feedback(performance.now(), this.#wall()));) {
      const kept = datagramsOf(Buffer.from(message)).filter(() => !this.#isLost());
      if (kept.length > 0 && !this.viewer.closed) this.viewer.send(message[0], kept);
    }
    while (this.player.sound(performance.now()));
    const wait = this.player.nextDeadline() - performance.now();
    this.#timer = setTimeout(() => this.#run(), Math.min(Math.max(wait, 0), 1000));
  }
  async #load(name) {
    const answer = await fetch(new URL(`${name}.txt`, this.url));
    this.player.give(name, new Uint8Array(await answer.arrayBuffer()));
    this.#run();
  }
  #frame({ number, complete, uploads, buffer }) {
    this.description = this.player.description() ?? this.description;
    const { blocksX, blocksY, blockBytes } = this.description.planes[0];
    this.#plane ??= Buffer.alloc(blocksX * blocksY * blockBytes);
    for (const { plane, blockRow, offset, bytes } of uploads)
      if (plane === 0) this.#plane.set(new Uint8Array(buffer, offset, bytes), blockRow * blocksX * blockBytes);
    this.frames.push({ number, at: performance.now(), complete, hash: createHash('sha1').update(this.#plane).digest('hex') });
    this.onFrame(this.frames.at(-1));
  }
}
