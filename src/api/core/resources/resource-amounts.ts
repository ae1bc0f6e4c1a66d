/** Checks of one resource and its amount, as containers, quotas, limit ranges and nodes have them. */
import { invalid } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { negativeMessage, notIntegerMessage, notPositiveMessage } from '../../../machinery/formats/messages.ts';
import { isQualifiedName } from '../../../machinery/formats/names.ts';
import { GoSyntax } from '../../../machinery/go-quote.ts';
import { quantityOf } from './quantities.ts';
import {
  isExtendedResourceName,
  isIntegerResourceName,
  isNativeResource,
  isStandardContainerResourceName,
  isStandardResourceName,
} from './resource-names.ts';
import { shownQuantity } from '../../shown-struct.ts';

/** Names of resources stand in messages without quotes. */
export const shownResource = (name: string): GoSyntax => new GoSyntax(name);

/** Returns whether the name is fine. */
export function checkResourceName(name: string, path: FieldPath, errors: FieldErrors): boolean {
  const messages = isQualifiedName(name);
  for (const message of messages) errors.push(invalid(path, shownResource(name), message));
  if (messages.length > 0) return false;
  if (name.includes('/') || isStandardResourceName(name)) return true;
  errors.push(invalid(path, shownResource(name), 'must be a standard resource type or fully qualified'));
  return false;
}

/** A name that a container may ask for. */
export function checkContainerResourceName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (isStandardContainerResourceName(name) && !name.startsWith('hugepages-')) return;
  checkResourceName(name, path, errors);
  if (!name.includes('/')) {
    if (!isStandardContainerResourceName(name))
      errors.push(invalid(path, shownResource(name), 'must be a standard resource for containers'));
  } else if (!isNativeResource(name) && !isExtendedResourceName(name)) {
    errors.push(invalid(path, shownResource(name), "doesn't follow extended resource name standard"));
  }
}

/** Not negative, and whole where the resource is counted. */
export function checkResourceAmount(name: string, amount: string, path: FieldPath, errors: FieldErrors): void {
  const quantity = quantityOf(amount);
  if (quantity.sign() < 0) errors.push(invalid(path, quantity.toString(), negativeMessage));
  if (!quantity.isInteger() && isIntegerResourceName(name))
    errors.push(invalid(path, shownQuantity(amount), notIntegerMessage));
}

/** Returns whether the amount is above zero. */
export function checkPositiveAmount(amount: string, path: FieldPath, errors: FieldErrors): boolean {
  const quantity = quantityOf(amount);
  if (quantity.sign() > 0) return true;
  errors.push(invalid(path, quantity.toString(), notPositiveMessage));
  return false;
}
