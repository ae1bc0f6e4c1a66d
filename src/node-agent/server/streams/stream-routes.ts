/** `/exec`, `/attach`, `/portForward`: connections that are handed on to the stream server of the runtime. */
import { Router, type RouterContext } from '@koa/router';
import { Refusal } from '../refusal.ts';
import { existingPod, type PodPorts, readySandbox, runningContainer } from '../served-pods.ts';
import type { AgentState } from '../state.ts';
import { relayUpgrade } from './relay.ts';
import { portsOf, streamsOf } from './stream-query.ts';

export interface StreamRoutesOptions extends PodPorts {
  /** Milliseconds; 0 for without limit. */
  readonly idleTimeoutMs: number;
}

type Context = RouterContext<AgentState>;

const methods = ['GET', 'POST'];

export function streamRoutes(options: StreamRoutesOptions): Router<AgentState> {
  const { runtime } = options;
  const router = new Router<AgentState>({ sensitive: true, strict: true });
  const paths = (root: string): string[] => [
    `/${root}/:namespace/:pod/:container`,
    `/${root}/:namespace/:pod/:uid/:container`,
  ];
  const relay = async (ctx: Context, url: string | undefined): Promise<void> => {
    const { exchange, signal } = ctx.state;
    const { idleTimeoutMs } = options;
    ctx.state.answer = await relayUpgrade(exchange!, { url: url ?? '', idleTimeoutMs, signal });
  };
  router.register(paths('exec'), methods, async (ctx: Context) => {
    const { pod, container } = podOf(options, ctx);
    const query = new URLSearchParams(ctx.querystring);
    const streams = streamsOf(query);
    const containerId = await runningContainer(options, pod, container);
    const { url } = await runtime.exec({ containerId, cmd: query.getAll('command'), ...streams });
    await relay(ctx, url);
  });
  router.register(paths('attach'), methods, async (ctx: Context) => {
    const { pod, container } = podOf(options, ctx);
    const streams = streamsOf(new URLSearchParams(ctx.querystring));
    const containerId = await runningContainer(options, pod, container);
    // Whether the container has a terminal is a matter of the container, not of the request.
    const spec = [...(pod.spec.containers ?? []), ...(pod.spec.ephemeralContainers ?? [])].find(
      ({ name }) => name === container,
    );
    const { url } = await runtime.attach({ containerId, ...streams, tty: spec?.tty === true });
    await relay(ctx, url);
  });
  router.register(
    ['/portForward/:namespace/:pod', '/portForward/:namespace/:pod/:uid'],
    methods,
    async (ctx: Context) => {
      const { namespace = '', pod: name = '', uid } = ctx.params;
      const pod = existingPod(options, { namespace, name, uid });
      const { upgrade } = ctx.state.exchange!;
      const port = portsOf(new URLSearchParams(ctx.querystring), upgrade === 'websocket');
      if (upgrade === undefined) throw new Refusal(500, 'Upgrade request required\n');
      const podSandboxId = await readySandbox(options, pod);
      const { url } = await runtime.portForward({ podSandboxId, port });
      await relay(ctx, url);
    },
  );
  return router;
}

function podOf(ports: PodPorts, { params }: Context) {
  const { namespace = '', pod: name = '', uid, container = '' } = params;
  return { pod: existingPod(ports, { namespace, name, uid }), container };
}
