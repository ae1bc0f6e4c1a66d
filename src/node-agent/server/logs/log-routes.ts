/** `/containerLogs/{namespace}/{pod}/{container}` */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { Router } from '@koa/router';
import type { Clock } from '../../../base/clock.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { isNotFound } from '../../runtime/container-runtime.ts';
import { Refusal } from '../refusal.ts';
import { findPod, type PodPorts } from '../served-pods.ts';
import type { AgentState } from '../state.ts';
import { containerOfLog, hasContainer, NoLog } from './container-log.ts';
import { readLogQuery } from './log-query.ts';
import { readLog } from './read-log.ts';

export interface LogRoutesOptions extends PodPorts {
  /** Nothing outside of it is shown as a log. */
  readonly podLogsDir: string;
  /** Feature gate PodLogsQuerySplitStreams. */
  readonly canSelectStream: boolean;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
}

export function logRoutes(options: LogRoutesOptions): Router<AgentState> {
  const { runtime, canSelectStream, clock, wallTime } = options;
  const router = new Router<AgentState>({ sensitive: true, strict: true });
  router.get('/containerLogs/:namespace/:pod/:container', async (ctx) => {
    const { namespace = '', pod: name = '', container = '' } = ctx.params;
    const query = readLogQuery(new URLSearchParams(ctx.querystring), wallTime(), canSelectStream);
    const pod = findPod(options, { namespace, name });
    if (pod === undefined) throw new Refusal(404, `pod ${goQuote(name)} does not exist`);
    if (!hasContainer(pod, container))
      throw new Refusal(404, `container ${goQuote(container)} not found in pod ${goQuote(name)}`);
    const id = explained(() => containerOfLog(pod, container, query.previous));
    const { signal } = ctx.state;
    const isRunning = async (): Promise<boolean> => (await statusOf(options, id))?.state === 'CONTAINER_RUNNING';
    const file = await logPath(options, id);
    const pieces = readLog({ path: file, isRunning }, { query, clock, signal });
    // What is wrong with the file is an answer, not the end of one that has begun.
    const first = await pieces.next().catch((error: unknown) => {
      throw new Refusal(400, `failed to read the log: ${(error as NodeJS.ErrnoException).code ?? 'error'}`);
    });
    ctx.body = Readable.from(following(first, pieces), { objectMode: false, highWaterMark: 1 });
    ctx.remove('content-type');
  });
  return router;

  async function logPath(ports: LogRoutesOptions, id: string): Promise<string> {
    const status = await statusOf(ports, id);
    const { logPath: file = '' } = status ?? {};
    if (status === undefined || file === '')
      throw new Refusal(400, `unable to retrieve container logs for ${id}: the runtime does not know it`);
    return inFolder(file, ports.podLogsDir);
  }

  async function statusOf(_: LogRoutesOptions, containerId: string) {
    try {
      return (await runtime.containerStatus({ containerId })).status;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

/**
 * What the runtime says may lead elsewhere by links.
 *
 * @NOTE differs from upstream, which follows them: a pod that mounts the folder could show any file of the node.
 */
async function inFolder(file: string, folder: string): Promise<string> {
  try {
    const [real, root] = await Promise.all([realpath(path.dirname(file)), realpath(folder)]);
    if (real.startsWith(`${root}${path.sep}`)) return path.join(real, path.basename(file));
  } catch {
    throw new Refusal(400, 'the log of the container is not there');
  }
  throw new Refusal(400, 'the log of the container is outside of the folder of logs');
}

function explained<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof NoLog) throw new Refusal(400, error.message);
    throw error;
  }
}

async function* following(
  first: IteratorResult<Buffer, void>,
  rest: AsyncGenerator<Buffer, void, void>,
): AsyncGenerator<Buffer, void, void> {
  if (first.done === true) return;
  try {
    yield first.value;
    yield* rest;
  } finally {
    await rest.return();
  }
}
