#!/usr/bin/env node
// look.mjs chromium|firefox URL [option]…: opens a page, and says what it shows. By hand.
//   --size 1280x800   of the page                         --phone             360x800, three device pixels each, touch
//   --until JS        waits until this is true in it      --evaluate JS       prints its value
//   --press KEY       presses a key (several times)       --click SELECTOR    clicks
//   --screenshot FILE.png                                 --seconds S         stays that long before the picture
//   --flag FLAG       of chromium (--flag=--disable-3d-apis)
// The options of what is done (--until --evaluate --press --click --screenshot --seconds) are done in their order. The
// console's messages come last.
import { kTelephone, start } from './driver/browsers.mjs';

const [name, url, ...options] = process.argv.slice(2);
if (!url) {
  console.error('usage: look.mjs chromium|firefox URL [--size WxH] [--phone] [--until JS] [--evaluate JS] [--press KEY] [--click SELECTOR] [--screenshot FILE.png] [--seconds S] [--flag=FLAG]');
  process.exit(2);
}
const steps = [], flags = [];
let size;
for (let i = 0; i < options.length; ++i) {
  const [, option, given] = /^(--[a-z]+)(?:=(.*))?$/s.exec(options[i]) ?? [null, options[i]];
  const value = () => given ?? options[++i];
  if (option === '--phone') size = kTelephone;
  else if (option === '--size') size = Object.fromEntries(value().split('x').map((n, at) => [['width', 'height'][at], Number(n)]));
  else if (option === '--flag') flags.push(value());
  else steps.push([option, value()]);
}
const browser = await start(name, { flags });
const page = await browser.page();
try {
  if (size) await page.size(size);
  await page.open(url);
  const doing = {
    '--until': (js) => page.until(`() => (${js})`),
    '--evaluate': async (js) => console.log(JSON.stringify(await page.evaluateText(js), null, 1)),
    '--press': (key) => page.press(key),
    '--click': (selector) => page.click(selector),
    '--screenshot': (file) => page.screenshot(file),
    '--seconds': (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds)),
  };
  for (const [option, value] of steps) {
    if (!doing[option]) throw new Error(`unknown option ${option}`);
    await doing[option](value);
  }
} finally {
  console.log(page.story());
  await browser.close();
}
