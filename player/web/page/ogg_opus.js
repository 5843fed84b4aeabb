// ogg_opus.js — makes Ogg Opus files (RFC 3533, RFC 7845) of a few Opus packets, which every browser decodes, also on
// pages without WebCodecs.
// @ts-check

const SERIAL = 1; // of the logical stream; any number
const FIRST = 2; // flags of a page: the stream begins, ends
const LAST = 4;
const LACES = 255; // the most a page has
export const OPUS_RATE = 48_000; // granule positions count samples at this rate, whatever the stream's is

// CRC-32 of Ogg: polynomial 0x04c11db7, not reflected, starting from 0.
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; ++bit) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc;
});

/** @param {Uint8Array} bytes @returns {number} */
export function oggCrc(bytes) {
  let crc = 0;
  for (const byte of bytes) crc = (crc << 8) ^ CRC_TABLE[(crc >>> 24) ^ byte];
  return crc >>> 0;
}

/** Samples at 48 kHz of a packet (RFC 6716, section 3.1); 0 if it is none.
 *  @param {Uint8Array} packet @returns {number} */
export function opusSamples(packet) {
  if (packet.length === 0) return 0;
  const config = packet[0] >> 3;
  let frame = 0;
  if (config < 12) frame = [480, 960, 1920, 2880][config & 3];
  else if (config < 16) frame = [480, 960][config & 1];
  else frame = [120, 240, 480, 960][config & 3];
  const code = packet[0] & 3;
  if (code === 0) return frame;
  if (code < 3) return 2 * frame;
  return packet.length < 2 ? 0 : (packet[1] & 63) * frame;
}

/** One page.
 *  @param {Uint8Array[]} packets that it consists of, whole @param {{flags: number, number: number,
 *  granule: number}} of
 *  @returns {Uint8Array} */
function oggPage(packets, { flags, number, granule }) {
  const laces = packets.flatMap(({ length }) => [...Array(Math.floor(length / 255)).fill(255), length % 255]);
  const body = packets.reduce((sum, { length }) => sum + length, 0);
  const page = new Uint8Array(27 + laces.length + body);
  const view = new DataView(page.buffer);
  page.set([0x4f, 0x67, 0x67, 0x53, 0, flags]); // OggS, version
  view.setUint32(6, granule % 2 ** 32, true);
  view.setUint32(10, Math.floor(granule / 2 ** 32), true);
  view.setUint32(14, SERIAL, true);
  view.setUint32(18, number, true);
  page[26] = laces.length;
  page.set(laces, 27);
  let at = 27 + laces.length;
  for (const packet of packets) {
    page.set(packet, at);
    at += packet.length;
  }
  view.setUint32(22, oggCrc(page), true); // its own field counts as 0
  return page;
}

/** @param {number} channels 1 or 2 */
function opusHead(channels) {
  const head = new Uint8Array(19);
  head.set(new TextEncoder().encode('OpusHead'));
  const view = new DataView(head.buffer);
  head[8] = 1; // version
  head[9] = channels;
  view.setUint32(12, OPUS_RATE, true);
  return head; // no samples to skip, gain 0, mapping family 0
}

function opusTags() {
  const tags = new Uint8Array(8 + 4 + 7 + 4);
  tags.set(new TextEncoder().encode('OpusTags'));
  tags[8] = 7;
  tags.set(new TextEncoder().encode('texcast'), 12);
  return tags;
}

/** An Ogg Opus file of these packets, of which a decoder gives out all samples.
 *  @param {Uint8Array[]} packets each below 65,025 bytes
 *  @param {number} channels 1 or 2
 *
 *  @returns {Uint8Array} */
export function oggOpusFile(packets, channels) {
  const pages = [
    oggPage([opusHead(channels)], { flags: FIRST, number: 0, granule: 0 }),
    oggPage([opusTags()], { flags: 0, number: 1, granule: 0 }),
  ];
  let granule = 0;
  let laces = 0;
  /** @type {Uint8Array[]} */
  let waiting = [];
  const finish = (/** @type {number} */ flags) => {
    pages.push(oggPage(waiting, { flags, number: pages.length, granule }));
    waiting = [];
    laces = 0;
  };
  for (const packet of packets) {
    const own = Math.floor(packet.length / 255) + 1;
    if (laces + own > LACES && waiting.length > 0) finish(0);
    waiting.push(packet);
    laces += own;
    granule += opusSamples(packet);
  }
  finish(LAST);
  const file = new Uint8Array(pages.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const page of pages) {
    file.set(page, at);
    at += page.length;
  }
  return file;
}
