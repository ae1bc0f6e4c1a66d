/** Hands the client's connection and one of ours to each other, when the other side has agreed to another protocol. */
import type { Duplex } from 'node:stream';
import { systemClock } from '../../base/clock.ts';
import { copyStream } from '../../server/copy-stream.ts';
import type { ApiResponse, HeaderMap } from '../../server/exchange.ts';
import { answerHeaders } from '../aggregation/forwarded-headers.ts';
import type { BackendResponse, Upgraded } from '../aggregation/backend-session.ts';
import { plainError } from '../../machinery/status.ts';
import type { Throttling } from './throttle.ts';

/** How long the other side may go on when the client has said all it wants to say. */
const lingerMs = 10_000;

/**
 * What the other side says in place of agreeing is an answer like any other if it is an error.
 *
 * Both ends are read only as fast as the other one takes it; when one ends, what it has said is still handed on, and
 * then the other one ends.
 */
export function upgradedAnswer(answer: BackendResponse | Upgraded, throttling: Throttling): ApiResponse {
  const headers = answerHeaders(answer.headers);
  if ('body' in answer) return refusedUpgrade(answer, headers);
  const { connection } = answer;
  return {
    status: 101,
    headers: { ...headers, connection: 'Upgrade', upgrade: answer.headers.get('upgrade') ?? [] },
    ...relayed(connection, throttling),
  };
}

/** The two directions between a client and a connection of ours. */
export function relayed(connection: Duplex, throttling: Throttling): Pick<Relayed, 'input' | 'stream'> {
  const limit = (): void => {
    const timer = systemClock.after(lingerMs, () => connection.destroy());
    connection.once('close', () => timer.cancel());
  };
  const end = (): void => {
    // It may be one that takes nothing any more.
    limit();
    connection.end(() => connection.destroy());
  };
  connection.once('finish', limit);
  const source = throttling.source(connection);
  return {
    input: throttling.target(connection),
    stream: (sink) => copyStream(source, sink, end).finally(() => connection.destroy()),
  };
}

type Relayed = Extract<ApiResponse, { readonly input: unknown }>;

export function refusedUpgrade({ status, body }: BackendResponse, headers: HeaderMap): ApiResponse {
  if (status < 400) {
    body.destroy();
    throw plainError(`invalid upgrade response: status code ${status}`);
  }
  return { status, headers, stream: (sink) => copyStream(body, sink, () => void body.destroy()) };
}
