/** The second round of admission: which webhooks or policies that change objects are asked once more. */
import { isEqual } from '../../machinery/equal.ts';
import { asJson } from '../../machinery/object-meta.ts';
import { copyValue } from '../../machinery/structural/defaulting.ts';
import type { JsonValue } from '../../machinery/value.ts';
import type { AdmissionAttributes } from '../../registry/admission.ts';

/** What one request remembers between the rounds. */
export class Reinvocation {
  /** Those that were asked since the last change, and may be asked again. */
  #asked = new Set<string>();
  readonly #again = new Set<string>();
  #output: JsonValue | undefined;

  asked(id: string): void {
    this.#asked.add(id);
  }

  /** Something has changed after those that were asked so far. */
  changed(): void {
    for (const id of this.#asked) this.#again.add(id);
    this.#asked = new Set();
  }

  isAgain(id: string): boolean {
    return this.#again.has(id);
  }

  /** The end of the first round. */
  keep({ object }: AdmissionAttributes): void {
    this.#output = object === undefined ? undefined : copyValue(asJson(object));
  }

  /** The second round has come here: other plugins may have changed the object again. */
  compare({ object }: AdmissionAttributes): void {
    if (!isEqual(this.#output, object)) this.changed();
  }
}
