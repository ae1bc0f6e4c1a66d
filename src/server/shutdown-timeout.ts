import type { Logger } from '../base/logger.ts';

export interface ShutdownTimeout {
  readonly ms: number;
  /** `work beside requests` */
  readonly what: string;
  readonly log: Logger;
}

/**
 * Waits for what ends by itself once it was told to. What has not after the time is left to itself, and the log says
 * so: nothing that hangs keeps a server from stopping.
 */
export async function endsWithin({ ms, what, log }: ShutdownTimeout, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      log.warn({ afterMs: ms }, `${what} did not end in time and is left to itself`);
      resolve();
    }, ms);
  });
  try {
    await Promise.race([work, late]);
  } catch (error) {
    log.warn({ err: error }, `${what} ended with an error`);
  } finally {
    clearTimeout(timer);
  }
}
