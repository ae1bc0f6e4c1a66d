/** What claims and classes say of devices: which ones, by expressions, and what their drivers are told. */
import type { DeviceConfiguration, DeviceSelector } from '../gen/types/resource-v1beta1.ts';
import { forbidden, invalid, required, tooLong } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { byteLength } from '../../machinery/formats/names.ts';
import { checkCount, checkDriverName, checkParameters, maxParts } from './checks.ts';
import { compilingSelector, maxSelectorCost } from './device-selectors.ts';

const maxExpressionLength = 10 * 1024;

/** In steps, those of each expression. */
export function* checkSelectors(
  selectors: readonly DeviceSelector[] = [],
  path: FieldPath,
  errors: FieldErrors,
  isStored: boolean,
): Generator<void, void> {
  for (const [i, { cel }] of selectors.entries()) {
    const at = path.index(i).child('cel');
    if (cel === undefined) errors.push(required(at));
    else yield* checkExpression(cel.expression ?? '', at.child('expression'), errors, isStored);
  }
  checkCount(selectors, maxParts, path, errors);
}

function* checkExpression(
  expression: string,
  path: FieldPath,
  errors: FieldErrors,
  isStored: boolean,
): Generator<void, void> {
  if (byteLength(expression) > maxExpressionLength) return void errors.push(tooLong(path, maxExpressionLength));
  const compiled = yield* compilingSelector(expression, isStored);
  yield;
  if ('failure' in compiled) errors.push(invalid(path, expression, compiled.failure));
  else if (compiled.maxCost > maxSelectorCost) errors.push(forbidden(path, 'too complex, exceeds cost limit'));
}

export function checkConfiguration(
  { opaque }: DeviceConfiguration,
  path: FieldPath,
  errors: FieldErrors,
  isStored: boolean,
): void {
  const at = path.child('opaque');
  if (opaque === undefined) return void errors.push(required(at));
  checkDriverName(opaque.driver ?? '', at.child('driver'), errors);
  checkParameters(opaque.parameters, at.child('parameters'), errors, isStored);
}
