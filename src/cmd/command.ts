/** What every command gets from the process it runs in, so that tests can run one without a process. */
import type { StartApiServer } from './config.ts';
import type { ConvertValue } from './conversion.ts';
import type { StartProcess } from './up/start-process.ts';

/** The parts of the program that commands need; `parts.ts` has the real ones. */
export interface Dependencies {
  readonly startApiServer: StartApiServer;
  readonly convertValue: ConvertValue;
  readonly startProcess: StartProcess;
}

export interface CommandContext {
  readonly parts: Dependencies;
  readonly out: (text: string | Uint8Array) => void;
  readonly err: (text: string) => void;
  readonly readStdin: () => Promise<Uint8Array>;
  /** Columns of the terminal. */
  readonly width: number;
  /** Calls back for each SIGINT or SIGTERM until it is told to stop. */
  readonly onSignal: (listener: (signal: NodeJS.Signals) => void) => () => void;
  /** Sets the engine for a daemon. Absent where the process is not the command's own. */
  readonly tuneForDaemons?: () => void;
  /** Sets it for an API server that shares its machine with daemons. */
  readonly tuneForLocalServer?: () => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
}

/** Runs to its end; returns the exit code. Throws `FlagError`, `UserError`, or an unexpected error. */
export type Command = (argv: readonly string[], context: CommandContext) => Promise<number>;
