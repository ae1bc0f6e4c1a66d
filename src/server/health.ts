/**
 * `/healthz`, `/livez`, `/readyz`: named checks, each a path of its own, with `?verbose` and `?exclude=`.
 * @see {@link https://kubernetes.io/docs/reference/using-api/health-checks/ | API health endpoints}
 */
import type { ApiResponse } from './exchange.ts';
import { notFoundPage } from './not-found-page.ts';

export interface HealthCheck {
  readonly name: string;
  /** Resolves when healthy; the reason of a rejection goes to the log, not to the caller. */
  check(signal: AbortSignal): Promise<void> | void;
}

/** What is asked of a request. */
export interface HealthRequest {
  readonly query: URLSearchParams;
  /** Ends when the client is gone or has no more time. */
  readonly signal: AbortSignal;
}

export interface HealthLog {
  warn(details: object, message: string): void;
}

/** Told of each check that came to an end. */
export type HealthObserver = (name: string, endpoint: HealthEndpoint, healthy: boolean) => void;

export const healthEndpoints = ['healthz', 'livez', 'readyz'] as const;
export type HealthEndpoint = (typeof healthEndpoints)[number];

export interface HealthChecks {
  readonly observe?: HealthObserver;
  readonly healthz: readonly HealthCheck[];
  readonly livez: readonly HealthCheck[];
  readonly readyz: readonly HealthCheck[];
}

const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };

export async function serveHealth(
  endpoint: HealthEndpoint,
  path: string,
  checks: HealthChecks,
  request: HealthRequest,
  log: HealthLog,
): Promise<ApiResponse> {
  const all = checks[endpoint];
  const single = path.slice(endpoint.length + 2);
  if (path !== `/${endpoint}`) {
    const found = all.find(({ name }) => name === single);
    return found === undefined ? notFoundPage : oneCheck(endpoint, found, checks, request, log);
  }
  return allChecks(endpoint, checks, request, log);
}

async function oneCheck(
  endpoint: HealthEndpoint,
  check: HealthCheck,
  checks: HealthChecks,
  request: HealthRequest,
  log: HealthLog,
): Promise<ApiResponse> {
  const failed = await hasFailed(endpoint, check, checks, request.signal, log);
  return failed
    ? { status: 500, headers, body: `internal server error: ${endpoint} check ${check.name} failed\n` }
    : { status: 200, headers, body: 'ok' };
}

async function allChecks(
  endpoint: HealthEndpoint,
  checks: HealthChecks,
  request: HealthRequest,
  log: HealthLog,
): Promise<ApiResponse> {
  const excluded = new Set(request.query.getAll('exclude').flatMap((value) => value.split(',')));
  const lines: string[] = [];
  let failed = false;
  for (const check of checks[endpoint]) {
    if (excluded.delete(check.name)) lines.push(`[+]${check.name} excluded: ok`);
    else if (await hasFailed(endpoint, check, checks, request.signal, log)) {
      failed = true;
      lines.push(`[-]${check.name} failed: reason withheld`);
    } else lines.push(`[+]${check.name} ok`);
  }
  if (failed) return { status: 500, headers, body: `${lines.join('\n')}\n${endpoint} check failed\n` };
  return {
    status: 200,
    headers,
    body: request.query.has('verbose') ? `${lines.join('\n')}\n${unmatched(excluded)}${endpoint} check passed\n` : 'ok',
  };
}

const unmatched = (names: ReadonlySet<string>): string =>
  names.size === 0
    ? ''
    : 'warn: some health checks cannot be excluded: no matches ' +
      `for ${[...names].map((name) => JSON.stringify(name)).join(',')}\n`;

async function hasFailed(
  endpoint: HealthEndpoint,
  check: HealthCheck,
  { observe }: HealthChecks,
  signal: AbortSignal,
  log: HealthLog,
): Promise<boolean> {
  if (signal.aborted) return true;
  try {
    await check.check(signal);
    observe?.(check.name, endpoint, true);
    return false;
  } catch (error) {
    // Given up because its client went away or wanted no more time: that says nothing of this server.
    if (signal.aborted) return true;
    log.warn({ err: error, check: check.name }, 'health check failed');
    observe?.(check.name, endpoint, false);
    return true;
  }
}
