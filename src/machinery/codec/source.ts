/**
 * A function made from source text. The text comes from our own schema alone; names of members enter it as JSON strings
 * and everything else as bindings.
 */
export class FunctionSource {
  readonly #lines: string[] = [];
  readonly #bindings = new Map<unknown, string>();

  line(text: string): void {
    this.#lines.push(text);
  }

  /** A place that {@link lineAt} can fill later. */
  mark(): number {
    return this.#lines.push('') - 1;
  }

  lineAt(mark: number, text: string): void {
    this.#lines[mark] = text;
  }

  /** The name under which the function sees a value. */
  bind(value: unknown, hint = 'x'): string {
    let name = this.#bindings.get(value);
    if (name === undefined) {
      name = `${hint}${this.#bindings.size}`;
      this.#bindings.set(value, name);
    }
    return name;
  }

  compile<F>(name: string, parameters: string): F {
    const source = `"use strict";\nreturn function ${name}(${parameters}) {\n${this.#lines.join('\n')}\n};`;
    const factory = new Function(...this.#bindings.values(), source) as (...values: unknown[]) => F;
    return factory(...this.#bindings.keys());
  }
}

/** A property access for a member name. */
export const member = (object: string, name: string): string => `${object}[${JSON.stringify(name)}]`;

/** A name for the function in profiles. */
export const functionName = (task: string, typeId: string): string => `${task}_${typeId.replace(/\W/g, '_')}`;
