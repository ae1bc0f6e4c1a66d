/** @see {@link https://kubernetes.io/docs/concepts/policy/limit-range/ | Limit Ranges} */
import type { LimitRange, LimitRangeItem } from '../../gen/types/core-v1.ts';
import { duplicate, forbidden, invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isQualifiedName } from '../../../machinery/formats/names.ts';
import { type GoSyntax } from '../../../machinery/go-quote.ts';
import type { Quantity } from '../../../machinery/quantity.ts';
import { invalidEach } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta } from '../../meta/object-meta.ts';
import { quantityOf } from '../resources/quantities.ts';
import { checkContainerResourceName, checkResourceName } from '../resources/resource-amounts.ts';
import { isOvercommitAllowed } from '../resources/resource-names.ts';
import { shownQuantity } from '../../shown-struct.ts';

const types = ['Pod', 'Container', 'PersistentVolumeClaim'];

export function validateLimitRange({ metadata, spec }: LimitRange): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: true, validateName: subdomainName });
  const seen = new Set<string>();
  spec.limits?.forEach((item, i) => {
    const path = FieldPath.of('spec', 'limits').index(i);
    const { type = '' } = item;
    checkType(type, path.child('type'), errors);
    if (seen.has(type)) errors.push(duplicate(path.child('type'), type));
    seen.add(type);
    checkNames(item, path, errors);
    for (const name of boundedNames(item)) checkBounds(name, item, path, errors);
  });
  return errors;
}

function checkType(type: string, path: FieldPath, errors: FieldErrors): void {
  const messages = isQualifiedName(type);
  invalidEach(messages, path, type, errors);
  if (messages.length === 0 && !type.includes('/') && !types.includes(type))
    errors.push(invalid(path, type, 'must be a standard limit type or fully qualified'));
}

type Member = 'max' | 'min' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio';
const defaultMembers = ['default', 'defaultRequest'] as const;

function checkNames(item: LimitRangeItem, path: FieldPath, errors: FieldErrors): void {
  const check = (member: Member): void => checkMember(item, member, path.child(member), errors);
  check('max');
  check('min');
  for (const member of defaultMembers) {
    if (item.type !== 'Pod') check(member);
    else if (Object.keys(item[member] ?? {}).length > 0)
      errors.push(forbidden(path.child(member), "may not be specified when `type` is 'Pod'"));
  }
  if (item.type === 'PersistentVolumeClaim' && item.min?.storage === undefined && item.max?.storage === undefined) {
    errors.push(
      required(path.child('limits'), 'either minimum or maximum storage value is required, but neither was provided'),
    );
  }
  check('maxLimitRequestRatio');
}

function checkMember(item: LimitRangeItem, member: Member, path: FieldPath, errors: FieldErrors): void {
  const check = item.type === 'Pod' || item.type === 'Container' ? checkContainerResourceName : checkResourceName;
  for (const name in item[member]) check(name, path.key(name), errors);
}

/** Names of all resources that anything is said about; of a pod's defaults nothing is looked at. */
function boundedNames(item: LimitRangeItem): string[] {
  const members: Member[] =
    item.type === 'Pod'
      ? ['max', 'min', 'maxLimitRequestRatio']
      : ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];
  return [...new Set(members.flatMap((member) => Object.keys(item[member] ?? {})))].sort();
}

const shown = (amount: string): GoSyntax => shownQuantity(amount);
const isAbove = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && quantityOf(a).compare(quantityOf(b)) > 0;

/** min ≤ defaultRequest ≤ default ≤ max. */
function checkBounds(name: string, item: LimitRangeItem, path: FieldPath, errors: FieldErrors): void {
  const [min, max] = [item.min?.[name], item.max?.[name]];
  const [limit, request] = item.type === 'Pod' ? [] : [item.default?.[name], item.defaultRequest?.[name]];
  const at = (member: Member): FieldPath => path.child(member).key(name);
  if (isAbove(min, max))
    errors.push(invalid(at('min'), shown(min!), `min value ${min} is greater than max value ${max}`));
  if (isAbove(min, request))
    errors.push(
      invalid(
        at('defaultRequest'),
        shown(request!),
        `min value ${min} is greater than default request value ${request}`,
      ),
    );
  if (isAbove(request, max))
    errors.push(
      invalid(
        at('defaultRequest'),
        shown(request!),
        `default request value ${request} is greater than max value ${max}`,
      ),
    );
  if (isAbove(request, limit))
    errors.push(
      invalid(
        at('defaultRequest'),
        shown(request!),
        `default request value ${request} is greater than default limit value ${limit}`,
      ),
    );
  if (isAbove(min, limit))
    errors.push(invalid(at('default'), shown(min!), `min value ${min} is greater than default value ${limit}`));
  if (isAbove(limit, max))
    errors.push(invalid(at('default'), shown(max!), `default value ${limit} is greater than max value ${max}`));
  checkRatio(item.maxLimitRequestRatio?.[name], min, max, at('maxLimitRequestRatio'), errors);
  if (
    !isOvercommitAllowed(name) &&
    limit !== undefined &&
    request !== undefined &&
    quantityOf(limit).compare(quantityOf(request)) !== 0
  ) {
    errors.push(
      invalid(
        at('defaultRequest'),
        shown(request),
        `default value ${limit} must equal to defaultRequest value ${request} in ${name}`,
      ),
    );
  }
}

function checkRatio(
  ratio: string | undefined,
  min: string | undefined,
  max: string | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (ratio === undefined) return;
  if (quantityOf(ratio).compare(1) < 0) errors.push(invalid(path, shown(ratio), `ratio ${ratio} is less than 1`));
  if (min === undefined || max === undefined) return;
  const bound = milli(quantityOf(max)) / milli(quantityOf(min));
  if (milli(quantityOf(ratio)) / 1000 > bound)
    errors.push(invalid(path, shown(ratio), `ratio ${ratio} is greater than max/min = ${bound.toFixed(6)}`));
}

const milli = (quantity: Quantity): number => Number(quantity.milliValue());
