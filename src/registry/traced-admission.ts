/** Admission, each phase of which is a span. */
import { currentSpan, inChildSpan } from '../base/span.ts';
import type { Admission, AdmissionAttributes } from './admission.ts';

export const traceAdmission = (admission: Admission): Admission => ({
  admit: (attributes) => traced('Mutating admission', attributes, () => admission.admit(attributes)),
  validate: (attributes) => traced('Validating admission', attributes, () => admission.validate(attributes)),
});

function traced(
  name: string,
  { operation, resource, subresource }: AdmissionAttributes,
  work: () => Promise<void>,
): Promise<void> {
  const parent = currentSpan();
  if (parent === undefined) return work();
  return inChildSpan(parent, name, work, { operation, resource: resource.resource, subresource });
}
