/** `/run` and `/checkpoint`: what is done to a container while the caller waits. */
import path from 'node:path';
import { Router } from '@koa/router';
import { runtimeErrorText } from '../runtime/container-runtime.ts';
import { hasContainer } from './logs/container-log.ts';
import { Refusal } from './refusal.ts';
import { existingPod, type PodPorts, runningContainer } from './served-pods.ts';
import type { AgentState } from './state.ts';

export function runRoutes(ports: PodPorts): Router<AgentState> {
  const { runtime } = ports;
  const router = new Router<AgentState>({ sensitive: true, strict: true });
  router.post(['/run/:namespace/:pod/:container', '/run/:namespace/:pod/:uid/:container'], async (ctx) => {
    const { namespace = '', pod: name = '', uid, container = '' } = ctx.params;
    const pod = existingPod(ports, { namespace, name, uid });
    const command = new URLSearchParams(ctx.querystring).get('cmd') ?? '';
    const containerId = await runningContainer(ports, pod, container);
    const { signal } = ctx.state;
    const {
      stdout,
      stderr,
      exitCode = 0,
    } = await runtime.execSync({ containerId, cmd: command.split(' ') }, { signal });
    const output = Buffer.concat([stdout ?? nothing, stderr ?? nothing]);
    if (exitCode !== 0)
      throw new Refusal(
        500,
        `command '${command}' exited with ${exitCode}: ${Buffer.from(stderr ?? nothing).toString()}`,
      );
    ctx.set('content-type', 'application/json');
    ctx.body = output;
  });
  return router;
}

const nothing = Buffer.alloc(0);

export interface CheckpointOptions extends PodPorts {
  readonly rootDir: string;
  readonly wallTime: () => number;
}

export function checkpointRoutes(options: CheckpointOptions): Router<AgentState> {
  const { runtime, rootDir, wallTime } = options;
  const router = new Router<AgentState>({ sensitive: true, strict: true });
  router.post('/checkpoint/:namespace/:pod/:container', async (ctx) => {
    const { namespace = '', pod: name = '', container = '' } = ctx.params;
    const pod = existingPod(options, { namespace, name });
    if (!hasContainer(pod, container)) throw new Refusal(404, `container ${container} does not exist`);
    const timeout = secondsOf(new URLSearchParams(ctx.querystring).get('timeout'));
    const containerId = await runningContainer(options, pod, container);
    const stamp = new Date(wallTime()).toISOString().replace(/\.\d+Z$/, 'Z');
    const location = path.join(rootDir, 'checkpoints', `checkpoint-${name}_${namespace}-${container}-${stamp}.tar`);
    await runtime.checkpointContainer({ containerId, location, timeout }).catch((error: unknown) => {
      const reason = runtimeErrorText(error);
      throw new Refusal(500, `checkpointing of ${namespace}/${name}/${container} failed (${reason})`);
    });
    ctx.set('content-type', 'application/json');
    ctx.body = JSON.stringify({ items: [location] });
  });
  return router;
}

function secondsOf(text: string | null): number {
  const seconds = Number(text ?? 0);
  if (Number.isInteger(seconds) && seconds >= 0) return seconds;
  throw new Refusal(400, 'the timeout is no number of seconds');
}
