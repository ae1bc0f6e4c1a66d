/** The query of a request for a log: PodLogOptions. */
import { FieldPath } from '../../machinery/field-path.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../machinery/field-error.ts';
import { parseInteger } from '../../machinery/parse-integer.ts';
import { badRequest, invalid as invalidObject } from '../../machinery/status.ts';
import { parseTime } from '../../machinery/time.ts';
import { flagParameter } from '../request/query.ts';

export interface LogOptions {
  readonly container: string;
  readonly follow: boolean;
  /** `insecureSkipTLSVerifyBackend` */
  readonly skipVerify: boolean;
  /** The query for the node agent. */
  readonly query: URLSearchParams;
}

const streams = ['Stdout', 'Stderr', 'All'];

/** Undefined where the parameter was not given; throws where it is no number. */
function integer(query: URLSearchParams, name: string): bigint | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  try {
    return parseInteger(text);
  } catch (error) {
    throw badRequest((error as Error).message, { cause: error });
  }
}

/** In whole seconds, as they are passed on. */
function time(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name) ?? '';
  if (text === '' || text === 'null') return undefined;
  try {
    return `${new Date(Number(parseTime(text).seconds) * 1000).toISOString().slice(0, 19)}Z`;
  } catch (error) {
    throw badRequest((error as Error).message, { cause: error });
  }
}

/**
 * Throws the answer to a query that is not valid.
 * @param canSelectStream feature gate PodLogsQuerySplitStreams
 */
export function logOptions(query: URLSearchParams, podName: string, canSelectStream: boolean): LogOptions {
  const sinceSeconds = integer(query, 'sinceSeconds');
  const sinceTime = time(query, 'sinceTime');
  const tailLines = integer(query, 'tailLines');
  const limitBytes = integer(query, 'limitBytes');
  const stream = query.get('stream') ?? (canSelectStream ? 'All' : undefined);
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0n)
    errors.push(invalid(FieldPath.of('tailLines'), tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1n)
    errors.push(invalid(FieldPath.of('limitBytes'), limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    errors.push(forbidden(FieldPath.of(''), 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  else if (sinceSeconds !== undefined && sinceSeconds < 1n)
    errors.push(invalid(FieldPath.of('sinceSeconds'), sinceSeconds, 'must be greater than 0'));
  errors.push(...streamErrors(stream, tailLines, canSelectStream));
  if (errors.length > 0) throw invalidObject({ group: '', kind: 'PodLogOptions' }, podName, errors);

  const sent = new URLSearchParams();
  for (const flag of ['follow', 'previous', 'timestamps']) if (flagParameter(query, flag)) sent.set(flag, 'true');
  const values = { sinceSeconds, sinceTime, tailLines, limitBytes, stream };
  for (const [name, value] of Object.entries(values)) if (value !== undefined) sent.set(name, String(value));
  sent.sort();
  return {
    container: query.get('container') ?? '',
    follow: flagParameter(query, 'follow'),
    skipVerify: flagParameter(query, 'insecureSkipTLSVerifyBackend'),
    query: sent,
  };
}

function streamErrors(stream: string | undefined, tailLines: bigint | undefined, canSelect: boolean): FieldError[] {
  const path = FieldPath.of('stream');
  if (!canSelect) return stream === undefined ? [] : [forbidden(path, 'may not be specified')];
  if (stream === undefined) return [required(path, 'must be specified')];
  if (!streams.includes(stream)) return [notSupported(path, stream, streams.toSorted())];
  return stream === 'All' || tailLines === undefined
    ? []
    : [forbidden(FieldPath.of(''), '`tailLines` and specific `stream` are mutually exclusive for now')];
}
