// The browsers that tests drive. See page.mjs for what a page can be asked.
import { Chromium } from './chromium.mjs';
import { Firefox } from './firefox.mjs';

export { kTelephone } from './page.mjs';
export const kBrowsers = { chromium: Chromium, firefox: Firefox };

export async function start(name, options) {
  if (!kBrowsers[name]) throw new Error(`unknown browser '${name}'; there are ${Object.keys(kBrowsers).join(', ')}`);
  return kBrowsers[name].start(options);
}
