import { TooManyErrors } from '../../machinery/field-errors.ts';
import {
  invalid,
  isStatusError,
  plainError,
  requestEntityTooLarge,
  StatusError,
  tooManyRequests,
} from '../../machinery/status.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import { statusResponse } from '../representation/status.ts';
import { type ApiResponse, BodyTooLarge, BrokenBody, ClientGone, TooManyBodies } from '../../server/exchange.ts';
import { type Filter } from '../request/request.ts';
import { RequestTimedOut } from './request-timed-out.ts';

/** Where unexpected errors are written. */
export interface ErrorLog {
  error(details: object, message: string): void;
}

/**
 * The outermost step: every error becomes a Status. What is not a StatusError is a programmer's error: the log gets
 * all of it, the client only that it happened.
 */
export function renderErrors(log: ErrorLog, metrics: Pick<RequestMetrics, 'terminated'>): Filter {
  return async (request, next) => {
    try {
      return await next();
    } catch (error) {
      if (statusOf(error) === undefined) metrics.terminated(request, 500);
      if (error instanceof RequestTimedOut)
        return { status: error.code, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: error.toText() };
      if (error instanceof TooManyBodies) metrics.terminated(request, 429);
      const status = toStatus(error, (cause) =>
        log.error(
          { err: cause, auditId: request.auditId, method: request.method, path: request.path },
          'request failed',
        ),
      );
      return request.isRefusedInPlainText ? plainResponse(status) : statusResponse(request, status);
    }
  };
}

/** A line of text. @see {@link https://pkg.go.dev/net/http#Error | http.Error}, which the reference answers with */
const plainResponse = ({ code, message, details }: StatusError): ApiResponse => ({
  status: code,
  headers: {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    ...(details?.retryAfterSeconds === undefined ? {} : { 'retry-after': String(details.retryAfterSeconds) }),
  },
  body: `${message}\n`,
});

/** The Status that an error stands for. Undefined for an unexpected error. */
export function statusOf(error: unknown): StatusError | undefined {
  if (isStatusError(error)) return error;
  if (error instanceof TooManyErrors) return invalid({ group: '', kind: '' }, '', error);
  if (error instanceof BrokenBody || error instanceof ClientGone) return plainError(error.message);
  // As for too many requests.
  if (error instanceof TooManyBodies) return tooManyRequests('Too many requests, please try again later.', 1);
  return error instanceof BodyTooLarge ? requestEntityTooLarge(error.message) : undefined;
}

function toStatus(error: unknown, report: (cause: unknown) => void): StatusError {
  const status = statusOf(error);
  if (status === undefined || (status.code >= 500 && status.cause !== undefined)) report(error);
  return (
    status ??
    new StatusError(500, 'InternalError', 'Internal error occurred: the server could not finish the request', {
      causes: [{ message: 'the server could not finish the request' }],
    })
  );
}
