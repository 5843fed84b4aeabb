// wasi.js — the functions of WASI that player.wasm imports: a clock, and the text of an internal error.
// @ts-check

const SUCCESS = 0;
const BAD_FILE = 8;

/** @param {() => WebAssembly.Memory} memory of the instance
 *  @param {(line: string) => void} log takes what is written to standard output and error */
export function wasi(memory, log) {
  const view = () => new DataView(memory().buffer);
  let text = '';
  return {
    // Clock 0 counts since 1970, the others from any time.
    clock_time_get(/** @type {number} */ clock, /** @type {bigint} */ _precision, /** @type {number} */ result) {
      const ms = performance.now() + (clock === 0 ? performance.timeOrigin : 0);
      view().setBigUint64(result, BigInt(Math.round(ms * 1e6)), true);
      return SUCCESS;
    },
    fd_write(
      /** @type {number} */ _file,
      /** @type {number} */ pieces,
      /** @type {number} */ count,
      /** @type {number} */ result,
    ) {
      let written = 0;
      for (let i = 0; i < count; ++i) {
        const at = view().getUint32(pieces + 8 * i, true);
        const bytes = view().getUint32(pieces + 8 * i + 4, true);
        text += new TextDecoder().decode(new Uint8Array(memory().buffer, at, bytes));
        written += bytes;
      }
      view().setUint32(result, written, true);
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) log(line);
      return SUCCESS;
    },
    fd_close: () => BAD_FILE,
    fd_seek: () => BAD_FILE,
    environ_sizes_get(/** @type {number} */ count, /** @type {number} */ bytes) {
      view().setUint32(count, 0, true);
      view().setUint32(bytes, 0, true);
      return SUCCESS;
    },
    environ_get: () => SUCCESS,
    proc_exit(/** @type {number} */ code) {
      throw new WebAssembly.RuntimeError(`exit ${code}`);
    },
  };
}
