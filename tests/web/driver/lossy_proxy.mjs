// A TCP proxy before a server of this machine that loses WebSocket messages on their way to the browser, when it is told to.
import { once } from 'node:events';
import net from 'node:net';

const kBinary = 2;

export class LossyProxy {
  lost = 0; // messages
  #wanted = 0;
  #server;

  static async start(port) {
    const proxy = new LossyProxy();
    proxy.#server = net.createServer((browser) => proxy.#join(browser, net.connect({ host: '127.0.0.1', port })));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url() { return `http://127.0.0.1:${this.#server.address().port}/`; }
  // The next binary messages, of all connections.
  lose(messages) { this.#wanted += messages; }
  stop() { this.#server.close(); }

  #join(browser, server) {
    let waiting = Buffer.alloc(0), isWebSocket = null; // null: its first response is not complete
    browser.pipe(server);
    server.on('data', (data) => {
      if (isWebSocket === false) return browser.write(data);
      waiting = Buffer.concat([waiting, data]);
      if (isWebSocket === null) {
        const end = waiting.indexOf('\r\n\r\n');
        if (end < 0) return;
        isWebSocket = waiting.toString('latin1', 0, 12) === 'HTTP/1.1 101';
        browser.write(waiting.subarray(0, isWebSocket ? end + 4 : waiting.length));
        waiting = waiting.subarray(isWebSocket ? end + 4 : waiting.length);
      }
      for (let size; isWebSocket && (size = frameSize(waiting)) <= waiting.length; waiting = waiting.subarray(size)) {
        const isLost = (waiting[0] & 15) === kBinary && this.#wanted > 0;
        if (!isLost) browser.write(waiting.subarray(0, size));
        else --this.#wanted, ++this.lost;
      }
    });
    for (const [one, other] of [[browser, server], [server, browser]])
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
  }
}

// Of the frame that begins there, which a server sends without a mask; Infinity while that is not known.
function frameSize(bytes) {
  if (bytes.length < 2) return Infinity;
  const length = bytes[1] & 127;
  if (length < 126) return 2 + length;
  if (length === 126) return bytes.length < 4 ? Infinity : 4 + bytes.readUInt16BE(2);
  return bytes.length < 10 ? Infinity : 10 + Number(bytes.readBigUInt64BE(2));
}
