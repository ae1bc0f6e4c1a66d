import { jsonEqual, keysOf, memberOf } from '../members.ts';
import { isObject, type JsonValue } from '../value.ts';

/** Thrown when a validation has taken too many steps. */
export const tooMuch = new Error('a validation takes too many steps');

/**
 * Values that are compared with schemas. A body has space for some 1.5 million values; with alternatives each is
 * compared several times, and the product of both can be anything.
 */
const maxSteps = 3_000_000;

/** Counts the steps of the validation of one object. */
export class StepLimit {
  #steps = 0;
  /** By value, what it was compared with: a part is compared once, not again with each of the parts around it. */
  readonly #same = new WeakMap<object, Map<JsonValue, boolean>>();

  step(): void {
    if (++this.#steps > maxSteps) throw tooMuch;
  }

  #comparedMs = 0;

  /** What comparing values with what they were has taken. */
  get comparedMs(): number {
    return this.#comparedMs;
  }

  /** Whether a value is what it was. */
  isSame(old: JsonValue, value: JsonValue): boolean {
    // Looking at the clock takes longer than comparing what has no parts.
    if (typeof value !== 'object') return jsonEqual(old, value);
    const start = performance.now();
    const same = this.#isSame(old, value);
    this.#comparedMs += performance.now() - start;
    return same;
  }

  #isSame(old: JsonValue, value: JsonValue): boolean {
    if (old === value || typeof old !== 'object' || typeof value !== 'object' || old === null || value === null)
      return jsonEqual(old, value);
    let known = this.#same.get(value);
    if (known === undefined) this.#same.set(value, (known = new Map()));
    let same = known.get(old);
    if (same === undefined) known.set(old, (same = this.#compare(old, value)));
    return same;
  }

  #compare(old: object, value: object): boolean {
    if (Array.isArray(value))
      return (
        Array.isArray(old) &&
        old.length === value.length &&
        value.every((item, i) => this.#isSame(old[i] as JsonValue, item as JsonValue))
      );
    if (!isObject(value) || !isObject(old)) return jsonEqual(old as JsonValue, value as JsonValue);
    const keys = keysOf(value);
    return (
      keys.length === keysOf(old).length &&
      keys.every((key) => {
        const before = memberOf(old, key);
        return before !== undefined && this.#isSame(before, value[key]!);
      })
    );
  }
}
