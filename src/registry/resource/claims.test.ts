import { describe, expect, test } from 'vitest';
import type { AllocatedDeviceStatus, ResourceClaim } from '../../api/gen/types/resource-v1beta1.ts';
import { fieldErrorText } from '../../machinery/field-error.ts';
import type { StrategyContext } from '../strategy.ts';
import { resourceClaimTemplateStrategy } from './resource-claim-templates/strategy.ts';
import { resourceClaimStatusStrategy, resourceClaimStrategy } from './resource-claims/strategy.ts';

const context = (...gates: string[]): StrategyContext => ({
  now: new Date(0),
  user: { name: 'u', groups: [] },
  enabled: (gate) => gates.includes(gate),
  apiVersion: 'resource.k8s.io/v1beta1',
  allowPrivileged: true,
});

const gpu = { driver: 'd', pool: 'p', device: 'gpu' };
const nic = { driver: 'd', pool: 'p', device: 'nic' };

interface Parts {
  /** Whether it asks for access as an administrator. */
  readonly admin?: boolean;
  readonly results?: readonly object[];
  readonly devices?: AllocatedDeviceStatus[];
}

const claim = ({ admin, results, devices }: Parts): ResourceClaim => ({
  metadata: { name: 'c', namespace: 'n', resourceVersion: '1' },
  spec: { devices: { requests: [{ name: 'r', ...(admin === undefined ? {} : { adminAccess: admin }) }] } },
  status: {
    ...(results === undefined ? {} : { allocation: { devices: { results: [...results] } } }),
    ...(devices === undefined ? {} : { devices }),
  },
});
const adminOf = ({ spec }: Pick<ResourceClaim, 'spec'>): unknown => spec.devices.requests![0]!.adminAccess;

describe('resource claims', () => {
  test.each([
    { name: 'is dropped while its gate is off', gates: [], old: undefined, kept: undefined },
    { name: 'stays with its gate', gates: ['DRAAdminAccess'], old: undefined, kept: true },
    { name: 'stays where it was', gates: [], old: claim({ admin: false }), kept: true },
    {
      name: 'stays where it was allocated',
      gates: [],
      old: claim({ results: [{ ...gpu, adminAccess: true }] }),
      kept: true,
    },
  ])('Access as an administrator $name', ({ gates, old, kept }) => {
    const [object, template] = [
      claim({ admin: true }),
      { metadata: {}, spec: { ...claim({ admin: true }), metadata: {} } },
    ];
    if (old === undefined) {
      resourceClaimStrategy.prepareForCreate!(object, context(...gates));
      resourceClaimTemplateStrategy.prepareForCreate!(template, context(...gates));
      expect(adminOf(template.spec)).toBe(kept);
    } else resourceClaimStrategy.prepareForUpdate!(object, old, context(...gates));
    expect(adminOf(object)).toBe(kept);
  });

  test('A new claim has no status, and an update of a claim leaves its status', () => {
    const created = claim({ results: [gpu] });
    resourceClaimStrategy.prepareForCreate!(created, context());
    expect(created.status).toEqual({});
    const changed = claim({});
    resourceClaimStrategy.prepareForUpdate!(changed, claim({ results: [gpu] }), context());
    expect(changed.status.allocation!.devices.results).toEqual([gpu]);
  });

  test('A status is written without the request of the claim', () => {
    const changed = claim({ admin: true, results: [gpu] });
    resourceClaimStatusStrategy.prepareForUpdate!(changed, claim({}), context());
    expect(adminOf(changed)).toBeUndefined();
    expect(changed.status.allocation!.devices.results).toEqual([gpu]);
  });

  const gate = 'DRAResourceClaimDeviceStatus';
  test.each([
    { name: 'is dropped while its gate is off', gates: [], old: claim({ results: [gpu] }), kept: undefined },
    { name: 'stays with its gate', gates: [gate], old: claim({ results: [gpu] }), kept: [gpu] },
    { name: 'stays where it was', gates: [], old: claim({ results: [gpu], devices: [gpu] }), kept: [gpu] },
  ])('The state of a device $name', ({ gates, old, kept }) => {
    const changed = claim({ results: [gpu], devices: [gpu] });
    resourceClaimStatusStrategy.prepareForUpdate!(changed, old, context(...gates));
    expect(changed.status.devices).toEqual(kept);
  });

  test('The state of a device goes with its allocation, and that of one that was not allocated is refused', () => {
    const changed = claim({ results: [gpu], devices: [gpu, nic] });
    const old = claim({ results: [gpu, nic], devices: [gpu, nic] });
    resourceClaimStatusStrategy.prepareForUpdate!(changed, old, context(gate));
    expect(changed.status.devices).toEqual([gpu]);
    const wrong = claim({ results: [gpu], devices: [gpu, nic] });
    expect(resourceClaimStatusStrategy.validateUpdate!(wrong, changed, context(gate)).map(fieldErrorText)).toEqual([
      'status.devices[1]: Invalid value: d/p/nic: must be an allocated device in the claim',
    ]);
  });
});
