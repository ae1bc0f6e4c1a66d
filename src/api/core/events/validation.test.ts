import { describe, expect, test } from 'vitest';
import type { Event } from '../../gen/types/core-v1.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { eventFromCore, eventToCore } from './conversion.ts';
import { validateEvent, validateEventUpdate } from './validation.ts';

const event = (members: Partial<Event> = {}): Event => ({
  metadata: { name: 'e', namespace: 'n', resourceVersion: '1' },
  involvedObject: { kind: 'Pod', namespace: 'n', name: 'p' },
  source: {},
  type: 'Normal',
  ...members,
});

const newEvent = (members: Partial<Event> = {}): Event =>
  event({
    eventTime: '2024-05-01T10:00:00.100000Z',
    reportingComponent: 'example.com/c',
    reportingInstance: 'c-1',
    action: 'Start',
    reason: 'Started',
    ...members,
  });

const mismatch = (namespace: string): string =>
  `involvedObject.namespace: Invalid value: "${namespace}": does not match event.namespace`;
const inDefault = { name: 'e', namespace: 'default' };

describe('an event of core/v1', () => {
  test.each([
    { name: 'may have any type', object: event({ type: 'Odd' }), errors: [] },
    {
      name: 'lies in the namespace of its object',
      object: event({ involvedObject: { namespace: 'other' } }),
      errors: [mismatch('other')],
    },
    {
      name: 'about the cluster lies in default',
      object: event({ metadata: inDefault, involvedObject: { kind: 'Node' } }),
      errors: [],
    },
    {
      name: 'about the cluster lies nowhere else',
      object: event({ involvedObject: { kind: 'Node' } }),
      errors: [mismatch('')],
    },
    {
      name: 'about the cluster may lie in kube-system with a time',
      object: newEvent({ metadata: { name: 'e', namespace: 'kube-system' }, involvedObject: { kind: 'Node' } }),
      errors: [],
    },
    {
      name: 'with an eventTime reports an invalid controller by the field name of its version',
      object: newEvent({ reportingComponent: 'a b' }),
      errors: [expect.stringContaining('reportingComponent: Invalid value: "a b"')],
    },
    {
      name: 'with a time has a short message',
      object: newEvent({ message: 'x'.repeat(1025) }),
      errors: ['message: Invalid value: "": can have at most 1024 characters'],
    },
  ])('An event of core/v1: $name', ({ object, errors }) => {
    expect(validateEvent(object, 'v1').map(fieldErrorText)).toEqual(errors);
  });

  test('An event of core/v1 may change in anything', () => {
    expect(validateEventUpdate(newEvent({ message: 'z', type: 'Warning' }), newEvent(), 'v1')).toEqual([]);
  });
});

describe('an event of events.k8s.io/v1', () => {
  test.each([
    { name: 'may be complete', object: newEvent(), errors: [] },
    { name: 'has a time', object: event(), errors: ['eventTime: Required value'] },
    {
      name: 'says when its series was last seen',
      object: newEvent({ series: { count: 2 } }),
      errors: ['series.lastObservedTime: Required value'],
    },
  ])('An event of events.k8s.io/v1: $name', ({ object, errors }) => {
    expect(validateEvent(object, 'events.k8s.io/v1').map(fieldErrorText)).toEqual(errors);
  });

  test.each([
    {
      name: 'may get a series',
      object: newEvent({ series: { count: 2, lastObservedTime: '2024-05-01T10:00:00.000000Z' } }),
      errors: [],
    },
    {
      name: 'may not change its reason',
      object: newEvent({ reason: 'R' }),
      errors: ['reason: Invalid value: "R": field is immutable', 'reason: Invalid value: "R": field is immutable'],
    },
    {
      name: 'may not change its controller',
      object: newEvent({ reportingComponent: 'example.com/d' }),
      errors: ['reportingController: Invalid value: "example.com/d": field is immutable'],
    },
    {
      name: 'may not change its time',
      object: newEvent({ eventTime: '2024-05-01T10:00:00.250000Z' }),
      errors: ['eventTime: Invalid value: 2024-05-01 10:00:00.25 +0000 UTC: field is immutable'],
    },
  ])('An event of events.k8s.io/v1: $name', ({ object, errors }) => {
    expect(validateEventUpdate(object, newEvent(), 'events.k8s.io/v1').map(fieldErrorText)).toEqual(errors);
  });

  test('An event of events.k8s.io/v1 has the same content as one of core/v1', () => {
    const core = newEvent({
      count: 3,
      message: 'm',
      firstTimestamp: '2024-05-01T10:00:00Z',
      lastTimestamp: '2024-05-01T10:00:00Z',
      source: { component: 'c' },
      related: { name: 'r' },
    });
    expect(eventToCore(eventFromCore(core))).toEqual(core);
  });
});
