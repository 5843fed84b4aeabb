// Programs that tests start: each with its own process group, which ends with the test, however that ends.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

// Waits end after this time, which is long enough for every machine: no test fails because it is slow.
export const kPatienceMs = 1000 * Number(process.env.TEXCAST_TEST_PATIENCE ?? 180);

const running = new Set();
const folders = new Set();
function killAll() {
  for (const program of running) program.killNow();
  for (const folder of folders) remove(folder);
}
process.on('exit', killAll);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

function remove(folder) {
  // A browser that was just killed may still write into its profile.
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  folders.delete(folder);
}

export function temporaryFolder(name) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `texcast-${name}-`));
  folders.add(folder);
  return { path: folder, remove: () => remove(folder) };
}

export class Program {
  output = ''; // stdout and stderr
  exit = null; // { code, signal } once it has ended
  #child;
  #waiters = new Set();

  // `stdio`: further descriptors, from 3 on.
  constructor(command, args, { env = process.env, cwd, stdio = [] } = {}) {
    // setpriv: the kernel kills the program too if this process is killed.
    this.#child = spawn('setpriv', ['--pdeathsig', 'KILL', command, ...args],
      { env, cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe', ...stdio] });
    this.name = path.basename(command);
    running.add(this);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        this.output += text;
        this.#wake();
      });
    }
    this.#child.on('error', (error) => this.#ended({ code: 127, signal: null }, String(error)));
    this.#child.on('close', (code, signal) => this.#ended({ code, signal }, ''));
  }

  get pid() { return this.#child.pid; }
  get stdio() { return this.#child.stdio; }

  // Resolves with the match of the pattern in the output.
  async says(pattern) {
    return this.#until(() => pattern.exec(this.output), `to print ${pattern}`);
  }
  async ended() {
    return this.#until(() => this.exit, 'to end');
  }
  signal(signal) {
    if (!this.exit) process.kill(this.pid, signal);
  }
  // Sends a signal, and waits for the end of the program.
  async stop(signal = 'SIGTERM') {
    this.signal(signal);
    return this.ended();
  }
  killNow() {
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch { /* it has ended */ }
    running.delete(this);
  }

  async #until(condition, what) {
    const begun = Date.now();
    for (;;) {
      const value = condition();
      if (value) return value;
      if (this.exit) throw new Error(`${this.name} ended (${this.exit.signal ?? this.exit.code}); the test waited for it ${what}:\n${this.output}`);
      if (Date.now() - begun > kPatienceMs) throw new Error(`timeout: the test waited for ${this.name} ${what}:\n${this.output}`);
      await new Promise((resolve) => {
        const timer = setTimeout(() => { this.#waiters.delete(wake); resolve(); }, 1000);
        const wake = () => { clearTimeout(timer); resolve(); };
        this.#waiters.add(wake);
      });
    }
  }
  #wake() {
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
  }
  #ended(exit, text) {
    if (this.exit) return;
    this.exit = exit;
    this.output += text;
    this.killNow(); // what it has left behind in its group
    this.#wake();
  }
}
