import type { FieldError } from '../field-error.ts';
import { type FieldErrors, maxFieldErrors } from '../field-errors.ts';

/** Where a validation puts what it finds. Errors are made when they are told: those of alternatives mostly are not. */
export interface ErrorSink {
  /** Of all, also of those that were not kept. */
  readonly count: number;
  /** Nothing more is kept. */
  readonly isFull: boolean;
  add(make: () => FieldError): void;
}

/** Findings that are told. Ends the validation when there are too many. */
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

/** Findings against a schema that need not be met: the validation goes on, and as many are kept as can be told. */
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

  copyTo(findings: ErrorSink): void {
    for (const make of this.#kept) findings.add(make);
  }
}
