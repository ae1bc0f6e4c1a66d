import type { FieldError } from '../field-error.ts';
import { type FieldErrors, maxFieldErrors } from '../field-errors.ts';

/** Receives the errors of a validation, as functions: most errors of alternatives (`anyOf`) are never made. */
export interface ErrorSink {
  /** Of all, also of those that were not kept. */
  readonly count: number;
  /** Nothing more is kept. */
  readonly isFull: boolean;
  add(make: () => FieldError): void;
}

/** Errors that the client gets. Ends the validation when there are too many. */
export class CollectedErrors implements ErrorSink {
  readonly isFull = false;
  readonly #errors: FieldErrors;

  constructor(errors: FieldErrors) {
    this.#errors = errors;
  }

  get count(): number {
    return this.#errors.length;
  }

  add(make: () => FieldError): void {
    this.#errors.push(make());
  }
}

/** Errors of an alternative that need not match: the validation goes on, and as many are kept as a client can get. */
export class TentativeErrors implements ErrorSink {
  readonly #kept: (() => FieldError)[] = [];
  count = 0;

  get isFull(): boolean {
    return this.#kept.length >= maxFieldErrors;
  }

  add(make: () => FieldError): void {
    this.count++;
    if (!this.isFull) this.#kept.push(make);
  }

  copyTo(errors: ErrorSink): void {
    for (const make of this.#kept) errors.add(make);
  }
}
