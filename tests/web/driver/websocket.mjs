// A WebSocket client (RFC 6455) over a plain TCP connection, without extensions. Node 18 has none of its own, and tests of
// a server need one that can stop reading or send what no browser would.
import { createHash, randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import net from 'node:net';

const kContinuation = 0, kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10;
const kGuid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

// Events: 'message' (string or Buffer), 'close' ({ code, reason }; 1006 if the connection ended without a close frame).
export class WebSocket extends EventEmitter {
  bytesReceived = 0; // of the connection, after the HTTP response
  #socket;
  #waiting = Buffer.alloc(0);
  #parts = [];
  #kind = kText;
  #closed = null;

  // Resolves when the server has accepted; rejects with { status, body } in the error otherwise.
  static async connect(url, { protocol, headers = {} } = {}) {
    const { hostname, port, pathname, search } = new URL(url);
    const socket = net.connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) });
    socket.setNoDelay(true);
    await once(socket, 'connect');
    const key = randomBytes(16).toString('base64');
    const lines = { Host: `${hostname}:${port || 80}`, Upgrade: 'websocket', Connection: 'Upgrade',
      'Sec-WebSocket-Key': key, 'Sec-WebSocket-Version': '13', ...(protocol && { 'Sec-WebSocket-Protocol': protocol }),
      ...headers };
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\n` +
      Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`).join('') + '\r\n');
    const { head, rest } = await response(socket);
    const status = Number(head.split(' ')[1]);
    const accept = /^sec-websocket-accept: *(\S+)/im.exec(head)?.[1];
    if (status !== 101 || accept !== createHash('sha1').update(key + kGuid).digest('base64')) {
      socket.destroy();
      throw Object.assign(new Error(`${url}: no WebSocket: ${head.split('\r\n')[0]}`), { status, body: rest.toString() });
    }
    return new WebSocket(socket, rest);
  }

  constructor(socket, rest) {
    super();
    this.#socket = socket;
    socket.on('data', (data) => this.#received(data));
    socket.on('error', () => {});
    socket.on('close', () => this.#ended({ code: 1006, reason: '' }));
    if (rest.length > 0) setImmediate(() => this.#received(rest));
  }

  get socket() { return this.#socket; }
  get closed() { return this.#closed; }

  send(message) {
    this.#frame(typeof message === 'string' ? kText : kBinary, Buffer.from(message));
  }
  // Without waiting for the server's close frame.
  close(code = 1000) {
    if (!this.#closed) this.#frame(kClose, Buffer.from([code >> 8, code & 255]));
    this.#socket.end();
  }
  destroy() { this.#socket.destroy(); }

  #frame(opcode, payload) {
    const length = payload.length;
    const size = length < 126 ? 0 : length < 65536 ? 2 : 8;
    const head = Buffer.alloc(2 + size + 4);
    head[0] = 0x80 | opcode;
    head[1] = 0x80 | (size === 0 ? length : size === 2 ? 126 : 127);
    if (size === 2) head.writeUInt16BE(length, 2);
    if (size === 8) head.writeBigUInt64BE(BigInt(length), 2);
    const mask = randomBytes(4);
    mask.copy(head, 2 + size);
    const masked = Buffer.from(payload);
    for (let i = 0; i < length; ++i) masked[i] ^= mask[i & 3];
    this.#socket.write(Buffer.concat([head, masked]));
  }

  #received(data) {
    this.bytesReceived += data.length;
    let buffer = this.#waiting.length > 0 ? Buffer.concat([this.#waiting, data]) : data;
    for (;;) {
      if (buffer.length < 2) break;
      let length = buffer[1] & 127, at = 2;
      if (length === 126) {
        if (buffer.length < 4) break;
        length = buffer.readUInt16BE(2), at = 4;
      } else if (length === 127) {
        if (buffer.length < 10) break;
        length = Number(buffer.readBigUInt64BE(2)), at = 10;
      }
      if (buffer.length < at + length) break;
      this.#take(buffer[0], buffer.subarray(at, at + length));
      buffer = buffer.subarray(at + length);
    }
    this.#waiting = Buffer.from(buffer); // a copy, so that the rest of the data can be freed
  }

  #take(first, payload) {
    const opcode = first & 15;
    if (opcode === kPing) return this.#frame(kPong, payload);
    if (opcode === kPong) return;
    if (opcode === kClose) {
      const code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
      this.#ended({ code, reason: payload.subarray(2).toString() });
      return this.#socket.end();
    }
    if (opcode !== kContinuation) {
      this.#kind = opcode;
      this.#parts = [];
    }
    this.#parts.push(payload);
    if (!(first & 0x80)) return;
    const whole = this.#parts.length === 1 ? payload : Buffer.concat(this.#parts);
    this.#parts = [];
    this.emit('message', this.#kind === kText ? whole.toString() : whole);
  }

  #ended(how) {
    if (this.#closed) return;
    this.#closed = how;
    this.emit('close', how);
  }
}

async function response(socket) {
  let data = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const done = (settle, value) => {
      socket.off('data', take).off('error', failed).off('close', ended);
      settle(value);
    };
    const take = (more) => {
      data = Buffer.concat([data, more]);
      const end = data.indexOf('\r\n\r\n');
      if (end >= 0) done(resolve, { head: data.toString('latin1', 0, end), rest: data.subarray(end + 4) });
    };
    const failed = (error) => done(reject, error);
    const ended = () => done(reject, new Error('the server closed the connection before its response'));
    socket.on('data', take).on('error', failed).on('close', ended);
  });
}
