/** A value that is validated: its path, its old value, and the errors found. */
import type { FieldError } from '../field-error.ts';
import { FieldPath } from '../field-path.ts';
import { truncateText } from '../truncated-text.ts';
import type { JsonValue } from '../value.ts';
import type { ErrorSink } from './validation-errors.ts';
import type { StepLimit } from './step-limit.ts';

export interface ValidatedValue {
  /** `spec.list[0].name`; '' is the object itself. */
  readonly path: string;
  /** The value that was there before; undefined when there was none, or it cannot be determined. */
  readonly old: JsonValue | undefined;
  readonly found: ErrorSink;
  readonly work: StepLimit;
}

/** How much of the schema was met: among alternatives the errors of the best one are told. */
export type Matches = number;

export function failed({ found }: ValidatedValue, make: () => FieldError): Matches {
  found.add(make);
  return 0;
}

export const met: Matches = 1;

export const pathOf = (path: string): FieldPath => (path === '' ? FieldPath.root : FieldPath.of(path));

/** `spec.size in body …` */
export const inBody = ({ path }: ValidatedValue, rule: string): string => `${truncateText(path)} in body ${rule}`;
