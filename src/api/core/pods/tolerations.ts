/**
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ | Taints and tolerations}
 */
import type { Toleration } from '../../gen/types/core-v1.ts';
import { forbidden, invalid, notSupported } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isLabelValue } from '../../../machinery/formats/names.ts';
import { keyOf } from '../../meta/checks.ts';
import { checkLabelName } from '../../meta/labels.ts';
import { shownStruct } from '../../shown-struct.ts';

export const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const operators = ['Equal', 'Exists'];

export interface TolerationCheckOptions {
  /** Errors about a value show it alone, as those of configuration files do; else the whole toleration. */
  readonly showsValue?: boolean;
}

export function checkTolerations(
  tolerations: readonly Toleration[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
  options: TolerationCheckOptions = {},
): void {
  tolerations?.forEach((toleration, i) => checkToleration(toleration, path.index(i), errors, options));
}

function checkToleration(
  toleration: Toleration,
  path: FieldPath,
  errors: FieldErrors,
  options: TolerationCheckOptions,
): void {
  const { key, operator = '', effect = '', tolerationSeconds } = toleration;
  if (key !== undefined) checkLabelName(key, path.child('key'), errors);
  else if (operator !== 'Exists')
    errors.push(
      invalid(
        path.child('operator'),
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    );
  if (tolerationSeconds !== undefined && effect !== 'NoExecute')
    errors.push(invalid(path.child('effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  checkOperator(toleration, path.child('operator'), errors, options);
  if (effect !== '' && !taintEffects.includes(effect))
    errors.push(notSupported(path.child('effect'), effect, taintEffects));
}

/** No operator means `Equal`. Errors about the value name the operator. */
function checkOperator(
  toleration: Toleration,
  path: FieldPath,
  errors: FieldErrors,
  { showsValue = false }: TolerationCheckOptions,
): void {
  const { operator, value = '' } = toleration;
  if (operator === 'Exists') {
    if (value !== '')
      errors.push(
        invalid(
          path,
          showsValue ? value : shownStruct('core/v1.Toleration', toleration),
          "value must be empty when `operator` is 'Exists'",
        ),
      );
  } else if (operator !== undefined && operator !== 'Equal') errors.push(notSupported(path, operator, operators));
  else {
    const messages = isLabelValue(value);
    if (messages.length > 0) errors.push(invalid(path, value, messages.join(';')));
  }
}

/** Without how long it lasts. */
const meaningOf = ({ key = '', operator = '' as never, value = '', effect = '' as never }: Toleration): string =>
  keyOf(key, operator, value, effect);

/** An update may add tolerations and change how long one lasts. */
export function checkOnlyAddedTolerations(
  tolerations: readonly Toleration[] = [],
  old: readonly Toleration[] = [],
  path: FieldPath,
  errors: FieldErrors,
): void {
  const now = new Set(tolerations.map(meaningOf));
  if (tolerations !== old && !old.every((before) => now.has(meaningOf(before))))
    errors.push(forbidden(path, 'existing toleration can not be modified except its tolerationSeconds'));
  else checkTolerations(tolerations, path, errors);
}
