/** Requests and answers of the thread for large requests, between messages and what the verbs take. */
import { parseQuery } from '../request/query.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import { ApiRequest } from '../request/request.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { InMemoryExchange } from './in-memory-exchange.ts';
import type { LargeRequest, RecordedCall } from './messages.ts';

export function requestOf(
  { method, path, query, headers, body, user, auditId, audit }: LargeRequest,
  recorded: RecordedCall[],
): ApiRequest {
  const parameters = parseQuery(query);
  const request = new ApiRequest(
    new InMemoryExchange({ method, target: path, headers, body: Buffer.from(body) }),
    path,
    parameters,
    auditId,
    performance.now(),
  );
  request.info = parseRequestInfo(method, path, parameters);
  request.user = user;
  if (audit === undefined) return request;
  const keep =
    (name: RecordedCall[0]) =>
    (...args: readonly unknown[]): void =>
      void recorded.push([name, args]);
  request.audit = {
    ...audit,
    annotate: keep('annotate'),
    completeReference: keep('completeReference'),
    keepRequest: keep('keepRequest'),
    keepResponse: keep('keepResponse'),
    keepStatus: () => undefined,
  };
  return request;
}

export function bodyOf(answer: ApiResponse): Uint8Array {
  if ('chunks' in answer) return Buffer.concat([...answer.chunks]);
  if ('stream' in answer) throw new Error('a write is not answered with a stream');
  const { body = '' } = answer;
  return typeof body === 'string' ? Buffer.from(body) : body;
}
