#!/usr/bin/env node
// page_test.mjs chromium|firefox: what the page does and says, from the first connection to the end of a stream. Every case
// expects that the console has no error, which includes violations of the Content-Security-Policy.
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { assert, runAll, test } from './cases.mjs';
import { kTelephone, start } from './driver/browsers.mjs';
import { XServer } from './driver/x_server.mjs';
import { browser, folder, kName } from './shared_browser.mjs';
import { WebSender } from './texcast.mjs';

const kClip = 'lavfi:testsrc2=size=200x120:rate=10';
const kSend = ['--format', 'bc1', '--audio', 'none'];
const send = (...options) => WebSender.start('send', kClip, 'web://127.0.0.1:0', ...options, ...kSend);

// What the page exposes, and conditions on it (they run in the page).
const playing = (after = -1) => window.texcast.state === 'playing' && window.texcast.shownNumber > after &&
  { number: window.texcast.shownNumber };
const says = (text) => !document.getElementById('message').hidden && document.getElementById('status').textContent.includes(text);
const visible = (id) => {
  const element = document.getElementById(id);
  return element.getClientRects().length > 0 && getComputedStyle(element).visibility === 'visible';
};

// A case with a page of its own, in `of` (else the browser that all share).
function pageCase(name, run, startOwn) {
  test(`${kName}: ${name}`, async () => {
    const own = startOwn ? await startOwn() : null;
    const page = await (own ?? browser).page();
    const senders = [];
    try {
      await run(page, (sender) => (senders.push(sender), sender));
      assert.deepEqual(page.errors(), []);
    } catch (error) {
      error.stack += senders.map((sender) => `\n${sender.story?.() ?? ''}`).join('');
      throw error;
    } finally {
      await (own ? own.close() : page.close());
      for (const sender of senders) await sender.stop().catch(() => {});
    }
  });
}

// The other cases rely on this.
test(`${kName}: errors of pages and workers, and what a policy forbids, are seen`, async () => {
  const server = http.createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.setHeader('Content-Security-Policy', "img-src 'none'");
    response.end(`<!doctype html><script>
      setTimeout(() => { throw new Error('of the page'); });
      new Worker(URL.createObjectURL(new Blob(["console.error('of the worker')"])));
      new Image().src = '/picture.png';
      fetch('http://example.com/').catch(() => console.log('nothing is asked'));
    </script>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const page = await browser.page();
  await page.open(`http://127.0.0.1:${server.address().port}/`);
  const texts = () => page.log.map(({ level, text }) => `${level}: ${text}`).join('\n');
  for (const wanted of [/error: .*of the page/, /error: .*of the worker/, /error: Content-Security-Policy: img-src/, /nothing is asked/])
    for (const end = Date.now() + 60_000; !wanted.test(texts());) {
      assert(Date.now() < end, `${wanted} is missing in\n${texts()}`);
      await page.evaluate(() => new Promise((next) => setTimeout(next, 20)));
    }
  await page.close();
  server.close();
});

pageCase('plays, with statistics by key i, and follows the size of the window', async (page, using) => {
  const sender = using(await send());
  await page.open(sender.url);
  await page.until(playing);
  assert.deepEqual(await page.evaluate(() => [window.texcast.description.width, window.texcast.description.height]), [200, 120]);
  assert(await page.evaluate(says, '') === false);
  assert.equal(await page.evaluate(visible, 'statistics'), false);
  await page.press('i');
  await page.until(visible, 'statistics');
  await page.until(() => /bc1/.test(document.getElementById('statistics').textContent) && window.texcast.statistics?.bits_per_s > 0);
  await page.press('i');
  assert.equal(await page.evaluate(visible, 'statistics'), false);

  for (const size of [{ width: 1280, height: 800 }, kTelephone, { width: 800, height: 360 }]) {
    await page.size(size);
    await page.until(({ width, ratio = 1 }) => document.getElementById('picture').width === width * ratio, size);
    const { overflows, buttons } = await page.evaluate(() => ({
      overflows: document.scrollingElement.scrollWidth > innerWidth || document.scrollingElement.scrollHeight > innerHeight,
      buttons: [...document.querySelectorAll('button')].filter((button) => button.getClientRects().length > 0)
        .map((button) => ({ id: button.id, name: button.ariaLabel ?? button.textContent.trim(), ...button.getBoundingClientRect().toJSON() })),
    }));
    assert(!overflows, `the page scrolls at ${JSON.stringify(size)}`);
    for (const { id, name, left, right, top, bottom } of buttons) {
      assert(left >= 0 && top >= 0 && right <= size.width && bottom <= size.height, `${id} is outside at ${JSON.stringify(size)}`);
      assert(name.length > 0, `${id} has no name for screen readers`);
      if (size.touch) assert(right - left >= 40 && bottom - top >= 40, `${id} is too small for a finger`);
    }
    await page.until(playing, (await page.evaluate(playing)).number);
  }
});

pageCase('asks for a password, says that one is wrong, and plays with the right one', async (page, using) => {
  const file = path.join(folder.path, 'password');
  fs.writeFileSync(file, 'open sesame\n', { mode: 0o600 });
  const sender = using(await send('--web-password', file));
  await page.open(sender.url);
  await page.until(visible, 'password');
  const before = await page.evaluate(() => document.getElementById('status').textContent);
  assert.match(before, /password/i);
  const enter = async (text) => {
    await page.click('#password');
    await page.type(text);
    await page.press('Enter');
  };
  await enter('barley');
  await page.until((before) => window.texcast.state === 'refused' && document.getElementById('password').value === '' &&
    document.getElementById('status').textContent !== before, before);
  assert.match(await page.evaluate(() => document.getElementById('status').textContent), /wrong/i);
  assert.equal(await page.evaluate(() => window.texcast.shownNumber), -1);
  await enter('open sesame');
  await page.until(playing);
  assert.equal(await page.evaluate(visible, 'access'), false);
});

pageCase('says that the stream has ended', async (page, using) => {
  const sender = using(await send());
  await page.open(sender.url);
  await page.until(playing);
  await sender.stop();
  await page.until(says, 'ended');
});

pageCase('plays on by itself after the server was killed and has started again', async (page, using) => {
  const sender = using(await send());
  await page.open(sender.url);
  await page.until(playing);
  await sender.stop('SIGKILL');
  await page.until(says, 'Trying again');
  using(await WebSender.start('send', kClip, `web://127.0.0.1:${sender.port}`, ...kSend));
  await page.until(playing);
  const { number } = await page.evaluate(playing);
  await page.until(playing, number);
});

pageCase('goes on when the screen that is sent changes its size', async (page, using) => {
  const screen = using(await XServer.start(640, 480));
  const sender = using(await WebSender.startIn(screen.env, 'send', 'screen', 'web://127.0.0.1:0', '--audio', 'none'));
  await page.open(sender.url);
  await page.until(playing);
  const sized = (width, height) => window.texcast.state === 'playing' && window.texcast.description.width === width &&
    window.texcast.description.height === height && window.texcast.readPixels().length === 4 * width * height;
  await page.until(sized, 640, 480);
  screen.resize(320, 240);
  await page.until(sized, 320, 240);
  await page.until(playing);
});

pageCase('two viewers watch, and one goes on when the other leaves', async (page, using) => {
  const sender = using(await send());
  const other = await browser.page();
  await page.open(sender.url);
  await other.open(sender.url);
  await page.until(playing);
  await other.until(playing);
  const { number } = await page.evaluate(playing);
  await other.close();
  await page.until(playing, number + 5);
  assert.deepEqual(other.errors(), []);
});

pageCase('has a mute button and a volume where the stream has sound', async (page, using) => {
  const sender = using(await WebSender.start('send', kClip, 'web://127.0.0.1:0', '--format', 'bc1', '--audio-source', 'test'));
  await page.open(sender.url);
  await page.until(playing);
  await page.until(visible, 'mute');
  await page.until(visible, 'volume');
  const pressed = () => page.evaluate(() => document.getElementById('mute').ariaPressed ?? document.getElementById('mute').getAttribute('aria-pressed'));
  assert.equal(await pressed(), 'false');
  await page.click('#mute');
  assert.equal(await pressed(), 'true');
  await page.press('m');
  assert.equal(await pressed(), 'false');
});

// Firefox's AudioContext does not run on a machine without a sound device; page/sound_in_browser_test.mjs renders into memory.
for (const coding of kName === 'chromium' ? ['pcm', 'opus'] : [])
  pageCase(`plays sound (${coding}) beside the picture once the viewer has pressed a key`, async (page, using) => {
    const sender = using(await WebSender.start('send', kClip, 'web://127.0.0.1:0', '--format', 'bc1', '--audio-source', 'test', '--audio', coding));
    await page.open(sender.url);
    await page.until(playing);
    await page.press('m');
    await page.press('m');
    await page.until(() => window.texcast.sound?.state === 'running' && window.texcast.sound.played >= 50);
    const { number } = await page.evaluate(playing);
    await page.until(playing, number);
  });

pageCase('says what is missing in a browser without WebGL2', async (page, using) => {
  const sender = using(await send());
  await page.open(sender.url);
  await page.until(says, 'WebGL');
  assert.equal(await page.evaluate(() => window.texcast.state), 'failed');
}, () => (kName === 'chromium' ? start(kName, { flags: ['--disable-3d-apis'] }) : start(kName, { preferences: { 'webgl.disabled': true } })));

await runAll();
