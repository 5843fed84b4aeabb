// A viewer without a browser: speaks the protocol of docs/web.md, and counts what it gets. A machine runs hundreds of them.
import { WebSocket } from './driver/websocket.mjs';

const kAllFamilies = ['s3tc', 'rgtc', 'bptc', 'etc2', 'astc'];

// The datagrams of a binary message, or null if it is malformed.
export function datagramsOf(message) {
  const datagrams = [];
  for (let at = 1; at < message.length;) {
    if (at + 2 > message.length) return null;
    const length = message.readUInt16LE(at);
    if (length === 0 || at + 2 + length > message.length) return null;
    datagrams.push(message.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return datagrams;
}
export function messageOf(channel, datagrams) {
  const parts = [Buffer.from([channel])];
  for (const datagram of datagrams) parts.push(Buffer.from([datagram.length & 255, datagram.length >> 8]), datagram);
  return Buffer.concat(parts);
}

export class Viewer {
  welcome = null;
  refused = null; // { code, message }
  ended = null;
  closed = null; // { code, reason } of the connection
  messages = 0;
  bytes = 0; // of the datagrams
  datagrams = [0, 0]; // picture, sound
  malformed = 0;
  #waiters = new Set();
  #taker = null;

  // `url`: that of the page. `hello`: members of the first message; null: none is sent. `take(channel, datagram)` gets the
  // datagrams.
  static async connect(url, { hello = {}, headers = {}, take = null } = {}) {
    const { host } = new URL(url);
    const socket = await WebSocket.connect(`ws://${host}/stream`,
      { protocol: 'texcast.1', headers: { Origin: `http://${host}`, ...headers } });
    return new Viewer(socket, hello, take);
  }

  constructor(socket, hello, take) {
    this.socket = socket;
    this.#taker = take;
    socket.on('message', (message) => this.#received(message)).on('close', (how) => {
      this.closed = how;
      this.#wake();
    });
    if (hello) socket.send(JSON.stringify({ type: 'hello', takes: kAllFamilies, ...hello }));
  }

  // Feedback to the sender.
  send(channel, datagrams) { this.socket.send(messageOf(channel, datagrams)); }
  // Nothing is read from the connection until it is resumed, so that it backs up.
  stopReading() { this.socket.socket.pause(); }
  resumeReading() { this.socket.socket.resume(); }
  leave() { this.socket.close(); }

  // Resolves with the value of the condition, which is checked with every message, once it is true.
  until(condition, what, patienceMs = 180_000) {
    return new Promise((resolve, reject) => {
      const check = () => {
        const value = condition(this);
        if (!value) return;
        clearTimeout(timer);
        this.#waiters.delete(check);
        resolve(value);
      };
      const timer = setTimeout(() => {
        this.#waiters.delete(check);
        reject(new Error(`timeout: a viewer waited for ${what ?? condition}: ${this}`));
      }, patienceMs);
      this.#waiters.add(check);
      check();
    });
  }

  toString() {
    const { welcome, refused, ended, closed, messages, bytes, datagrams, malformed } = this;
    return JSON.stringify({ welcome, refused, ended, closed, messages, bytes, datagrams, malformed });
  }

  #wake() {
    for (const check of [...this.#waiters]) check();
  }
  #received(message) {
    if (typeof message === 'string') {
      const value = JSON.parse(message);
      if (value.type === 'welcome' || value.type === 'changed') this.welcome = value;
      else if (value.type === 'refused') this.refused = value;
      else if (value.type === 'ended') this.ended = value;
    } else {
      ++this.messages;
      const datagrams = datagramsOf(message);
      if (!datagrams) ++this.malformed;
      for (const datagram of datagrams ?? []) {
        if (message[0] < 2) ++this.datagrams[message[0]];
        this.bytes += datagram.length;
        this.#taker?.(message[0], datagram);
      }
    }
    this.#wake();
  }
}

// Numbers between 0 and 1 that are the same in every run (mulberry32).
export function numbers(seed) {
  return () => {
    seed = (seed + 0x6D2B79F5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
