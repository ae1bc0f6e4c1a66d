import type { CommandContext } from './command.ts';

/** SIGINT is 2, SIGTERM 15; a shell reports 128 more for a program that a signal ended. */
const exitCodes: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGINT: 130, SIGTERM: 143 };

export interface Interrupts extends Disposable {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Resolves at the first signal. */
  readonly first: Promise<void>;
  /** What a program reports that a signal ended before it was ready. */
  readonly exitCode: number;
}

/** The first signal asks for a clean stop, the second ends the process at once. */
export function watchInterrupts({ onSignal, exit }: Pick<CommandContext, 'onSignal' | 'exit'>): Interrupts {
  const controller = new AbortController();
  const first = new Promise<void>((resolve) =>
    controller.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  let exitCode = 1;
  const stop = onSignal((signal) => {
    exitCode = exitCodes[signal] ?? 1;
    if (controller.signal.aborted) exit(exitCode);
    else controller.abort();
  });
  return {
    signal: controller.signal,
    first,
    get exitCode() {
      return exitCode;
    },
    [Symbol.dispose]: stop,
  };
}
