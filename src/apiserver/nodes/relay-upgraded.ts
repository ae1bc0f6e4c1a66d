/** Hands the client's connection and one of ours to each other, when the other side has agreed to another protocol. */
import type { Duplex } from 'node:stream';
import { copyStream } from '../../server/copy-stream.ts';
import type { ApiResponse, HeaderMap } from '../../server/exchange.ts';
import { answerHeaders } from '../aggregation/forwarded-headers.ts';
import type { BackendResponse, Upgraded } from '../aggregation/backend-session.ts';
import { plainError } from '../../machinery/status.ts';

/**
 * What the other side says in place of agreeing is an answer like any other if it is an error.
 *
 * Both ends are read only as fast as the other one takes it; when one ends, what it has said is still handed on, and
 * then the other one ends.
 */
export function upgradedAnswer(answer: BackendResponse | Upgraded): ApiResponse {
  const headers = answerHeaders(answer.headers);
  if ('body' in answer) return refusedUpgrade(answer, headers);
  const { connection } = answer;
  return {
    status: 101,
    headers: { ...headers, connection: 'Upgrade', upgrade: answer.headers.get('upgrade') ?? [] },
    input: connection,
    stream: (sink) => copyStream(connection, sink, () => endOf(connection)),
  };
}

export function refusedUpgrade({ status, body }: BackendResponse, headers: HeaderMap): ApiResponse {
  if (status < 400) {
    body.destroy();
    throw plainError(`invalid upgrade response: status code ${status}`);
  }
  return { status, headers, stream: (sink) => copyStream(body, sink, () => void body.destroy()) };
}

const endOf = (connection: Duplex): void => void connection.end(() => connection.destroy());
