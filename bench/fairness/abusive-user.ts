/** The user that lists all pods on many connections, in a process of its own, as the quiet user is measured here. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type HttpClient, HttpError } from '../http-client.ts';
import type { ServerAddress } from '../server-address.ts';
import { as, clientOf } from './clients.ts';

/** What was answered. */
export interface Counts {
  readonly lists: number;
  /** With 429. */
  readonly refused: number;
  /** In any other way. */
  readonly failed: number;
}

const tokenVariable = 'ORCH_BENCH_TOKEN';

export class AbusiveProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  #output = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
  }

  /** Resolves when the first list is answered, or refused. */
  static async start({ url, token }: ServerAddress, connections: number): Promise<AbusiveProcess> {
    const args = [process.argv[1]!, 'fairness', '--abuse-of', url.href, '--connections', String(connections)];
    const env = { ...process.env, [tokenVariable]: token };
    const child = new AbusiveProcess(spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] }));
    while (!child.#output.includes('\n')) await once(child.#child.stdout!, 'data');
    return child;
  }

  async stop(): Promise<Counts> {
    const ended = once(this.#child, 'close');
    this.#child.stdin!.end();
    await ended;
    return JSON.parse(this.#output.trim().split('\n').at(-1)!) as Counts;
  }

  [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill('SIGKILL');
    return Promise.resolve();
  }
}

/** Lists all pods on every connection until the input ends, also when it is told to wait. @returns the exit code */
export async function abuse(url: string, connections: number): Promise<number> {
  const address = { url: new URL(url), token: process.env[tokenVariable], pids: [], caFile: undefined };
  const counts = { lists: 0, refused: 0, failed: 0 };
  let isOver = false;
  let tellFirst: () => void = () => console.log('begun');
  const list = async (): Promise<void> => {
    using client = await clientOf(address);
    while (!isOver) {
      try {
        await readAway(client);
        counts.lists++;
      } catch (error) {
        if (error instanceof HttpError && error.status === 429) counts.refused++;
        else counts.failed++;
      }
      tellFirst();
      tellFirst = () => undefined;
    }
  };
  process.stdin.resume().once('end', () => (isOver = true));
  await Promise.all(Array.from({ length: connections }, list));
  console.log(JSON.stringify(counts));
  return 0;
}

/** Nothing of the list is kept. */
async function readAway(client: HttpClient): Promise<void> {
  const stream = await client.stream({ method: 'GET', path: '/api/v1/pods', headers: as('abusive') });
  await once(stream.resume(), 'close');
  if (stream.rstCode !== 0) throw new Error('the list ended in its middle');
}
