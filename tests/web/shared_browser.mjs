// The browser that all cases of a test file share, by the file's first argument (chromium or firefox), and a folder for its
// files. Both are gone when the cases have ended.
import path from 'node:path';
import { atEnd } from './cases.mjs';
import { start } from './driver/browsers.mjs';
import { temporaryFolder } from './driver/process.mjs';

export const kName = process.argv[2];
export const browser = await start(kName);
export const folder = temporaryFolder(path.basename(process.argv[1], '_test.mjs'));
atEnd(async () => {
  await browser.close();
  folder.remove();
});
