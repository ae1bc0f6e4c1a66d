import { type FieldPath } from './field-path.ts';
import { GoSyntax, goQuote } from './go-quote.ts';
import { TruncatedText, truncateQuoted, truncateText } from './truncated-text.ts';

/**
 * Errors about fields of an object, with upstream's types and wording: clients show the messages and match on
 * reason and field.
 */
export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueDuplicate'
  | 'FieldValueNotFound'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/** Stands for the value of an `invalid` error whose message shows none. */
export const omitted = Symbol('omitted');

/** What a message can show: text is quoted, `GoSyntax` and numbers are printed as they are. */
export type ShownValue = string | number | bigint | boolean | null | undefined | GoSyntax | typeof omitted;

export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  /** Without the field: `Invalid value: "x": must be …`. The message of the cause. */
  readonly body: string;
}

export const fieldErrorText = (error: FieldError): string => `${error.field}: ${error.body}`;

const show = (value: ShownValue): string => {
  if (typeof value === 'string') return truncateQuoted(value, goQuote);
  if (value instanceof GoSyntax) return truncateText(value.text);
  return value === null || value === undefined ? '"null"' : String(value);
};

const titled = (title: string, value: ShownValue): string => (value === omitted ? title : `${title}: ${show(value)}`);

const make = (type: FieldErrorType, path: FieldPath, title: string, detail: string): FieldError => ({
  type,
  field: path.toString(),
  body: detail === '' ? title : `${title}: ${truncateText(detail)}`,
});

export const required = (path: FieldPath, detail = ''): FieldError =>
  make('FieldValueRequired', path, 'Required value', detail);

export const invalid = (path: FieldPath, value: ShownValue, detail: string): FieldError =>
  make('FieldValueInvalid', path, titled('Invalid value', value), detail);

const allOf = (supported: readonly string[]): TruncatedText => {
  const text = new TruncatedText();
  return text.addAll(supported, ', ', (value) => text.add(truncateQuoted(value, goQuote)));
};

/** `supported` is shown in the order given; upstream sorts sets and keeps lists. */
export const notSupported = (path: FieldPath, value: ShownValue, supported: readonly string[]): FieldError =>
  make(
    'FieldValueNotSupported',
    path,
    `Unsupported value: ${show(value)}`,
    supported.length === 0 ? '' : `supported values: ${allOf(supported)}`,
  );

export const forbidden = (path: FieldPath, detail: string): FieldError =>
  make('FieldValueForbidden', path, 'Forbidden', detail);

export const duplicate = (path: FieldPath, value: ShownValue): FieldError =>
  make('FieldValueDuplicate', path, `Duplicate value: ${show(value)}`, '');

export const notFound = (path: FieldPath, value: ShownValue): FieldError =>
  make('FieldValueNotFound', path, `Not found: ${show(value)}`, '');

export const tooLong = (path: FieldPath, maxLength: number): FieldError =>
  make(
    'FieldValueTooLong',
    path,
    'Too long',
    maxLength >= 0 ? `may not be more than ${maxLength} bytes` : 'value is too long',
  );

export const tooMany = (path: FieldPath, actual: number, max: number): FieldError =>
  make('FieldValueTooMany', path, `Too many: ${actual}`, `must have at most ${max} items`);

export const typeInvalid = (path: FieldPath, value: ShownValue, detail: string): FieldError =>
  make('FieldValueTypeInvalid', path, titled('Invalid value', value), detail);

export const internal = (path: FieldPath, message: string): FieldError =>
  make('InternalError', path, 'Internal error', message);

/** Characters of all errors together that an answer shows. */
const maxTotalLength = 256 * 1024;

/** The first errors, as many as an answer shows. */
export function shownErrors(errors: readonly FieldError[]): readonly FieldError[] {
  let length = 0;
  for (const [i, error] of errors.entries()) {
    length += error.field.length + error.body.length;
    if (length > maxTotalLength && i > 0) return errors.slice(0, i);
  }
  return errors;
}

/**
 * Several errors as one text: `a`, or `[a, b]` with equal texts shown once, and at the end how many there are more.
 *
 * @param isCut the errors are not all that there are
 */
export function aggregateText(errors: readonly FieldError[], isCut = false): string {
  const shown = shownErrors(errors);
  const texts = new Set(shown.map(fieldErrorText));
  const hidden = errors.length - shown.length;
  if (isCut) texts.add(`and at least ${moreErrors(hidden + 1)}`);
  else if (hidden > 0) texts.add(`and ${moreErrors(hidden)}`);
  const [first] = texts;
  return texts.size === 1 ? first! : `[${[...texts].join(', ')}]`;
}

const moreErrors = (count: number): string => `${count} more error${count === 1 ? '' : 's'}`;
