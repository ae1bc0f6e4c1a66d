/** Query parameters of writes, with upstream's errors. */
import { forbidden, invalid, notSupported, required, tooLong } from '../../machinery/field-error.ts';
import { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { goStrings } from '../../machinery/go-quote.ts';
import { invalid as invalidStatus } from '../../machinery/status.ts';
import { queryFlag } from '../request/query.ts';

const path = (name: string): FieldPath => FieldPath.of(name);

const dryRunAll = 'All';

/**
 * `dryRun` of a query: absent, bare, or `All`, the latter as often as one likes.
 *
 * @NOTE differs from upstream, which documents the bare parameter and refuses it.
 */
export const dryRunParameter = (query: URLSearchParams, kind: string): boolean => isDryRun(dryRunValues(query), kind);

/** @param values of the parameter, or of a field in the body */
export function isDryRun(values: readonly string[], kind: string): boolean {
  if (!isSupported(values))
    throw invalidStatus({ group: 'meta.k8s.io', kind }, '', [
      notSupported(path('dryRun'), goStrings(values), [dryRunAll]),
    ]);
  return values.length > 0;
}

/** As metrics show it. */
export function dryRunLabel(query: URLSearchParams): '' | 'All' | 'invalid' {
  if (!query.has('dryRun')) return '';
  return isSupported(dryRunValues(query)) ? dryRunAll : 'invalid';
}

function dryRunValues(query: URLSearchParams): readonly string[] {
  const values = query.getAll('dryRun');
  return values.length === 1 && values[0] === '' ? [dryRunAll] : values;
}

const isSupported = (values: readonly string[]): boolean => values.every((value) => value === dryRunAll);

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export function fieldValidationParameter(value: string | null, kind: string): FieldValidation {
  if (value === null || value === '') return 'Warn';
  if (value === 'Ignore' || value === 'Warn' || value === 'Strict') return value;
  throw invalidStatus({ group: 'meta.k8s.io', kind }, '', [
    notSupported(path('fieldValidation'), value, ['', 'Ignore', 'Strict', 'Warn']),
  ]);
}

const maxManagerLength = 128;

/** The field manager: the parameter, or the first part of the user agent. */
export function fieldManagerParameter(value: string | null, userAgent: string | undefined, kind: string): string {
  if (value !== null && value !== '') {
    const errors = new FieldErrors();
    if (value.length > maxManagerLength) errors.push(tooLong(path('fieldManager'), maxManagerLength));
    const bad = [...value].findIndex((char) => !/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char));
    if (bad >= 0)
      errors.push(
        invalid(path('fieldManager'), value, `invalid character ${goRune([...value][bad]!)} (at position ${bad})`),
      );
    if (errors.length > 0) throw invalidStatus({ group: 'meta.k8s.io', kind }, '', errors);
    return value;
  }
  const product = (userAgent ?? '').split('/', 1)[0]!;
  const cut = [...product]
    .slice(0, maxManagerLength)
    .filter((char) => /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char))
    .join('');
  return cut === '' ? 'unknown' : cut;
}

const goRune = (char: string): string => `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

export interface WriteParameters {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  /** The options object as admission sees it. */
  readonly options: Readonly<Record<string, unknown>>;
}

export const createParameters = (query: URLSearchParams): WriteParameters => writeParameters(query, 'CreateOptions');

export const updateParameters = (query: URLSearchParams): WriteParameters => writeParameters(query, 'UpdateOptions');

/** @param isApply server-side apply needs a manager, and is the only patch that may be forced */
export function patchParameters(
  query: URLSearchParams,
  isApply: boolean,
): WriteParameters & { readonly force: boolean } {
  const errors = new FieldErrors();
  const isForced = query.has('force') && queryFlag(query.get('force'));
  if (isApply && (query.get('fieldManager') ?? '') === '')
    errors.push(required(path('fieldManager'), 'is required for apply patch'));
  if (!isApply && query.has('force')) errors.push(forbidden(path('force'), 'may not be specified for non-apply patch'));
  if (errors.length > 0) throw invalidStatus({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', errors);
  const parameters = writeParameters(query, 'PatchOptions');
  return {
    ...parameters,
    force: isForced,
    options: isForced ? { ...parameters.options, force: true } : parameters.options,
  };
}

function writeParameters(query: URLSearchParams, kind: string): WriteParameters {
  const dryRun = dryRunParameter(query, kind);
  const fieldValidation = fieldValidationParameter(query.get('fieldValidation'), kind);
  const fieldManager = query.get('fieldManager') ?? '';
  const options = {
    ...(dryRun ? { dryRun: [dryRunAll] } : {}),
    ...(fieldManager === '' ? {} : { fieldManager }),
    ...(query.has('fieldValidation') ? { fieldValidation } : {}),
  };
  return { dryRun, fieldValidation, options };
}
