// The program under test.
import { execFileSync } from 'node:child_process';
import { kPatienceMs, Program } from './driver/process.mjs';

export const kProgram = process.env.TEXCAST_PROGRAM ?? 'texcast';

// One command, to its end; returns what it printed.
export function texcast(...args) {
  return execFileSync(kProgram, [...args, '--no-config'], { maxBuffer: 1 << 30, timeout: kPatienceMs, stdio: ['ignore', 'pipe', 'pipe'] });
}

// All pictures of a texture file as RGBA, upper row first, decoded by the program on the processor.
export function decoded(file, ...options) {
  const nut = texcast('decode', file, '-', '-q', ...options);
  const rgba = execFileSync('ffmpeg', ['-v', 'error', '-i', '-', '-f', 'rawvideo', '-pix_fmt', 'rgba', '-'],
    { input: nut, maxBuffer: 1 << 30, timeout: kPatienceMs });
  const { width, height } = JSON.parse(execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'stream=width,height', '-of', 'json', '-'],
    { input: nut, timeout: kPatienceMs })).streams[0];
  const size = 4 * width * height, pictures = [];
  for (let begin = 0; begin < rgba.length; begin += size) pictures.push(rgba.subarray(begin, begin + size));
  return { width, height, pictures };
}

// `texcast send …` or `texcast serve …` with an address web://127.0.0.1:0 among the arguments. `url` is the address that it prints.
export class WebSender {
  static async start(...args) { return WebSender.startIn(process.env, ...args); }
  static async startIn(env, ...args) {
    const sender = new WebSender();
    sender.program = new Program(kProgram, [...args, '--no-config'], { env });
    [sender.url] = await sender.program.says(/http:\/\/127\.0\.0\.1:\d+\/?/);
    return sender;
  }
  get port() { return Number(new URL(this.url).port); }
  async stop(signal = 'SIGINT') { return this.program.stop(signal); }
  // For the text of a failure.
  story() {
    const { exit, output } = this.program;
    return `the sender ${exit ? `ended (${exit.signal ?? exit.code})` : 'runs'}:\n${output}`;
  }
}
