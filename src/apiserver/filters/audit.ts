/**
 * Audit logging of requests. Two filters: one before authentication, which records requests that it refuses, and one
 * after it, which records all others.
 * @see {@link https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/ | Auditing}
 */
import type { AuditRecord } from '../audit/record.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { ApiRequest, Filter } from '../request/request.ts';
import { statusOf } from './error-rendering.ts';

/** Failed logins, and requests that ran out of time. Steps inside may annotate from here on. */
export function recordRefused(trail: AuditTrail): Filter {
  return async (request, next) => {
    const record = trail.recordOf(request);
    request.audit = record;
    try {
      return await next();
    } catch (error) {
      if (!record.isBegun) await recordRefusal(record, error);
      // The request is still in work inside; its caller has the answer now.
      else if (!record.isDone) await fail(request, record, error);
      throw error;
    }
  };
}

async function recordRefusal(record: AuditRecord, error: unknown): Promise<void> {
  if (!record.begin(undefined)) return;
  keepError(record, error);
  await record.end('ResponseStarted');
}

export function recordRequests(trail: AuditTrail): Filter {
  return async (request, next) => {
    const record = request.audit as AuditRecord;
    if (!record.begin(request.user)) {
      request.audit = undefined;
      return next();
    }
    const received = record.reach('RequestReceived');
    if (!(received === true || (await received))) return notStored(request, record, trail);
    let response: ApiResponse;
    try {
      response = await next();
    } catch (error) {
      await fail(request, record, error);
      throw error;
    }
    const stored = answer(request, record, response);
    if (stored !== undefined) await stored;
    return response;
  };
}

/** Undefined, or when the event is stored. */
function answer(request: ApiRequest, record: AuditRecord, response: ApiResponse): Promise<boolean> | undefined {
  if (record.isDone) return undefined;
  record.setCode(response.status);
  if (!request.isLongRunning) return pending(record.end('ResponseComplete'));
  const started = record.reach('ResponseStarted');
  request.exchange.onClose(() => void record.end('ResponseComplete'));
  return pending(started);
}

const pending = (result: Promise<boolean> | boolean): Promise<boolean> | undefined =>
  typeof result === 'boolean' ? undefined : result;

/**
 * What is no Status is a mistake of the server's.
 *
 * @NOTE differs from upstream: its message may have anything in it, so the event has only its name.
 */
async function fail(request: ApiRequest, record: AuditRecord, error: unknown): Promise<void> {
  if (record.isDone) return;
  const isExpected = keepError(record, error);
  if (isExpected && request.isLongRunning) await record.reach('ResponseStarted');
  await record.end(isExpected ? 'ResponseComplete' : 'Panic');
}

function keepError(record: AuditRecord, error: unknown): boolean {
  const known = statusOf(error);
  // Upstream detects that there is no acceptable media type when it writes the answer, and has no object to record
  // then.
  if (known?.code === 406) {
    record.setCode(406);
    return true;
  }
  const status = known?.toStatus() ?? {
    status: 'Failure' as const,
    message: `APIServer panic'd: ${error instanceof Error ? error.name : typeof error}`,
    reason: 'InternalError',
    code: 500,
  };
  record.keepStatus(status);
  if (record.keepsResponse && known !== undefined) record.keepResponse(JSON.stringify(status));
  return known !== undefined;
}

/** In the words of the reference, which answers here before it knows how to write a Status. */
function notStored({ exchange }: ApiRequest, record: AuditRecord, trail: AuditTrail): ApiResponse {
  trail.counters.rejected();
  record.drop();
  const body = `Internal Server Error: ${JSON.stringify(exchange.target)}: failed to store audit event\n`;
  return {
    status: 500,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body,
  };
}
