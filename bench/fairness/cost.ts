/**
 * What priority and fairness costs a request whose seats are there: the CPU time of the filter with the suggested
 * objects, and that of the plain limits of requests in flight, which stand in its place without it.
 */
import { suggestedFlowSchemas, suggestedPriorityLevels } from '../../src/api/flowcontrol/suggested.ts';
import { limitInFlight } from '../../src/apiserver/filters/in-flight-limit.ts';
import { queueFairly } from '../../src/apiserver/filters/priority-and-fairness.ts';
import { FlowControl } from '../../src/apiserver/flow-control/flow-control.ts';
import { FlowControlMetrics } from '../../src/apiserver/flow-control/flow-control-metrics.ts';
import { parseRequestInfo } from '../../src/apiserver/request/request-info.ts';
import { ApiRequest, type Filter } from '../../src/apiserver/request/request.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { UserInfo } from '../../src/machinery/user.ts';
import type { ApiResponse, Exchange } from '../../src/server/exchange.ts';
import { allMetrics, MetricRegistry } from '../../src/server/metrics/metric-registry.ts';
import { median } from '../report.ts';

/** Rounds take turns, so that a slow moment of the machine meets both. The first ones warm up. */
const rounds = 9;
const warmUp = 2;
const requestsPerRound = 20_000;

const metrics = { terminated: () => undefined, inFlight: () => undefined, inQueue: () => undefined };
const control = new FlowControl({
  seats: 600,
  clock: systemClock,
  countOf: () => 10_000,
  metrics: new FlowControlMetrics(new MetricRegistry(allMetrics), () => systemClock.now()),
});
const objectOf = ([name, spec]: readonly [string, object]) => ({ metadata: { name, uid: name }, spec, status: {} });
control.configure(
  [...suggestedPriorityLevels].map(objectOf) as never,
  [...suggestedFlowSchemas].map(objectOf) as never,
);
const answer: Promise<ApiResponse> = Promise.resolve({ status: 200, headers: {} });
const next = (): Promise<ApiResponse> => answer;

/** One after the other, so that each finds its seats free. @returns microseconds of CPU for each request */
async function pass(filter: Filter, method: string, target: string, user: UserInfo): Promise<number> {
  const url = new URL(target, 'https://server');
  const info = parseRequestInfo(method, url.pathname, url.searchParams);
  const exchange = { method, onClose: () => undefined } as unknown as Exchange;
  const before = process.cpuUsage();
  for (let i = 0; i < requestsPerRound; i++) {
    const request = new ApiRequest(exchange, url.pathname, url.searchParams, '', 0);
    request.info = info;
    request.user = user;
    await filter(request, next);
  }
  const { user: own, system } = process.cpuUsage(before);
  return (own + system) / requestsPerRound;
}

const users: Readonly<Record<string, UserInfo>> = {
  'an administrator, exempt': { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
  'a service account': {
    name: 'system:serviceaccount:default:app',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
  },
  'a user, by the last schema but one': { name: 'alice', groups: ['devs', 'system:authenticated'] },
};
const requests = [
  ['GET', '/api/v1/namespaces/default/pods/a'],
  ['GET', '/api/v1/namespaces/default/pods?labelSelector=app%3Da'],
  ['POST', '/api/v1/namespaces/default/pods'],
] as const;
const sending = { clock: systemClock, requestTimeoutMs: 60_000 };
const fair = queueFairly({ control, ...sending }, metrics);
const limited = limitInFlight({ readOnly: 400, mutating: 200 }, metrics as never, sending);

export interface Cost {
  readonly name: string;
  /** Microseconds of CPU per request. */
  readonly fair: number;
  readonly limited: number;
}

/** Of each kind of request and user, medians. */
export async function costs(): Promise<Cost[]> {
  const found: Cost[] = [];
  for (const [method, target] of requests)
    for (const [name, user] of Object.entries(users)) {
      const fairly: number[] = [];
      const plainly: number[] = [];
      for (let round = 0; round < rounds; round++) {
        fairly.push(await pass(fair, method, target, user));
        plainly.push(await pass(limited, method, target, user));
      }
      const middle = (all: number[]): number => median(all.slice(warmUp).sort((a, b) => a - b));
      found.push({ name: `${method} ${target}, ${name}`, fair: middle(fairly), limited: middle(plainly) });
    }
  return found;
}
