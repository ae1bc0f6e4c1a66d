/** Classes of devices: which ones belong to it, and what their drivers are told. */
import type { DeviceClass } from '../../gen/types/resource-v1beta1.ts';
import { isEqual } from '../../../machinery/equal.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { checkCount, maxParts } from '../checks.ts';
import { checkConfiguration, checkSelectors } from '../device-rules.ts';

/** Begins with what is wrong with the metadata. In steps, those of each expression. */
export function* validateDeviceClass(
  { spec: { selectors = [], config = [] } }: DeviceClass,
  old: DeviceClass | undefined,
  errors: FieldErrors,
): Generator<void, FieldErrors> {
  const path = FieldPath.of('spec');
  // A list that changes is new as a whole, if only its order changes.
  const sameSelectors = old !== undefined && isEqual(selectors, old.spec.selectors ?? []);
  yield* checkSelectors(selectors, path.child('selectors'), errors, sameSelectors);
  const sameConfig = old !== undefined && isEqual(config, old.spec.config ?? []);
  config.forEach((each, i) => checkConfiguration(each, path.child('config').index(i), errors, sameConfig));
  checkCount(config, maxParts, path.child('config'), errors);
  return errors;
}
