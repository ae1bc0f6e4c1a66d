/** The routes of an agent over a runtime that answers as a test says, without connections. */
import { Registry } from 'prom-client';
import { memoryExchange } from '../../../../test/support/memory-exchange.ts';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { systemClock } from '../../../base/clock.ts';
import { versionInfo } from '../../../base/version.ts';
import { silentLogger } from '../../../base/logger.ts';
import { GrpcError } from '../../../grpc/grpc-error.ts';
import { GrpcCode } from '../../../grpc/status.ts';
import type { ApiResponse, Exchange, Sink } from '../../../server/exchange.ts';
import { defaultConfig, type NodeAgentConfig } from '../../config/config.ts';
import { createProbeMetrics } from '../../metrics/probe-metrics.ts';
import type { ContainerRuntime } from '../../runtime/container-runtime.ts';
import { agentRoutes, type AgentRoutesOptions } from '../agent-routes.ts';
import { VolumeFigures } from '../stats/volume-stats.ts';
import { createApplication, createHandler } from '../application.ts';

export interface TextAnswer {
  readonly status: number;
  readonly headers: ApiResponse['headers'];
  readonly text: string;
}

/** What is not said, the runtime does not implement. */
export const runtimeOf = (calls: Partial<ContainerRuntime>): ContainerRuntime =>
  new Proxy(calls as ContainerRuntime, {
    get: (known, method: keyof ContainerRuntime) =>
      known[method] ??
      (() =>
        Promise.reject(
          new GrpcError(GrpcCode.unimplemented, `method ${method[0]!.toUpperCase()}${method.slice(1)} not implemented`),
        )),
  });

export function routesOf(
  served: readonly Pod[],
  calls: Partial<ContainerRuntime>,
  config: Partial<NodeAgentConfig> = {},
): AgentRoutesOptions {
  return {
    served: { pods: () => served },
    runtime: runtimeOf(calls),
    config: { ...defaultConfig, ...config },
    shownConfig: { port: 10250 },
    featureGates: {},
    nodeName: 'node',
    rootDir: '/var/lib/kubelet',
    runtimeCgroups: '',
    health: { healthz: [{ name: 'ping', check: () => undefined }], livez: [], readyz: [] },
    registry: new Registry(),
    probes: createProbeMetrics().registry,
    volumes: new VolumeFigures({
      rootDir: '/var/lib/kubelet',
      periodMs: 60_000,
      clock: systemClock,
      volumeOfClaim: () => Promise.resolve(undefined),
    }),
    logger: { verbosity: 0 },
    zpages: {
      component: 'kubelet',
      version: versionInfo(),
      emulatedVersion: '1.32',
      startedAt: 0,
      statusz: true,
      flagz: true,
      flags: () => [{ name: 'port', value: '10250' }],
    },
    contention: undefined,
    log: silentLogger,
    clock: systemClock,
    wallTime: () => Date.parse('2026-01-02T03:04:05Z'),
  };
}

export const handlerOf = (options: AgentRoutesOptions): ((exchange: Exchange) => Promise<ApiResponse>) =>
  createHandler(createApplication(agentRoutes(options), silentLogger));

export async function ask(
  handle: (exchange: Exchange) => Promise<ApiResponse>,
  method: string,
  target: string,
  body?: string,
): Promise<TextAnswer> {
  const headers = body === undefined ? [] : ([['content-length', String(body.length)]] as const);
  const exchange = memoryExchange({
    method,
    target,
    headers,
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
  });
  const answer = await handle(exchange);
  return { status: answer.status, headers: answer.headers, text: await textOf(answer) };
}

async function textOf(answer: ApiResponse): Promise<string> {
  if (!('stream' in answer)) return 'body' in answer ? (answer.body ?? '').toString() : '';
  let text = '';
  const sink: Sink = {
    write: (chunk) => (text += chunk.toString()).length > 0,
    drained: () => Promise.resolve(),
    closed: false,
    onClose: () => undefined,
    abort: () => (text += '<broken off>'),
  };
  await answer.stream(sink);
  return text;
}
