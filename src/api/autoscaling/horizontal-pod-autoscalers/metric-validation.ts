import type {
  ContainerResourceMetricSource,
  CrossVersionObjectReference,
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from '../../gen/types/autoscaling-v2.ts';
import { forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isPathSegmentName } from '../../../machinery/formats/names.ts';
import { quantityOf } from '../../core/resources/quantities.ts';
import { checkFormat, checkRequiredText } from '../../meta/checks.ts';
import { shownQuantity } from '../../shown-struct.ts';

type Check = (metric: MetricSpec, path: FieldPath, errors: FieldErrors) => void;

/** By member, in the order in which they are looked at: only the first one that is there is judged. */
const sources: readonly (readonly [member: Exclude<keyof MetricSpec, 'type'>, type: string, check: Check])[] = [
  ['object', 'Object', ({ object }, path, errors) => checkObjectSource(object!, path, errors)],
  ['external', 'External', ({ external }, path, errors) => checkExternalSource(external!, path, errors)],
  ['pods', 'Pods', ({ pods }, path, errors) => checkPodsSource(pods!, path, errors)],
  ['resource', 'Resource', ({ resource }, path, errors) => checkResourceSource(resource!, path, errors)],
  [
    'containerResource',
    'ContainerResource',
    ({ containerResource }, path, errors) => checkContainerResourceSource(containerResource!, path, errors),
  ],
];
const types = sources.map(([, type]) => type).sort();

export function checkMetric(metric: MetricSpec, path: FieldPath, errors: FieldErrors): void {
  const { type = '' } = metric;
  if (type === '') errors.push(required(path.child('type'), 'must specify a metric source type'));
  if (!types.includes(type)) errors.push(notSupported(path.child('type'), type, types));
  const present = sources.filter(([member]) => metric[member] !== undefined);
  const [first] = present;
  if (first !== undefined) first[2](metric, path.child(first[0]), errors);
  const expected = sources.find((source) => source[1] === type)?.[0];
  if (expected === undefined) errors.push(notSupported(path.child('type'), type, types));
  else if (metric[expected] === undefined)
    errors.push(required(path.child(expected), 'must populate information for the given metric source'));
  if (present.length <= 1) return;
  for (const [member] of present)
    if (member !== expected) errors.push(forbidden(path.child(member), 'must populate the given metric source only'));
}

export function checkObjectReference(
  { kind, name }: CrossVersionObjectReference,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (checkRequiredText(kind, path.child('kind'), errors))
    checkFormat(isPathSegmentName, kind!, path.child('kind'), errors);
  if (checkRequiredText(name, path.child('name'), errors))
    checkFormat(isPathSegmentName, name!, path.child('name'), errors);
}

function checkObjectSource(
  { describedObject, metric, target }: ObjectMetricSource,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkObjectReference(describedObject, path.child('describedObject'), errors);
  checkIdentifier(metric, path.child('metric'), errors);
  checkTarget(target, path.child('target'), errors);
  if (target.value === undefined && target.averageValue === undefined)
    errors.push(required(path.child('target', 'averageValue'), 'must set either a target value or averageValue'));
}

function checkExternalSource({ metric, target }: ExternalMetricSource, path: FieldPath, errors: FieldErrors): void {
  checkIdentifier(metric, path.child('metric'), errors);
  checkTarget(target, path.child('target'), errors);
  const { value, averageValue } = target;
  if (value === undefined && averageValue === undefined)
    errors.push(
      required(path.child('target', 'averageValue'), 'must set either a target value for metric or a per-pod target'),
    );
  if (value !== undefined && averageValue !== undefined)
    errors.push(
      forbidden(path.child('target', 'value'), 'may not set both a target value for metric and a per-pod target'),
    );
}

function checkPodsSource({ metric, target }: PodsMetricSource, path: FieldPath, errors: FieldErrors): void {
  checkIdentifier(metric, path.child('metric'), errors);
  checkTarget(target, path.child('target'), errors);
  if (target.averageValue === undefined)
    errors.push(required(path.child('target', 'averageValue'), 'must specify a positive target averageValue'));
}

function checkContainerResourceSource(
  { name, container, target }: ContainerResourceMetricSource,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkRequiredText(name, path.child('name'), errors, 'must specify a resource name');
  checkRequiredText(container, path.child('container'), errors, 'must specify a container');
  checkResourceTarget(target, path.child('target'), errors);
}

function checkResourceSource({ name, target }: ResourceMetricSource, path: FieldPath, errors: FieldErrors): void {
  checkRequiredText(name, path.child('name'), errors, 'must specify a resource name');
  checkResourceTarget(target, path.child('target'), errors);
}

function checkResourceTarget(target: MetricTarget, path: FieldPath, errors: FieldErrors): void {
  checkTarget(target, path, errors);
  const { averageUtilization, averageValue } = target;
  if (averageUtilization === undefined && averageValue === undefined)
    errors.push(
      required(path.child('averageUtilization'), 'must set either a target raw value or a target utilization'),
    );
  if (averageUtilization !== undefined && averageValue !== undefined)
    errors.push(forbidden(path.child('averageValue'), 'may not set both a target raw value and a target utilization'));
}

const targetTypes = ['Utilization', 'Value', 'AverageValue'];

function checkTarget(
  { type = '', value, averageValue, averageUtilization }: MetricTarget,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (type === '') errors.push(required(path.child('type'), 'must specify a metric target type'));
  if (!targetTypes.includes(type))
    errors.push(invalid(path.child('type'), type, 'must be either Utilization, Value, or AverageValue'));
  checkPositive(value, path.child('value'), errors);
  checkPositive(averageValue, path.child('averageValue'), errors);
  if (averageUtilization !== undefined && averageUtilization < 1)
    errors.push(invalid(path.child('averageUtilization'), averageUtilization, 'must be greater than 0'));
}

function checkPositive(amount: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (amount !== undefined && quantityOf(amount).sign() <= 0)
    errors.push(invalid(path, shownQuantity(amount), 'must be positive'));
}

function checkIdentifier({ name }: MetricIdentifier, path: FieldPath, errors: FieldErrors): void {
  if (checkRequiredText(name, path.child('name'), errors, 'must specify a metric name'))
    checkFormat(isPathSegmentName, name!, path.child('name'), errors);
}
