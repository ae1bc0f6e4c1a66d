/** Where the lines of the log go: to standard error, or errors there and the rest to standard output. */
import { type Clock, systemClock } from '../base/clock.ts';
import { Ticker } from '../base/ticker.ts';
import type { CommandContext } from './command.ts';
import type { LogOptions } from './flags/shared/logs.ts';
import type { WriteLine } from './logging.ts';

/** What is collected is written at the latest when the process ends. */
export function logOutput(
  logs: LogOptions,
  { out, err }: Pick<CommandContext, 'out' | 'err'>,
  clock: Clock = systemClock,
): WriteLine {
  const [isSplit, bufferBytes] =
    logs.format === 'json'
      ? [logs.jsonSplitStream, logs.jsonInfoBufferSize]
      : [logs.textSplitStream, logs.textInfoBufferSize];
  if (!isSplit) return (line) => err(line);
  const info = bufferBytes === 0 ? out : collected(out, bufferBytes, logs.flushFrequencyMs, clock);
  return (line, isError) => (isError ? err(line) : info(line));
}

function collected(
  write: (text: string) => void,
  bufferBytes: number,
  flushMs: number,
  clock: Clock,
): (line: string) => void {
  let lines: string[] = [];
  let bytes = 0;
  const flush = (): void => {
    if (lines.length === 0) return;
    write(lines.join(''));
    lines = [];
    bytes = 0;
  };
  if (flushMs > 0) new Ticker(clock, flushMs, flush).start();
  process.once('exit', flush);
  return (line) => {
    lines.push(line);
    bytes += Buffer.byteLength(line);
    if (bytes >= bufferBytes) flush();
  };
}
