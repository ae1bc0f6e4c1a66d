/** Runs a command as the process would, with its terminal and signals in the test's hands. */
import { EventEmitter, once } from 'node:events';
import type { CommandContext, Dependencies } from '../command.ts';
import { main } from '../main.ts';
import { startHttpsServer } from './https-server.ts';

export interface RunningCommand {
  readonly exited: Promise<number>;
  /** What was written so far, to standard output and standard error. */
  output(): string;
  errors(): string;
  /** Resolves when standard output or standard error contains the text; rejects when the command ends before. */
  says(text: string): Promise<void>;
  interrupt(signal?: NodeJS.Signals): void;
  /** Codes that the process was told to end with at once. */
  readonly exits: readonly number[];
}

const neverStarted: Dependencies['startProcess'] = () => {
  throw new Error('this test starts no processes');
};

export function runCommand(
  argv: readonly string[],
  { stdin = '', ...given }: Partial<Dependencies> & { stdin?: string } = {},
): RunningCommand {
  const written = { out: '', err: '' };
  const events = new EventEmitter();
  const exits: number[] = [];
  const write = (stream: 'out' | 'err') => (text: string | Uint8Array) => {
    written[stream] += typeof text === 'string' ? text : Buffer.from(text).toString('latin1');
    events.emit('written');
  };
  const context: CommandContext = {
    parts: {
      startApiServer: startHttpsServer,
      convertValue: (value) => Promise.resolve(value),
      startProcess: neverStarted,
      ...given,
    },
    out: write('out'),
    err: write('err'),
    readStdin: () => Promise.resolve(Buffer.from(stdin)),
    width: 100,
    onSignal: (listener) => {
      events.on('signal', listener);
      return () => events.off('signal', listener);
    },
    exit: (code) => exits.push(code),
  };
  const exited = main(argv, context);
  const ended = exited.then((code) => {
    throw new Error(`ended with ${code}: ${written.out}${written.err}`);
  });
  ended.catch(() => undefined);
  return {
    exited,
    output: () => written.out,
    errors: () => written.err,
    says: async (text) => {
      while (!`${written.out}${written.err}`.includes(text)) await Promise.race([once(events, 'written'), ended]);
    },
    interrupt: (signal = 'SIGINT') => void events.emit('signal', signal),
    exits,
  };
}
