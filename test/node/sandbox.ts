/** A private container runtime for tests of the node agent, by the program `node-sandbox` beside the recordings. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { hasShared, sharedPath } from '../support/shared.ts';

const run = promisify(execFile);

/** Why this machine cannot run containers; undefined when it may. */
export function reasonToSkip(): string | undefined {
  if (process.platform !== 'linux') return 'containers need Linux';
  if (process.getuid?.() !== 0) return 'containers need root';
  if (!hasShared('tools', 'node-sandbox')) return 'the program node-sandbox is not there';
  return undefined;
}

export interface Sandbox {
  readonly directory: string;
  readonly socket: string;
  /** As `kill -9` of containerd: containers run on. */
  kill(): Promise<void>;
  /** Starts it again. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

/** With another bridge and subnet, several can run beside each other. */
export async function startSandbox({
  bridge,
  subnet,
}: {
  readonly bridge: string;
  readonly subnet: string;
}): Promise<Sandbox> {
  // Socket paths are short.
  const directory = process.env['ORCH_NODE_SANDBOX'] ?? (await mkdtemp('/tmp/orch-ns-'));
  const program = sharedPath('tools', 'node-sandbox');
  const env = { ...process.env, BRIDGE: bridge, SUBNET: subnet };
  const { stdout } = await run(program, ['start', directory], { env });
  return {
    directory,
    socket: stdout.trim().split('\n').at(-1)!,
    async kill() {
      const file = `${directory}/containerd.pid`;
      process.kill(Number(await readFile(file, 'utf8')), 'SIGKILL');
      // Where nothing reaps it, the process would count as alive.
      await writeFile(file, '');
    },
    async revive() {
      await run(program, ['start', directory], { env });
    },
    async stop() {
      if (process.env['ORCH_NODE_SANDBOX'] === undefined) await run(program, ['stop', directory], { env });
    },
  };
}
