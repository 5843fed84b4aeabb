// table_files.mjs — the files of tables that the page gives to the player when a stream needs them.
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../codec/compact/bitstream/tables/', import.meta.url);
/** Their kinds; player.wasm contains that of lossless streams. */
export const kinds = readdirSync(FOLDER)
  .map((name) => name.replace('.txt', ''))
  .filter((kind) => kind !== 'lossless');
/** @param {string} kind */
export const tableFile = (kind) => readFileSync(new URL(`${kind}.txt`, FOLDER));
