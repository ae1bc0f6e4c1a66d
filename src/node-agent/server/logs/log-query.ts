/** What a request for a log asks for: PodLogOptions, as the API server passes them on. */
import { parseInteger } from '../../../machinery/parse-integer.ts';
import { parseTime } from '../../../machinery/time.ts';
import { Refusal } from '../refusal.ts';

export interface LogQuery {
  readonly follow: boolean;
  /** The container before the present one. */
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Lines from then on, in milliseconds since 1970. */
  readonly since: number | undefined;
  /** The last ones of the file; of lines longer than what the runtime writes at once each part counts. */
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  /** Of one stream alone. */
  readonly stream: 'stdout' | 'stderr' | undefined;
}

const streams: Readonly<Record<string, LogQuery['stream'] | 'all'>> = {
  All: 'all',
  Stdout: 'stdout',
  Stderr: 'stderr',
};

/**
 * Throws a {@link Refusal}.
 *
 * @param now milliseconds since 1970
 * @param canSelectStream feature gate PodLogsQuerySplitStreams
 */
export function readLogQuery(query: URLSearchParams, now: number, canSelectStream: boolean): LogQuery {
  const sinceSeconds = decoded(query, 'sinceSeconds', integer);
  const sinceTime = decoded(query, 'sinceTime', time);
  const tailLines = decoded(query, 'tailLines', integer);
  const limitBytes = decoded(query, 'limitBytes', integer);
  const stream = canSelectStream ? (query.get('stream') ?? 'All') : 'All';
  if (
    (tailLines !== undefined && tailLines < 0) ||
    (limitBytes !== undefined && limitBytes < 1) ||
    (sinceSeconds !== undefined && (sinceSeconds < 1 || sinceTime !== undefined)) ||
    !Object.hasOwn(streams, stream) ||
    (stream !== 'All' && tailLines !== undefined)
  )
    throw refusal(422, 'Invalid request.');
  const wanted = streams[stream]!;
  return {
    follow: flag(query, 'follow'),
    previous: flag(query, 'previous'),
    timestamps: flag(query, 'timestamps'),
    since: sinceSeconds === undefined ? sinceTime : now - sinceSeconds * 1000,
    tailLines,
    limitBytes,
    stream: wanted === 'all' ? undefined : wanted,
  };
}

const refusal = (status: number, message: string): Refusal => new Refusal(status, JSON.stringify({ message }));

function decoded<T>(query: URLSearchParams, name: string, read: (text: string) => T): T | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  try {
    return read(text);
  } catch {
    throw refusal(400, 'Unable to decode query.');
  }
}

const integer = (text: string): number => Number(parseInteger(text));

function time(text: string): number | undefined {
  if (text === '' || text === 'null') return undefined;
  return Number(parseTime(text).seconds) * 1000;
}

/** There without a value, or with any but 0 and false. */
function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}
