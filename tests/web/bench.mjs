#!/usr/bin/env node
// bench.mjs [--browser chromium|firefox] [--seconds S] [--strip PROGRAM] [--shot FILE.png] [--latency MS] [--input INPUT] [--send OPTIONS] [--flags FLAGS] NAME:
// sends the desktop of DISPLAY, or INPUT, to a browser on this machine for S seconds (default 10), and prints a row with the NAME:
//   browser; picture and format; frames shown a second
//   age, ms, p50 / p95: from the drawing of a time on the desktop (PROGRAM: tests/web/time-strip) to the browser's drawing of it
//   (how many of the samples could be read); the same by the page's own statistics; its decoding, ms
//   Mbit/s; processor seconds a second of the sender, and of all processes of the browser
// FLAGS are further ones of Chromium: '!--use-angle=swiftshader --use-angle=gl-egl' draws with Mesa. By hand:
//
//   ninja -C build/release time-strip
//   TEXCAST_PROGRAM=$PWD/build/release/tools/texcast tests/tools/desktop-scenes build/release/tools/texcast --size 1280x720 \
//     --run 'tests/web/bench.mjs --browser chromium --strip build/release/tests/web/time-strip'
import { start } from './driver/browsers.mjs';
import { Program } from './driver/process.mjs';
import { family, percentile, processorSeconds } from './machine.mjs';
import { WebSender } from './texcast.mjs';
import { ageOf, timeCode } from './time_code.mjs';

const kCell = 8; // pixels of a cell of the time
const options = { browser: 'chromium', seconds: '10', strip: '', shot: '', latency: '', input: 'screen', send: '', flags: '' };
let name = '';
for (let i = 2; i < process.argv.length; ++i) {
  const option = process.argv[i].replace(/^--/, '');
  if (option !== process.argv[i] && option in options) options[option] = process.argv[++i];
  else name = process.argv[i];
}
const seconds = Number(options.seconds);

// In the page: waits for frames, and keeps a strip of the picture four times a second.
async function watch(seconds, cell) {
  const now = () => performance.timeOrigin + performance.now();
  const end = now() + 1000 * seconds, samples = [], statistics = [];
  const { width } = window.texcast.description;
  let frames = 0, number = window.texcast.shownNumber, lastSample = 0, lastStatistics = null;
  const begun = now();
  while (now() < end) {
    const shown = await Promise.race([window.texcast.waitForFrame(number + 1), new Promise((done) => setTimeout(done, 1000, -1))]);
    if (shown < 0) continue;
    number = shown;
    ++frames;
    const at = now();
    if (at - lastSample > 250) {
      lastSample = at;
      const pixels = window.texcast.readPixels(cell);
      const strip = [];
      for (let y = 0; y < cell; ++y) strip.push(...pixels.subarray(4 * width * y, 4 * (width * y + 64 * cell)));
      samples.push({ at, strip });
    }
    if (window.texcast.statistics !== lastStatistics) statistics.push((lastStatistics = window.texcast.statistics));
  }
  return { frames, seconds: (now() - begun) / 1000, samples, statistics };
}

const sender = await WebSender.start('send', options.input, 'web://127.0.0.1:0', '--audio', 'none', ...options.send.split(' ').filter(Boolean));
const strip = options.strip ? new Program(options.strip, ['0', '0', String(kCell), '60']) : null;
const browser = await start(options.browser, options.flags ? { flags: options.flags.split(' ') } : {});
try {
  const page = await browser.page();
  await page.open(sender.url + (options.latency ? `#latency=${options.latency}` : ''));
  await page.until(() => window.texcast.state === 'playing' && window.texcast.shownNumber > 30);
  const of = { sender: family(sender.program.pid), browser: family(browser.pid) };
  const spent = () => ({ sender: processorSeconds(of.sender), browser: processorSeconds(of.browser) });
  const before = spent();
  const { frames, seconds: took, samples, statistics } = await page.evaluate(watch, seconds, kCell);
  const after = spent();
  if (options.shot) await page.screenshot(options.shot);
  const ages = samples.map(({ at, strip }) => [at, timeCode(strip, 64 * kCell, { cell: kCell })])
    .filter(([, code]) => code !== null).map(([at, code]) => ageOf(code, at));
  const mean = (key) => statistics.reduce((sum, one) => sum + (one[key] ?? 0), 0) / Math.max(1, statistics.length);
  const pair = (of) => (of ? `${of.p50.toFixed(1)} / ${of.p95.toFixed(1)}` : '–');
  const { width, height, format } = await page.evaluate(() => window.texcast.description);
  console.log(`| ${name} | ${options.browser} | ${width}x${height} ${format} | ${(frames / took).toFixed(1)} | ` +
    `${ages.length ? `${percentile(ages, 0.5).toFixed(0)} / ${percentile(ages, 0.95).toFixed(0)}` : '–'} (${ages.length} of ${samples.length}) | ` +
    `${pair(statistics.at(-1)?.age_ms)} | ${pair(statistics.at(-1)?.decode_ms)} | ${(mean('bits_per_s') / 1e6).toFixed(2)} | ` +
    `${((after.sender - before.sender) / took).toFixed(2)} | ${((after.browser - before.browser) / took).toFixed(2)} |`);
  if (page.errors().length > 0) console.log(page.errors());
} finally {
  await browser.close();
  await strip?.stop('SIGKILL').catch(() => {});
  await sender.stop().catch(() => {});
}
process.exit(0);
