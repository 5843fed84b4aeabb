// captures.mjs — datagrams of pcap files (little-endian, microseconds or nanoseconds, Ethernet, raw IP or cooked), as
// messages of the web player, and the textures that a player makes of them.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { tableFile } from './table_files.mjs';

const CHANNEL_PICTURE = 0;
const CHANNEL_SOUND = 1;

/** @typedef {{at: number, port: number, payload: Buffer}} Datagram milliseconds */

/** @param {string} path @returns {Promise<Datagram[]>} UDP over IPv4 */
export async function datagramsOf(path) {
  const file = await readFile(path);
  const magic = file.readUInt32LE(0);
  const perSecond = magic === 0xa1b23c4d ? 1e9 : 1e6;
  if (magic !== 0xa1b23c4d && magic !== 0xa1b2c3d4) throw new Error(`${path} is no capture of this byte order`);
  const link = { 1: 14, 101: 0, 113: 16, 228: 0 }[file.readUInt32LE(20)];
  if (link === undefined) throw new Error(`${path} has an unknown link type`);
  const datagrams = [];
  for (let at = 24; at + 16 <= file.length; ) {
    const time = file.readUInt32LE(at) * 1e3 + (file.readUInt32LE(at + 4) * 1e3) / perSecond;
    const bytes = file.readUInt32LE(at + 8);
    const packet = file.subarray(at + 16, at + 16 + bytes);
    at += 16 + bytes;
    const ip = packet.subarray(link);
    if (ip[0] >> 4 !== 4 || ip[9] !== 17) continue;
    const udp = ip.subarray(4 * (ip[0] & 15));
    datagrams.push({ at: time, port: udp.readUInt16BE(2), payload: udp.subarray(8, udp.readUInt16BE(4)) });
  }
  return datagrams;
}

/** A message with these datagrams. @param {Buffer[]} datagrams @param {number} [channel] */
export function messageOf(datagrams, channel = CHANNEL_PICTURE) {
  const parts = [Buffer.from([channel])];
  for (const datagram of datagrams) {
    const length = Buffer.alloc(2);
    length.writeUInt16LE(datagram.length);
    parts.push(length, datagram);
  }
  return Buffer.concat(parts);
}

/** Shares a frame with helpers, and gives the player their answers, the last helper's first.
 *  @param {any} player after poll()
 *  @param {((share: Uint8Array) => Uint8Array|null)[]} helpers null: no answer comes
 *
 *  @returns {number} of helpers that had a share */
export function shareFrame(player, helpers) {
  const shares = helpers.map((_, i) => player.share(i));
  player.ownShare();
  for (let i = helpers.length - 1; i >= 0; --i) {
    if (!shares[i]) continue;
    const answer = helpers[i](shares[i]);
    if (answer) player.answer(i, answer);
    else player.loseHelper(i);
  }
  return shares.filter((share) => share).length;
}

/** Plays a capture at the times of its packets, and gives the hash of each frame's texture as a page has it after its
 *  uploads. Each frame is shown when it is complete (latency 0).
 *  @param {any} player of page/player.js @param {Datagram[]} datagrams
 *  @param {(frame: any, texture: Buffer, description: any) => void} [onFrame]
 *  @param {any[]} [instances] further players that help
 *  @param {(share: Uint8Array, helper: any) => Uint8Array|null} [help] what such a helper answers; null: nothing */
export function play(player, datagrams, onFrame = () => {}, instances = [], help = (share, helper) => helper.help(share)) {
  const port = datagrams[0].port;
  /** @type {{number: number, complete: boolean, sha256: string}[]} */
  const frames = [];
  const begin = datagrams[0].at;
  let texture = Buffer.alloc(0);
  /** @type {any} */
  let description = null;
  const feedback = [];
  const sounds = [];
  /** @type {string[]} */
  const needed = []; // files of tables
  let shares = 0;
  const helpers = instances.map((instance) => (/** @type {Uint8Array} */ share) => help(share, instance));
  for (const _ of helpers) player.addHelper(1);
  const step = (/** @type {number} */ at) => {
    const now = at - begin + 1000;
    let more = true;
    while (more) {
      more = player.poll(now, at);
      const shared = shareFrame(player, helpers);
      shares += shared;
      more ||= shared > 0;
      for (const kind of player.needs()) {
        const file = tableFile(kind);
        for (const each of [player, ...instances]) each.give(kind, file);
        needed.push(kind);
        more = true;
      }
      const frame = player.frame(now, (/** @type {number} */ bytes) => new ArrayBuffer(bytes));
      if (!frame) continue;
      const next = player.description();
      if (next) {
        description = next;
        const last = description.planes.at(-1);
        texture = Buffer.alloc(last.offset + last.blocksX * last.blocksY * last.blockBytes);
      }
      for (const { plane, blockRow, blockRows, offset, bytes } of frame.uploads) {
        const layout = description.planes[plane];
        const rowBytes = layout.blocksX * layout.blockBytes;
        if (bytes !== blockRows * rowBytes) throw new Error('an upload has another size than its rows');
        Buffer.from(frame.buffer, offset, bytes).copy(texture, layout.offset + blockRow * rowBytes);
      }
      const sha256 = createHash('sha256').update(texture).digest('hex');
      frames.push({ number: frame.number, complete: frame.complete, sha256 });
      onFrame(frame, texture, description);
    }
    for (let message = player.feedback(now); message; message = player.feedback(now)) feedback.push(message);
    for (let sound = player.sound(now); sound; sound = player.sound(now)) sounds.push(sound);
  };
  for (const { at, port: to, payload } of datagrams) {
    const now = at - begin + 1000;
    player.message(messageOf([payload], to === port ? CHANNEL_PICTURE : CHANNEL_SOUND), now, at);
    step(at);
  }
  // The session gives up what is missing at the end.
  const end = datagrams[datagrams.length - 1].at;
  for (let late = 10; late <= 10_000; late += 10) step(end + late);
  return { frames, description, feedback, sounds, shares, needed };
}
