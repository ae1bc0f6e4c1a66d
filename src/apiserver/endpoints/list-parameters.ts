/** Query parameters of reads, with upstream's errors. */
import { forbidden, notSupported } from '../../machinery/field-error.ts';
import { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { parseInteger as parseInt64 } from '../../machinery/parse-integer.ts';
import { badRequest, invalid as invalidStatus, plainError } from '../../machinery/status.ts';
import type { ReadVersion } from '../../storage/objects.ts';
import { flagParameter } from '../request/query.ts';

export function parseInteger(text: string): number {
  try {
    return Number(parseInt64(text));
  } catch (error) {
    throw badRequest((error as Error).message, { cause: error });
  }
}

export const integerParameter = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name);
  return text === null ? undefined : parseInteger(text);
};

/** A resourceVersion parameter as a revision. Throws what upstream throws: a bare error. */
export function parseResourceVersion(text: string): number {
  const invalid = (why: string): Error =>
    plainError(
      `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: ` +
        `parsing ${JSON.stringify(text)}: ${why}`,
    );
  if (!/^\d+$/.test(text)) throw invalid('invalid syntax');
  // Many digits take long to read.
  if (text.replace(/^0*/, '').length > 20 || BigInt(text) >= 2n ** 64n) throw invalid('value out of range');
  return Number(text);
}

/** The version a GET reads at: unset, `0`, or not older than. */
export function getVersion(query: URLSearchParams): ReadVersion {
  const text = query.get('resourceVersion') ?? '';
  if (text === '') return { match: 'mostRecent' };
  const revision = parseResourceVersion(text);
  return revision === 0 ? { match: 'any' } : { match: 'notOlderThan', revision };
}

const path = (name: string): FieldPath => FieldPath.of(name);

export interface ListParameters {
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly limit: number;
  readonly continueToken: string;
  readonly sendInitialEvents: boolean | undefined;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
}

export function listParameters(query: URLSearchParams, watch: boolean): ListParameters {
  return {
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    limit: integerParameter(query, 'limit') ?? 0,
    continueToken: query.get('continue') ?? '',
    sendInitialEvents: query.has('sendInitialEvents') ? flagParameter(query, 'sendInitialEvents') : undefined,
    watch,
    allowWatchBookmarks: flagParameter(query, 'allowWatchBookmarks'),
    timeoutSeconds: integerParameter(query, 'timeoutSeconds'),
  };
}

/** The combinations that the table of API Concepts calls invalid, as 422 of kind ListOptions. */
export function validateListParameters(parameters: ListParameters, watchListEnabled: boolean): void {
  const errors = parameters.watch ? watchErrors(parameters, watchListEnabled) : listErrors(parameters);
  if (errors.length > 0) throw invalidStatus({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
}

function matchErrors({ resourceVersion, resourceVersionMatch, continueToken }: ListParameters): FieldErrors {
  const errors = new FieldErrors();
  const at = path('resourceVersionMatch');
  if (resourceVersion === '')
    errors.push(forbidden(at, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
  if (continueToken !== '') errors.push(forbidden(at, 'resourceVersionMatch is forbidden when continue is provided'));
  if (resourceVersionMatch !== 'Exact' && resourceVersionMatch !== 'NotOlderThan')
    errors.push(notSupported(at, resourceVersionMatch, ['Exact', 'NotOlderThan', '']));
  if (resourceVersionMatch === 'Exact' && resourceVersion === '0')
    errors.push(forbidden(at, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  return errors;
}

function listErrors(parameters: ListParameters): FieldErrors {
  const errors = parameters.resourceVersionMatch === '' ? new FieldErrors() : matchErrors(parameters);
  if (parameters.sendInitialEvents !== undefined)
    errors.push(forbidden(path('sendInitialEvents'), 'sendInitialEvents is forbidden for list'));
  return errors;
}

function watchErrors(parameters: ListParameters, enabled: boolean): FieldErrors {
  const { resourceVersionMatch, continueToken, sendInitialEvents } = parameters;
  const at = path('resourceVersionMatch');
  const errors = new FieldErrors();
  if (sendInitialEvents === undefined) {
    if (resourceVersionMatch !== '')
      errors.push(forbidden(at, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
    if (continueToken !== '') errors.push(forbidden(at, 'resourceVersionMatch is forbidden when continue is provided'));
    return errors;
  }
  if (!enabled)
    errors.push(
      forbidden(
        path('sendInitialEvents'),
        'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
      ),
    );
  if (resourceVersionMatch === '')
    errors.push(forbidden(at, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  else if (resourceVersionMatch !== 'NotOlderThan')
    errors.push(notSupported(at, resourceVersionMatch, ['NotOlderThan']));
  if (continueToken !== '') errors.push(forbidden(at, 'resourceVersionMatch is forbidden when continue is provided'));
  return errors;
}
