/**
 * The variable `variables` of a policy: named expressions, each of which is evaluated when an expression first asks for
 * it, and not again for the same request.
 *
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/ | Validating
 *   Admission Policy: variable composition}
 */
import type { Failure, Program } from '../environment.ts';
import type { Bindings } from '../evaluate/state.ts';
import { CelError, MapValue, type Value } from '../values/values.ts';

export class LazyVariables extends MapValue {
  readonly #programs: ReadonlyMap<string, Program | Failure>;
  readonly #bindings: Bindings;
  readonly #values = new Map<string, Value>();
  #cost = 0;

  /** @param bindings what else the expressions use; `variables` in them is this value */
  constructor(programs: ReadonlyMap<string, Program | Failure>, bindings: Bindings) {
    super();
    this.#programs = programs;
    this.#bindings = { ...bindings, variables: this };
  }

  override get size(): number {
    return this.#programs.size;
  }

  override get(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const program = this.#programs.get(key);
    if (program === undefined) return undefined;
    let value = this.#values.get(key);
    if (value === undefined) this.#values.set(key, (value = this.#evaluate(key, program)));
    return value;
  }

  override keys(): readonly string[] {
    return [...this.#programs.keys()];
  }

  override has(key: Value): boolean {
    return typeof key === 'string' && this.#programs.has(key);
  }

  /** Units that variables have cost since this was last asked. */
  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  #evaluate(name: string, program: Program | Failure): Value {
    if ('failure' in program) return new CelError(`composited variable "${name}" fails to compile: ${program.failure}`);
    const outcome = program.evaluateWithin(this.#bindings);
    this.#cost += outcome.cost;
    return 'error' in outcome
      ? new CelError(`composited variable "${name}" fails to evaluate: ${outcome.error}`)
      : outcome.value;
  }
}
