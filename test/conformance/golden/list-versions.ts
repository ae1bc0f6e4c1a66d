/**
 * Versions of lists in recorded answers. A list has the version of the whole store, so it grows with the server's own
 * background writes, which happen at other times than when the answer was recorded. They become `<from:N>`, those of
 * the pages after a first one, which have its version, `<page:N>`, and those that the request names `<exact:N>`.
 */
import type { RecordedStep } from './recording.ts';

type Kind = 'from' | 'page' | 'exact';

/**
 * The step with another placeholder for `<rv:N>` wherever an answer gives the version of the store and not of an
 * object.
 */
export function withListVersions(step: RecordedStep): RecordedStep {
  const { request, response } = step;
  if (response.events !== undefined) {
    const during = request.during?.map(withListVersions);
    return {
      ...step,
      request: { ...request, ...(during === undefined ? {} : { during }) },
      response: { ...response, events: response.events.map(looseBookmark) },
    };
  }
  const kind = kindOf(request.path);
  return kind !== undefined && 'body' in response
    ? { ...step, response: { ...response, body: looseList(response.body, kind) } }
    : step;
}

/** Undefined for one object. */
function kindOf(path: string): Kind | undefined {
  const { pathname, searchParams } = new URL(path.replaceAll(/[<>]/g, '-'), 'http://server');
  const parts = pathname.split('/').filter((part) => part !== '');
  const below = parts.slice(parts[0] === 'apis' ? 3 : 2);
  const isOfNamespace =
    below[0] === 'namespaces' && below.length > 2 && below[2] !== 'status' && below[2] !== 'finalize';
  const match = searchParams.get('resourceVersionMatch');
  const isFixed =
    match === 'Exact' ||
    (match === null && searchParams.has('limit') && Number(searchParams.get('resourceVersion')) > 0);
  if (below.length !== (isOfNamespace ? 3 : 1)) return undefined;
  if (searchParams.has('continue')) return 'page';
  return isFixed ? 'exact' : 'from';
}

const loose = (version: string, kind: Kind): string => version.replace(/^<rv:/, `<${kind}:`);

const isVersion = (value: unknown): value is string => typeof value === 'string' && /^<rv:\d+>$/.test(value);

function looseList(body: unknown, kind: Kind): unknown {
  // The metadata of a list have no indented members but these.
  if (typeof body === 'string')
    return body.replace(
      /^(metadata:\n(?: {2}(?:continue|remainingItemCount): .*\n)* {2}resourceVersion: ")<rv:(\d+)>/m,
      `$1<${kind}:$2>`,
    );
  const fields = (body as { fields?: unknown } | undefined)?.fields;
  // runtime.Unknown: raw = 2; of a list ListMeta = 1, there resourceVersion = 2.
  if (fields !== undefined)
    return { ...(body as object), fields: replaced(fields, ['k8s', '2', '0', '1', '0', '2', '0'], kind) };
  const isList = typeof body === 'object' && body !== null && ('items' in body || 'rows' in body);
  return isList ? replaced(body, ['metadata', 'resourceVersion'], kind) : body;
}

function looseBookmark(event: unknown): unknown {
  return (event as { type?: string } | undefined)?.type === 'BOOKMARK'
    ? replaced(event, ['object', 'metadata', 'resourceVersion'], 'from')
    : event;
}

/** The value with the version at the path made loose; unchanged where there is none. */
function replaced(value: unknown, [key, ...rest]: readonly string[], kind: Kind): unknown {
  if (key === undefined) return isVersion(value) ? loose(value, kind) : value;
  if (Array.isArray(value))
    return value.map((item, i) => (String(i) === key ? replaced(item, rest, kind) : (item as unknown)));
  if (typeof value !== 'object' || value === null || !(key in value)) return value;
  return { ...value, [key]: replaced((value as Record<string, unknown>)[key], rest, kind) };
}
