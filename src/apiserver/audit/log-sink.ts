/** Events as lines: in a file that rotates, or on standard output. */
import type { Logger } from '../../base/logger.ts';
import type { AuditSink, ReportLoss } from './backend.ts';
import { type AuditEvent, eventHead } from './event.ts';
import { legacyLine } from './legacy-line.ts';
import type { RotationOptions } from './rotated-files.ts';
import { RotatingFile } from './rotating-file.ts';

export const formats = ['legacy', 'json'] as const;

export interface LogSinkOptions {
  readonly format: (typeof formats)[number];
  /** apiVersion of the events. */
  readonly apiVersion: string;
  /** Undefined: standard output. */
  readonly file: RotationOptions | undefined;
}

/** What lines are written to. Called again only when the call before is done. */
interface Output {
  /** A longer line cannot be written. */
  readonly maxBytes: number;
  append(lines: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  readonly lines: readonly string[];
  readonly resolve: (written: boolean) => void;
}

export function createLogSink(
  { format, apiVersion, file }: LogSinkOptions,
  { report, log }: { readonly report: ReportLoss; readonly log: Logger },
): AuditSink {
  const head = eventHead(apiVersion);
  const textOf =
    format === 'json' ? (event: AuditEvent) => event.text(head, '\n') : (event: AuditEvent) => `${legacyLine(event)}\n`;
  const output = file === undefined ? standardOutput : new RotatingFile(file, { log });
  const writer = new LineWriter(output, (error, lines) => report('log', error, lines));
  return { textOf, write: (lines) => writer.write(lines), close: () => writer.close() };
}

/** Requests that wait at the same time share one write. */
class LineWriter {
  readonly #output: Output;
  readonly #onLoss: (error: unknown, lines: number) => void;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(output: Output, onLoss: (error: unknown, lines: number) => void) {
    this.#output = output;
    this.#onLoss = onLoss;
  }

  write(lines: readonly string[]): Promise<boolean> {
    const fitting = lines.filter(
      (line) => line.length <= this.#output.maxBytes && Buffer.byteLength(line) <= this.#output.maxBytes,
    );
    const lost = lines.length - fitting.length;
    if (lost > 0)
      this.#onLoss(new Error(`an event is larger than the ${this.#output.maxBytes} bytes that a file may have`), lost);
    if (fitting.length === 0) return Promise.resolve(lost === 0);
    return new Promise((resolve) => {
      this.#waiting.push({ lines: fitting, resolve: (written) => resolve(written && lost === 0) });
      this.#running ??= this.#run();
    });
  }

  async close(): Promise<void> {
    await this.#running;
    await this.#output.close();
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // batches of the same tick are written together
    while (this.#waiting.length > 0) {
      const taken = this.#waiting;
      this.#waiting = [];
      await this.#writeAll(taken);
    }
    this.#running = undefined;
  }

  async #writeAll(taken: readonly Waiting[]): Promise<void> {
    let written = true;
    const lines = taken.length === 1 ? taken[0]!.lines : taken.flatMap((waiting) => waiting.lines);
    try {
      await this.#output.append(lines);
    } catch (error) {
      written = false;
      this.#onLoss(error, lines.length);
    }
    for (const { resolve } of taken) resolve(written);
  }
}

const standardOutput: Output = {
  maxBytes: Infinity,
  append: (lines) =>
    new Promise((resolve, reject) => {
      process.stdout.write(lines.join(''), (error) =>
        error === null || error === undefined ? resolve() : reject(error),
      );
    }),
  close: () => Promise.resolve(),
};
