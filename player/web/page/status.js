// status.js — the words of the page: the state of the stream, and the table of its statistics.
// @ts-check

import { element } from './controls.js';
import { PASSWORD_WANTED } from './connection.js';

/** What a state says where the session says nothing itself.
 *  @type {Record<string, string>} */
const LINES = {
  connecting: 'Connecting …',
  waiting: 'Connected. Waiting for the first picture …',
  playing: '',
  refused: 'The server does not let this page in.',
  ended: 'The stream has ended.',
  failed: 'The connection is lost.',
};

/** @param {{state: string, line?: string, seconds?: number, after?: string}} status @returns {string} */
export function statusLine({ state, line, seconds, after }) {
  if (state === 'playing') return '';
  if (state === 'retrying') {
    const wait = Math.max(1, Math.round(seconds ?? 1));
    return `${line || LINES[after ?? 'failed']} Trying again in ${wait} second${wait === 1 ? '' : 's'}.`;
  }
  return line || LINES[state] || state;
}

/** Shows a state: in the middle while there is no picture, else at the top.
 *  @param {import('./connection.js').Message} status @param {boolean} hasPicture */
export function showStatus(status, hasPicture) {
  const line = statusLine(/** @type {any} */ (status));
  const wantsPassword = status.state === 'refused' && status.code === PASSWORD_WANTED;
  const panel = element('message');
  panel.hidden = line === '';
  panel.classList.toggle('brief', hasPicture && !wantsPassword);
  const place = element('status');
  if (place.textContent !== line) place.textContent = line;
  element('access').hidden = !wantsPassword;
  element('reconnect').hidden = !['retrying', 'refused'].includes(status.state) || wantsPassword;
  if (wantsPassword) element('password').focus();
}

const number = (/** @type {number} */ value, digits = 1) => value.toFixed(digits);
const milliseconds = (/** @type {number} */ value) => `${number(value)} ms`;
const percentiles = (/** @type {{p50: number, p95: number}} */ { p50, p95 }) => `${number(p50)} / ${number(p95)} ms`;

/** Rows of the table: name, and how the value of that key is written.
 *  @type {[key: string, name: string, write: (value: any) => string][]} */
const ROWS = [
  ['renderer', 'GPU', String],
  ['picture', 'Picture', String],
  ['format', 'Format', String],
  ['coding', 'Coding', String],
  ['fps', 'Received', (v) => `${number(v)} frames/s`],
  ['drawn_fps', 'Drawn', (v) => `${number(v)} frames/s`],
  ['bits_per_s', 'Bit rate', (v) => `${number(v / 1e6, 2)} Mbit/s`],
  ['decode_ms', 'Decoding (p50 / p95)', percentiles],
  ['upload_ms', 'Upload', milliseconds],
  ['age_ms', 'Age when drawn (p50 / p95)', percentiles],
  ['playout_ms', 'Playout delay', milliseconds],
  ['jitter_ms', 'Jitter', milliseconds],
  ['queue', 'Frames waiting', String],
  ['overtaken', 'Frames skipped', String],
  ['undecoded', 'Frames not decoded', String],
  ['helpers', 'Helper workers', String],
  ['shared', 'Frames shared with helpers', String],
  ['lost', 'Datagrams lost', String],
  ['recovered', 'Datagrams recovered', String],
  ['requested', 'Datagrams requested', String],
  ['tiles_wrong', 'Tiles damaged', String],
  ['tile_requests', 'Tiles requested', String],
  ['sound', 'Sound', String],
  ['sound_lost', 'Sound packets lost', String],
  ['seal', 'Seal', String],
];

/** @param {Record<string, unknown>} values @returns {[string, string][]} */
export function statisticsRows(values) {
  const known = ROWS.filter(([key]) => values[key] !== undefined && values[key] !== null);
  const names = new Set(['type', 'frames', 'packets', ...ROWS.map(([key]) => key)]);
  const others = Object.entries(values).filter(([key, value]) => !names.has(key) && typeof value !== 'object');
  return [
    ...known.map(([key, name, write]) => /** @type {[string, string]} */ ([name, write(values[key])])),
    ...others.map(([key, value]) => /** @type {[string, string]} */ ([key.replaceAll('_', ' '), String(value)])),
  ];
}

/** @param {Record<string, unknown>} values */
export function showStatistics(values) {
  const body = element('statistics').querySelector('tbody');
  body?.replaceChildren(
    ...statisticsRows(values).map(([name, value]) => {
      const row = document.createElement('tr');
      const head = document.createElement('th');
      head.scope = 'row';
      head.textContent = name;
      const cell = document.createElement('td');
      cell.textContent = value;
      row.append(head, cell);
      return row;
    }),
  );
}
