/** Starts this program again, as a process of its own that ends with this one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { privateFileMode } from '../../base/private-files.ts';

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface StartedProcess {
  readonly exited: Promise<ProcessEnd>;
  kill(signal: NodeJS.Signals): void;
}

/** @param logFile where both outputs of the process are appended */
export type StartProcess = (args: readonly string[], logFile: string) => StartedProcess;

/** What Node is started with for a command, such as sizes of its heap: `bin/engine-flags.js`. */
export type NodeFlags = (command: string) => readonly string[];

/** Set for processes whose standard input ends when the process that started them does. */
const supervisedVariable = 'ORCH_SUPERVISED';

/** @param flags those of Node for a command */
export const processStarter =
  (flags: NodeFlags): StartProcess =>
  (args, logFile) => {
    const log = openSync(logFile, 'a', privateFileMode);
    let child: ChildProcess;
    try {
      child = spawn(process.execPath, [...flags(args[0]!), process.argv[1]!, ...args], {
        // Ctrl-C is for the process that started it, which ends the others in order.
        detached: true,
        stdio: ['pipe', log, log],
        env: { ...process.env, [supervisedVariable]: '1' },
      });
    } finally {
      closeSync(log);
    }
    const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }) as ProcessEnd);
    return { exited, kill: (signal) => void child.kill(signal) };
  };

/** Ends this process as a signal would when the one that started it is gone, however that ended. */
export function endWithStarter({ env, stdin, pid }: NodeJS.Process): void {
  if (env[supervisedVariable] === undefined) return;
  // Processes that this one starts are not supervised by the same pipe.
  delete env[supervisedVariable];
  stdin.on('end', () => process.kill(pid, 'SIGTERM')).resume();
  (stdin as typeof stdin & { unref?(): void }).unref?.();
}
