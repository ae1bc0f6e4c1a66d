/**
 * What priority and fairness costs a request whose seats are there: the filter with the suggested objects, beside the
 * plain limits of requests in flight that stand in its place without it.
 */
import { bench, describe } from 'vitest';
import { suggestedFlowSchemas, suggestedPriorityLevels } from '../src/api/flowcontrol/suggested.ts';
import { limitInFlight } from '../src/apiserver/filters/in-flight-limit.ts';
import { queueFairly } from '../src/apiserver/filters/priority-and-fairness.ts';
import { FlowControl } from '../src/apiserver/flow-control/flow-control.ts';
import { FlowControlMetrics } from '../src/apiserver/flow-control/flow-control-metrics.ts';
import { parseRequestInfo } from '../src/apiserver/request/request-info.ts';
import { ApiRequest, type Filter } from '../src/apiserver/request/request.ts';
import { systemClock } from '../src/base/clock.ts';
import type { UserInfo } from '../src/machinery/user.ts';
import type { ApiResponse, Exchange } from '../src/server/exchange.ts';
import { allMetrics, MetricRegistry } from '../src/server/metrics/metric-registry.ts';

const metrics = { terminated: () => undefined, inFlight: () => undefined };
const control = new FlowControl({
  seats: 600,
  clock: systemClock,
  countOf: () => 10_000,
  metrics: new FlowControlMetrics(new MetricRegistry(allMetrics)),
});
const objectOf = ([name, spec]: readonly [string, object]) => ({ metadata: { name, uid: name }, spec, status: {} });
control.configure(
  [...suggestedPriorityLevels].map(objectOf) as never,
  [...suggestedFlowSchemas].map(objectOf) as never,
);
const answer: Promise<ApiResponse> = Promise.resolve({ status: 200, headers: {} });
const next = (): Promise<ApiResponse> => answer;

/** One after the other, so that each finds its seats free. */
const requestsPerRun = 1000;

const passes = (filter: Filter, method: string, target: string, user: UserInfo) => async (): Promise<void> => {
  const url = new URL(target, 'https://server');
  const info = parseRequestInfo(method, url.pathname, url.searchParams);
  const exchange = { method, onClose: () => undefined } as unknown as Exchange;
  for (let i = 0; i < requestsPerRun; i++) {
    const request = new ApiRequest(exchange, url.pathname, url.searchParams, '', 0);
    request.info = info;
    request.user = user;
    await filter(request, next);
  }
};

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
const fair = queueFairly({ control, requestTimeoutMs: 60_000, clock: systemClock }, metrics);
const limited = limitInFlight({ readOnly: 400, mutating: 200 }, metrics as never);

describe.each(requests)(`${requestsPerRun} times %s %s`, (method, target) => {
  for (const [name, user] of Object.entries(users)) bench(name, passes(fair, method, target, user));
  bench('the limits in flight alone', passes(limited, method, target, users['a service account']!));
});
