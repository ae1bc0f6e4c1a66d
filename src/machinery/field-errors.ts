import type { FieldError } from './field-error.ts';

/**
 * How many errors are looked for. Upstream looks for all. Each costs more than the item that it is about, and a client
 * does not read so many.
 */
export const maxFieldErrors = 256;

/** A validation that ended before its end: what it has found until then. */
export class TooManyErrors extends Error {
  override readonly name = 'TooManyErrors';
  readonly errors: readonly FieldError[];

  constructor(errors: readonly FieldError[]) {
    super('too many errors');
    this.errors = errors;
  }
}

/**
 * Errors in the order in which a validation finds them. Validators take and return it rather than an array: a list that
 * is full ends the validation, which is answered with what was found ({@link TooManyErrors}).
 */
export class FieldErrors extends Array<FieldError> {
  /** No array is taken for one. */
  declare protected readonly isBounded: true;

  /** Lists that are made of it are arrays. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  static joined(...lists: readonly (readonly FieldError[])[]): FieldErrors {
    const errors = new FieldErrors();
    for (const list of lists) errors.push(...list);
    return errors;
  }

  override push(...errors: FieldError[]): number {
    for (const error of errors) {
      super.push(error);
      if (this.length >= maxFieldErrors) throw new TooManyErrors(this);
    }
    return this.length;
  }
}

/** What a validation finds, or as much of it as there is place for. */
export function gathered(validate: () => readonly FieldError[]): readonly FieldError[] {
  try {
    return validate();
  } catch (error) {
    if (error instanceof TooManyErrors) return error.errors;
    throw error;
  }
}

const found = new Error('an error was found');

class FirstError extends FieldErrors {
  override push(): never {
    throw found;
  }
}

/** Whether a check finds anything; it ends with the first. */
export function findsErrors(check: (errors: FieldErrors) => void): boolean {
  try {
    check(new FirstError());
    return false;
  } catch (error) {
    if (error === found || error instanceof TooManyErrors) return true;
    throw error;
  }
}
