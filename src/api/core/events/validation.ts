/**
 * Events have two versions. Those of events.k8s.io/v1 have strict rules and are nearly immutable; those of core/v1 have
 * the rules that they have had since 1.0, and more once they have an eventTime.
 * @see {@link https://kep.k8s.io/383 | KEP-383}
 */
import type { Event } from '../../gen/types/core-v1.ts';
import { type FieldError, invalid, required } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { byteLength, isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { type GoSyntax, goTime } from '../../../machinery/go-quote.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { checkFormat, checkImmutable, checkRequiredText } from '../../meta/checks.ts';
import { checkLabelName } from '../../meta/labels.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { shownStruct } from '../../shown-struct.ts';

const path = (name: string): FieldPath => FieldPath.of(name);

const isCore = (apiVersion: string): boolean => apiVersion === 'v1';

export function validateEvent(event: Event, apiVersion: string): FieldErrors {
  const errors = validateCoreEvent(event, apiVersion);
  if (isCore(apiVersion)) return errors;
  errors.push(...validateBuiltInMeta(event.metadata, { namespaced: true, validateName: subdomainName }));
  checkSeries(event, errors);
  if (event.eventTime === undefined) errors.push(required(path('eventTime')));
  if (event.type !== 'Normal' && event.type !== 'Warning')
    errors.push(invalid(path('type'), '', `has invalid value: ${event.type ?? ''}`));
  const old = {
    firstTimestamp: event.firstTimestamp,
    lastTimestamp: event.lastTimestamp,
    count: event.count,
    source: event.source.component ?? event.source.host,
  };
  for (const [name, value] of Object.entries(old))
    if (value !== undefined) errors.push(invalid(path(name), '', 'needs to be unset'));
  return errors;
}

/**
 * What may not change, with the names of Go's types where messages show them. `reason` is looked at twice, as upstream
 * does.
 */
const immutable: readonly (readonly [name: keyof Event, shown?: (value: never) => GoSyntax])[] = [
  ['involvedObject', (value: object) => shownStruct('core/v1.ObjectReference', value)],
  ['reason'],
  ['message'],
  ['source', (value: object) => shownStruct('core/v1.EventSource', value)],
  ['firstTimestamp', goTime],
  ['lastTimestamp', goTime],
  ['count'],
  ['reason'],
  ['type'],
  ['eventTime', (value: string) => goMicroTime(value)],
  ['action'],
  ['related', (value: object) => shownStruct('core/v1.ObjectReference', value)],
  ['reportingComponent'],
  ['reportingInstance'],
];

export function validateEventUpdate(event: Event, old: Event, apiVersion: string): FieldErrors {
  const errors = validateCoreEvent(event, apiVersion);
  if (isCore(apiVersion)) return errors;
  errors.push(...validateBuiltInMetaUpdate(event.metadata, old.metadata));
  if (!isEqual(event.series, old.series)) checkSeries(event, errors);
  for (const [name, shown] of immutable)
    checkImmutable(
      event[name],
      old[name],
      path(name === 'reportingComponent' ? 'reportingController' : name),
      errors,
      shown,
    );
  return errors;
}

/** Go leaves out the zeros at the end of a fraction. */
const goMicroTime = (text: string): GoSyntax => goTime(text.replace(/\.?0*Z$/, 'Z'));

/** The rules for both versions. */
function validateCoreEvent(event: Event, apiVersion: string): FieldErrors {
  const errors = new FieldErrors();
  const { namespace = '' } = event.metadata;
  if (event.eventTime === undefined) checkObjectNamespace(event, errors);
  else checkNewEvent(event, apiVersion, errors);
  checkFormat(isDns1123Subdomain, namespace, path('namespace'), errors);
  return errors;
}

const mismatch = ({ involvedObject: { namespace = '' } }: Event): FieldError =>
  invalid(FieldPath.of('involvedObject', 'namespace'), namespace, 'does not match event.namespace');

/** Events about objects of the cluster lie in `default`. */
function checkObjectNamespace(event: Event, errors: FieldErrors): void {
  const { namespace = '' } = event.involvedObject;
  const expected = namespace === '' ? 'default' : namespace;
  if (event.metadata.namespace !== expected) errors.push(mismatch(event));
}

const maxLength = 128;
const maxMessageLength = 1024;

function checkNewEvent(event: Event, apiVersion: string, errors: FieldErrors): void {
  const { reportingComponent = '', reportingInstance, action, reason, message, involvedObject } = event;
  const { namespace = '' } = event.metadata;
  if ((involvedObject.namespace ?? '') === '' && namespace !== 'default' && namespace !== 'kube-system')
    errors.push(mismatch(event));
  const controller = path(isCore(apiVersion) ? 'reportingComponent' : 'reportingController');
  checkRequiredText(reportingComponent, controller, errors);
  checkLabelName(reportingComponent, controller, errors);
  for (const [name, value] of Object.entries({ reportingInstance, action, reason })) {
    if (checkRequiredText(value, path(name), errors)) checkLength(name, value!, maxLength, errors);
  }
  checkLength('message', message ?? '', maxMessageLength, errors);
}

function checkLength(name: string, value: string, max: number, errors: FieldErrors): void {
  if (byteLength(value) > max) errors.push(invalid(path(name), '', `can have at most ${max} characters`));
}

/** A series begins with the second event. */
function checkSeries({ series }: Event, errors: FieldErrors): void {
  if (series === undefined) return;
  if ((series.count ?? 0) < 2) errors.push(invalid(path('series.count'), '', 'should be at least 2'));
  if (series.lastObservedTime === undefined) errors.push(required(path('series.lastObservedTime')));
}
