/** What policies note in the audit log. */
import type { AdmissionAttributes } from '../../../../registry/admission.ts';

const maxValueBytes = 10 * 1024;

/** The notes of one policy. Several parameters may make several values of one key. */
export class AuditAnnotations {
  readonly #policy: string;
  readonly #values = new Map<string, Set<string>>();

  constructor(policy: string) {
    this.#policy = policy;
  }

  add(key: string, value: string): void {
    const values = this.#values.get(key) ?? new Set();
    this.#values.set(key, values.add(cut(value)));
  }

  publish({ annotate }: Pick<AdmissionAttributes, 'annotate'>): void {
    for (const [key, values] of this.#values) annotate(`${this.#policy}/${key}`, [...values].join(', '));
  }
}

/** A character that the limit would divide is left out. */
function cut(value: string): string {
  const bytes = Buffer.from(value);
  if (bytes.length <= maxValueBytes) return value;
  return bytes
    .subarray(0, maxValueBytes)
    .toString()
    .replace(/\uFFFD+$/, '');
}
