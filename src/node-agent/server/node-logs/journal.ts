/** The journal of the system, by the program `journalctl`. */
import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import type { NodeLogQuery } from './node-log-query.ts';

export function journalArguments(query: NodeLogQuery): string[] {
  const { services, since, until, tailLines, pattern, boot } = query;
  return [
    '--utc',
    '--no-pager',
    '--output=short-precise',
    ...(since === undefined ? [] : [`--since=${since}`]),
    ...(until === undefined ? [] : [`--until=${until}`]),
    ...(tailLines === undefined ? [] : [`--lines=${tailLines}`]),
    ...(pattern === undefined ? [] : [`--grep=${pattern}`]),
    ...(boot === undefined ? [] : [`--boot=${boot}`]),
    ...services.map((service) => `--unit=${service}`),
  ];
}

/** What it writes, piece by piece. The program ends with its reader. */
export function journal(query: NodeLogQuery, signal: AbortSignal, program = 'journalctl'): Readable {
  return Readable.from(output(query, signal, program), { objectMode: false });
}

async function* output(query: NodeLogQuery, signal: AbortSignal, program: string): AsyncGenerator<Buffer, void, void> {
  const child = spawn(program, journalArguments(query), { stdio: ['ignore', 'pipe', 'ignore'], signal });
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  try {
    yield* child.stdout as AsyncIterable<Buffer>;
    if (failure !== undefined && !signal.aborted)
      yield Buffer.from(`the journal of this machine cannot be read: ${(failure as NodeJS.ErrnoException).code}\n`);
  } finally {
    child.kill();
  }
}
