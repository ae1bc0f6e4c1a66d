/** The program as users start it, in a process of its own. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { toolPath } from '../../hack/lib/test-tools.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** For suites that start the program: they must not test yesterday's. */
export const buildOrch = (): void =>
  void execFileSync(process.execPath, ['hack/build.mjs'], { cwd: root, stdio: 'inherit' });

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class OrchProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly exited: Promise<Exit>;
  output = '';
  errors = '';

  /** @param program a path in the checkout, or a whole one */
  constructor(args: readonly string[], program = 'bin/orch.js') {
    this.#child = spawn(process.execPath, [program, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
    this.exited = once(this.#child, 'close').then(([code, signal]) => ({ code, signal }) as Exit);
  }

  /** A control plane without nodes, on a port of this machine. */
  static up(dataDir: string, port: number | undefined, ...flags: readonly string[]): OrchProcess {
    const where = ['--data-dir', dataDir, '--secure-port', String(port)];
    return new OrchProcess(['up', '--hollow-nodes=0', ...where, ...flags]);
  }

  /**
   * Resolves when standard output contains the text. Rejects with all that was written when the process ends before.
   */
  says(text: string): Promise<void> {
    return this.#writes('stdout', () => this.output, text);
  }

  /** The same of standard error. */
  warns(text: string): Promise<void> {
    return this.#writes('stderr', () => this.errors, text);
  }

  async #writes(stream: 'stdout' | 'stderr', written: () => string, text: string): Promise<void> {
    const ended = this.exited.then(({ code, signal }) =>
      Promise.reject(
        new Error(`ended (${code ?? signal}) before it wrote ${JSON.stringify(text)}:\n${this.output}${this.errors}`),
      ),
    );
    ended.catch(() => undefined);
    while (!written().includes(text)) await Promise.race([once(this.#child[stream]!, 'data'), ended]);
  }

  /** Does not wait for what comes of it. */
  send(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  kill(signal: NodeJS.Signals): Promise<Exit> {
    this.#child.kill(signal);
    return this.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGKILL');
  }
}

/** Runs an unmodified kubectl and returns what it prints. Rejects with its error text when it fails. */
export async function kubectl(
  version: '1.20' | '1.32',
  kubeconfig: string,
  ...args: readonly string[]
): Promise<string> {
  const { stdout } = await promisify(execFile)(toolPath(`kubectl-${version}`), ['--kubeconfig', kubeconfig, ...args], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}
