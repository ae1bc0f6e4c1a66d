import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Service, ServiceSpec } from '../../../api/gen/types/core-v1.ts';
import { openEmbeddedStore } from '../../../storage/embedded/open.ts';
import type { Store } from '../../../storage/interface.ts';
import { ServiceServer } from './testing/service-server.ts';
import { envelopeOf } from './testing/stored-service.ts';
import { takenNumbers } from './testing/shared-ranges-suite.ts';

const dual = ['10.0.0.0/24', 'fd00::/120'];
const dual6 = ['fd00::/120', '10.0.0.0/24'];

let store: Store & AsyncDisposable;
beforeEach(async () => {
  store = await openEmbeddedStore();
});
afterEach(() => store[Symbol.asyncDispose]());

const serverWith = (clusterIpRanges: readonly string[]): ServiceServer => new ServiceServer({ store, clusterIpRanges });

/** Addresses by their family: they are random. */
const summary = ({ spec: { ipFamilyPolicy, ipFamilies, clusterIPs, clusterIP } }: Service): string => {
  const ips = (clusterIPs ?? []).map((ip) => (ip === 'None' ? ip : ip.includes(':') ? '6' : '4')).join('');
  const difference = clusterIP === clusterIPs?.[0] ? '' : ' clusterIP differs';
  return `${ipFamilyPolicy} ${(ipFamilies ?? []).join(',')} ${ips}${difference}`;
};

const held = async (): Promise<number[]> => [
  (await takenNumbers(store, 'serviceips')).length,
  (await takenNumbers(store, 'secondaryserviceips')).length,
];

/** https://kep.k8s.io/563 */
describe('new services and families (KEP-563)', () => {
  const given: Partial<ServiceSpec> = { selector: { app: 'web' } };
  test.each([
    { name: 'one family by default', ranges: dual, spec: given, expected: 'SingleStack IPv4 4' },
    { name: 'the default is the first range', ranges: dual6, spec: given, expected: 'SingleStack IPv6 6' },
    {
      name: 'preferred, had',
      ranges: dual,
      spec: { ...given, ipFamilyPolicy: 'PreferDualStack' },
      expected: 'PreferDualStack IPv4,IPv6 46',
    },
    {
      name: 'preferred, of one family only',
      ranges: ['10.0.0.0/24'],
      spec: { ...given, ipFamilyPolicy: 'PreferDualStack' },
      expected: 'PreferDualStack IPv4 4',
    },
    {
      name: 'required',
      ranges: dual,
      spec: { ...given, ipFamilyPolicy: 'RequireDualStack' },
      expected: 'RequireDualStack IPv4,IPv6 46',
    },
    {
      name: 'the other order',
      ranges: dual,
      spec: { ...given, ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] },
      expected: 'RequireDualStack IPv6,IPv4 64',
    },
    {
      name: 'the other family',
      ranges: dual,
      spec: { ...given, ipFamilies: ['IPv6'] },
      expected: 'SingleStack IPv6 6',
    },
    {
      name: 'the family of the address',
      ranges: dual,
      spec: { ...given, clusterIP: 'fd00::7' },
      expected: 'SingleStack IPv6 6',
    },
    {
      name: 'both addresses given',
      ranges: dual,
      spec: { ...given, ipFamilyPolicy: 'PreferDualStack', clusterIP: 'fd00::7', clusterIPs: ['fd00::7', '10.0.0.7'] },
      expected: 'PreferDualStack IPv6,IPv4 64',
    },
    {
      name: 'one address given, one chosen',
      ranges: dual,
      spec: { ...given, ipFamilyPolicy: 'RequireDualStack', clusterIP: '10.0.0.7' },
      expected: 'RequireDualStack IPv4,IPv6 46',
    },
    { name: 'headless', ranges: dual, spec: { ...given, clusterIP: 'None' }, expected: 'SingleStack IPv4 None' },
    {
      name: 'headless, preferred',
      ranges: dual,
      spec: { ...given, clusterIP: 'None', ipFamilyPolicy: 'PreferDualStack' },
      expected: 'PreferDualStack IPv4,IPv6 None',
    },
    {
      name: 'headless without selector',
      ranges: ['10.0.0.0/24'],
      spec: { clusterIP: 'None' },
      expected: 'RequireDualStack IPv4,IPv6 None',
    },
    {
      name: 'headless without selector, of one family',
      ranges: ['10.0.0.0/24'],
      spec: { clusterIP: 'None', ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] },
      expected: 'SingleStack IPv6 None',
    },
    {
      name: 'external name',
      ranges: dual,
      spec: { type: 'ExternalName', externalName: 'a.b' },
      expected: 'undefined  ',
    },
  ] satisfies { name: string; ranges: readonly string[]; spec: Partial<ServiceSpec>; expected: string }[])(
    'A new service and its IP families (KEP-563): $name',
    async ({ ranges, spec, expected }) => {
      expect(summary(await serverWith(ranges).create({ name: 's', ...spec }))).toBe(expected);
    },
  );

  test.each([
    {
      name: 'both families where there is one',
      ranges: ['10.0.0.0/24'],
      spec: { ipFamilyPolicy: 'RequireDualStack' },
      problem:
        'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for ' +
        'dual-stack services',
    },
    {
      name: 'a family that is not there',
      ranges: ['10.0.0.0/24'],
      spec: { ipFamilies: ['IPv6'] },
      problem: 'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
    },
    {
      name: 'an address of a family that is not there',
      ranges: ['10.0.0.0/24'],
      spec: { clusterIP: 'fd00::1' },
      problem: 'spec.clusterIPs[0]: Invalid value: []string{"fd00::1"}: IPv6 is not configured on this cluster',
    },
    {
      name: 'two addresses and one family',
      ranges: dual,
      spec: { ipFamilyPolicy: 'SingleStack', clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.7', 'fd00::7'] },
      problem:
        "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' " +
        'when multiple cluster IPs are specified',
    },
    {
      name: 'two families and one',
      ranges: dual,
      spec: { ipFamilies: ['IPv4', 'IPv6'] },
      problem:
        "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' " +
        'when multiple IP families are specified',
    },
    {
      name: 'a family twice',
      ranges: dual,
      spec: { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv4'] },
      problem: 'spec.ipFamilies[1]: Duplicate value: "IPv4"',
    },
  ] satisfies { name: string; ranges: readonly string[]; spec: Partial<ServiceSpec>; problem: string }[])(
    'A new service is refused for its IP families (KEP-563): $name',
    async ({ ranges, spec, problem }) => {
      const server = serverWith(ranges);
      await server.ranges.repair();
      await expect(server.create({ name: 's', selector: { app: 'web' }, ...spec })).rejects.toMatchObject({
        code: 422,
        message: `Service "s" is invalid: ${problem}`,
      });
      expect(await takenNumbers(store, 'serviceips')).toEqual([]);
    },
  );

  test('When one address is already allocated the address of the other family is released', async () => {
    const server = serverWith(dual);
    await server.create({ name: 'a', clusterIP: 'fd00::7' });
    await expect(
      server.create({
        name: 'b',
        ipFamilyPolicy: 'RequireDualStack',
        clusterIP: '10.0.0.7',
        clusterIPs: ['10.0.0.7', 'fd00::7'],
      }),
    ).rejects.toThrow('failed to allocate IP fd00::7: provided IP is already allocated');
    expect(await held()).toEqual([0, 1]);
  });
});

describe('changes of families (KEP-563)', () => {
  const change = async (
    before: Partial<ServiceSpec>,
    after: (spec: ServiceSpec) => void,
    ranges = dual,
  ): Promise<Service> => {
    const server = serverWith(ranges);
    await server.create({ name: 's', selector: { app: 'web' }, ...before });
    return server.change('s', ({ spec }) => after(spec));
  };

  test('A second address is taken when the policy asks for it, and given back when it no longer does', async () => {
    const upgraded = await change({}, (spec) => (spec.ipFamilyPolicy = 'RequireDualStack'));
    expect([summary(upgraded), await held()]).toEqual(['RequireDualStack IPv4,IPv6 46', [1, 1]]);
    const downgraded = await serverWith(dual).change('s', ({ spec }) => (spec.ipFamilyPolicy = 'SingleStack'));
    expect([summary(downgraded), await held()]).toEqual(['SingleStack IPv4 4', [1, 0]]);
    expect(downgraded.spec.clusterIP).toBe(upgraded.spec.clusterIP);
  });

  test('A second address can be asked for', async () => {
    const service = await change({}, (spec) =>
      Object.assign(spec, { ipFamilyPolicy: 'PreferDualStack', clusterIPs: [spec.clusterIP, 'fd00::42'] }),
    );
    expect([summary(service), service.spec.clusterIPs?.[1]]).toEqual(['PreferDualStack IPv4,IPv6 46', 'fd00::42']);
  });

  test('A manifest that says nothing of addresses leaves them', async () => {
    const server = serverWith(dual);
    const before = await server.create({ name: 's', selector: { app: 'web' }, ipFamilyPolicy: 'PreferDualStack' });
    const after = await server.change('s', ({ spec }) =>
      Object.assign(spec, {
        clusterIP: undefined,
        clusterIPs: undefined,
        ipFamilies: undefined,
        ipFamilyPolicy: undefined,
        selector: { app: 'other' },
      }),
    );
    expect([after.spec.clusterIPs, after.spec.ipFamilies, after.spec.ipFamilyPolicy]).toEqual([
      before.spec.clusterIPs,
      ['IPv4', 'IPv6'],
      'PreferDualStack',
    ]);
  });

  test('What merely prefers two families stays as it is when the cluster gains one', async () => {
    await serverWith(['10.0.0.0/24']).create({ name: 's', ipFamilyPolicy: 'PreferDualStack' });
    const server = serverWith(dual);
    await server.ranges.repair();
    const relabelled = await server.change('s', ({ metadata }) => (metadata.labels = { a: 'b' }));
    expect([summary(relabelled), await held()]).toEqual(['PreferDualStack IPv4 4', [1, 0]]);
    const required = await server.change('s', ({ spec }) => (spec.ipFamilyPolicy = 'RequireDualStack'));
    expect(summary(required)).toBe('RequireDualStack IPv4,IPv6 46');
  });

  test.each([
    {
      name: 'the first address',
      after: (spec: ServiceSpec) =>
        Object.assign(spec, { clusterIP: '10.0.0.99', clusterIPs: ['10.0.0.99', spec.clusterIPs![1]!] }),
      problem: 'spec.clusterIPs[0]: Invalid value: []string{"10.0.0.99", "fd00::7"}: may not change once set',
    },
    {
      name: 'the second address',
      after: (spec: ServiceSpec) => (spec.clusterIPs = [spec.clusterIP!, 'fd00::99']),
      problem: 'spec.clusterIPs[1]: Invalid value: []string{"10.0.0.7", "fd00::99"}: may not change once set',
    },
    {
      name: 'the second address is left out',
      after: (spec: ServiceSpec) => (spec.clusterIPs = [spec.clusterIP!]),
      problem:
        'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be \'SingleStack\' to release the ' +
        'secondary cluster IP',
    },
    {
      name: 'the second family is left out',
      after: (spec: ServiceSpec) => (spec.ipFamilies = ['IPv4']),
      problem:
        'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be \'SingleStack\' to release the ' +
        'secondary IP family',
    },
    {
      name: 'the order',
      after: (spec: ServiceSpec) => (spec.ipFamilies = ['IPv6', 'IPv4']),
      problem:
        '[spec.clusterIPs[0]: Invalid value: "10.0.0.7": expected an IPv6 value as indicated by ' +
        '`ipFamilies[0]`, spec.clusterIPs[1]: Invalid value: "fd00::7": expected an IPv4 value as indicated by ' +
        '`ipFamilies[1]`]',
    },
  ])('A change of the IP families of a service is refused (KEP-563): $name', async ({ after, problem }) => {
    const before: Partial<ServiceSpec> = {
      ipFamilyPolicy: 'RequireDualStack',
      clusterIP: '10.0.0.7',
      clusterIPs: ['10.0.0.7', 'fd00::7'],
    };
    await expect(change(before, after)).rejects.toMatchObject({
      code: 422,
      message: `Service "s" is invalid: ${problem}`,
    });
    expect(await held()).toEqual([1, 1]);
  });

  test('A headless service changes its families freely', async () => {
    const service = await change({ clusterIP: 'None' }, (spec) => Object.assign(spec, { ipFamilies: ['IPv6'] }));
    expect(summary(service)).toBe('SingleStack IPv6 None');
  });

  test('Services of servers that knew one address only are completed as they are read', async () => {
    const server = serverWith(dual);
    const strip = async (name: string, ...members: (keyof ServiceSpec)[]): Promise<Service> => {
      const stored = await server.services.get('default', name, { match: 'mostRecent' });
      const service = server.services.decode(stored) as Service;
      for (const member of members) service.spec[member] = undefined as never;
      await store.update(stored.key, envelopeOf(service), stored.revision);
      return new ServiceServer({ store, clusterIpRanges: dual }).get(name);
    };
    await server.create({ name: 'six', clusterIP: 'fd00::7' });
    await server.create({ name: 'none', clusterIP: 'None', selector: { a: 'b' } });
    await server.create({ name: 'bare', clusterIP: 'None' });
    expect(summary(await strip('six', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'))).toBe('SingleStack IPv6 6');
    expect(summary(await strip('none', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'))).toBe('SingleStack IPv4 None');
    expect(summary(await strip('bare', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'))).toBe(
      'RequireDualStack IPv4,IPv6 None',
    );
  });
});
