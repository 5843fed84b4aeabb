// Processor time and memory of processes, from /proc.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

const kTicks = Number(execFileSync('getconf', ['CLK_TCK']));

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return ''; // the process has ended
  }
}

// Of a process and its descendants, but for those that have ended.
export function family(pid) {
  const children = new Map();
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = Number(read(`/proc/${name}/stat`).replace(/^.*\) /s, '').split(' ')[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const all = [pid];
  for (let i = 0; i < all.length; ++i) all.push(...(children.get(all[i]) ?? []));
  return all;
}

// Seconds, of user and system, of the processes alone.
export function processorSeconds(pids) {
  let ticks = 0;
  for (const pid of pids) {
    const [user, system] = read(`/proc/${pid}/stat`).replace(/^.*\) /s, '').split(' ').slice(11, 13).map(Number);
    ticks += (user || 0) + (system || 0);
  }
  return ticks / kTicks;
}

// Bytes that belong to the process alone (not its libraries' shared pages).
export function privateBytes(pid) {
  let kibibytes = 0;
  for (const [, size] of read(`/proc/${pid}/smaps_rollup`).matchAll(/^Private_(?:Clean|Dirty): *(\d+) kB/gm)) kibibytes += Number(size);
  return 1024 * kibibytes;
}

export function percentile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}
