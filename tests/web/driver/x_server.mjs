// An X server without a screen (Xvfb), on a display number that it chooses.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { Program } from './process.mjs';

export class XServer {
  static async start(width, height) {
    const server = new XServer();
    server.program = new Program('Xvfb',
      ['-displayfd', '3', '-screen', '0', `${width}x${height}x24`, '-nolisten', 'tcp', '-noreset'], { stdio: ['pipe'] });
    const [number] = await Promise.race([once(server.program.stdio[3], 'data'), server.program.ended().then(() => {
      throw new Error(`Xvfb did not start:\n${server.program.output}`);
    })]);
    server.display = `:${String(number).trim()}`;
    return server;
  }
  // For programs that use this display.
  get env() {
    const { WAYLAND_DISPLAY, XDG_SESSION_TYPE, ...others } = process.env;
    return { ...others, DISPLAY: this.display };
  }
  // Not larger than at the start. Each size once.
  resize(width, height) {
    const name = `${width}x${height}t`;
    const timing = (edge) => [0, 10, 20, 30].map((more) => String(edge + more));
    const xrandr = (...args) => execFileSync('xrandr', args, { env: this.env });
    xrandr('--newmode', name, '1', ...timing(width), ...timing(height));
    xrandr('--addmode', 'screen', name);
    xrandr('--output', 'screen', '--mode', name, '--fbmm', '100x100');
  }
  async stop() {
    this.program.killNow();
    await this.program.ended();
  }
}
