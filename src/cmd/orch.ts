/** The program `orch`: connects `main` with the process. */
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { CommandContext } from './command.ts';
import { isOriginal, main } from './main.ts';
import { dependencies } from './dependencies.ts';
import { endWithStarter, type NodeFlags, processStarter } from './up/start-process.ts';

export { dependencies, main };

const context: Omit<CommandContext, 'parts'> = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  readStdin: () => buffer(process.stdin),
  width: Math.min(process.stdout.columns ?? 100, 120),
  onSignal: (listener) => {
    process.on('SIGINT', listener).on('SIGTERM', listener);
    return () => process.off('SIGINT', listener).off('SIGTERM', listener);
  },
  exit: (code) => process.exit(code),
};

interface Engine {
  /** For the processes that this one starts. */
  readonly nodeFlags: NodeFlags;
  /** For this one. */
  readonly tuneForDaemons: () => void;
  readonly tuneForLocalServer: () => void;
}

/** Runs the command line of this process. */
export async function run({ nodeFlags, ...engine }: Engine): Promise<void> {
  endWithStarter(process);

  // A reader that has seen enough (`orch help | head`) is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

  // The code is set rather than the process ended: what is written to a pipe must get out first, and a command that has
  // stopped cleanly leaves nothing that keeps the process alive.
  const program = path.basename(process.argv[1] ?? '');
  process.exitCode = await main([...(isOriginal(program) ? [program] : []), ...process.argv.slice(2)], {
    ...context,
    parts: { ...dependencies, startProcess: processStarter(nodeFlags) },
    ...engine,
  });
}
