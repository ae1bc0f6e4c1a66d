/** How the holder of a lease is chosen among candidates. @see {@link https://kep.k8s.io/4355 | KEP-4355} */
import { notSupported } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { checkLabelName } from '../../meta/labels.ts';

const strategies = ['OldestEmulationVersion'];

/** Names without a domain are the API's own. */
export function checkStrategy(strategy: string, path: FieldPath, errors: FieldErrors): void {
  if (strategy.includes('/')) checkLabelName(strategy, path, errors);
  else if (!strategies.includes(strategy)) errors.push(notSupported(path, strategy, strategies));
}
