// Test cases, with the output of doctest as far as tests/summary reads it.
//   node FILE [--only TEXT]   runs the cases whose names contain TEXT
import assert from 'node:assert/strict';

const cases = [];
const closers = [];

export function test(name, run) { cases.push({ name, run }); }
// Runs when all cases have ended, whether they passed or not.
export function atEnd(close) { closers.push(close); }

// Runs the cases one after the other. A case ends with its first failure, and the others go on.
export async function runAll() {
  const at = process.argv.indexOf('--only');
  const wanted = at < 0 ? cases : cases.filter(({ name }) => name.includes(process.argv[at + 1]));
  let failed = 0;
  for (const { name, run } of wanted) {
    const begun = performance.now();
    try {
      await run();
    } catch (error) {
      ++failed;
      console.log(`TEST CASE: ${name}\n  ERROR: ${error instanceof Error ? error.stack : error}`);
    }
    console.log(`${((performance.now() - begun) / 1000).toFixed(3)} s: ${name}`);
  }
  for (const close of closers) await close();
  console.log(`test cases: ${wanted.length} | ${wanted.length - failed} passed | ${failed} failed`);
  process.exit(failed > 0 || wanted.length === 0 ? 1 : 0);
}

export { assert };
