// web_worker.mjs — Worker of browsers for modules, by a thread of Node: it runs page/helper.js.
import { Worker as Thread, isMainThread, parentPort, workerData } from 'node:worker_threads';

export class WebWorker {
  /** @type {((event: {data: any}) => void)|null} */
  onmessage = null;
  /** @type {((event: {message: string}) => void)|null} */
  onerror = null;
  /** @param {URL} url */
  constructor(url) {
    this.thread = new Thread(new URL(import.meta.url), { workerData: { url: url.href } });
    this.thread.on('message', (data) => this.onmessage?.({ data }));
    this.thread.on('error', ({ message }) => this.onerror?.({ message }));
  }
  /** @param {any} message @param {any[]} [transfer] */
  postMessage(message, transfer) {
    this.thread.postMessage(message, transfer);
  }
  terminate() {
    this.thread.terminate();
  }
}

if (!isMainThread && workerData?.url) {
  const scope = /** @type {any} */ ({
    postMessage: (/** @type {any} */ message, /** @type {any[]} */ transfer) => parentPort?.postMessage(message, transfer),
  });
  Object.assign(globalThis, { self: scope });
  await import(workerData.url);
  parentPort?.on('message', (data) => scope.onmessage({ data }));
}
