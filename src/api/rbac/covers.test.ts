import { describe, expect, test } from 'vitest';
import type { PolicyRule } from '../gen/types/rbac-v1.ts';
import { randomSource, pick } from '../../../test/support/random.ts';
import { describeMissing, missingRules } from './covers.ts';
import { coversUrl } from './urls.ts';

const rule = (apiGroups: string, resources: string, verbs: string, resourceNames?: string): PolicyRule => ({
  apiGroups: apiGroups.split(','),
  resources: resources.split(','),
  verbs: verbs.split(','),
  ...(resourceNames === undefined ? {} : { resourceNames: resourceNames.split(',') }),
});
const paths = (nonResourceURLs: string, verbs: string): PolicyRule => ({
  nonResourceURLs: nonResourceURLs.split(','),
  verbs: verbs.split(','),
});

describe('what rules cover', () => {
  test.each([
    { name: 'the same', owned: [rule('', 'pods', 'get')], wanted: rule('', 'pods', 'get') },
    {
      name: 'parts from several rules',
      owned: [rule('', 'pods', 'get'), rule('', 'pods', 'list'), rule('', 'services', 'get,list')],
      wanted: rule('', 'pods,services', 'get,list'),
    },
    { name: 'by stars', owned: [rule('*', '*', '*')], wanted: rule('apps,', 'deployments/scale,pods', 'get,escalate') },
    {
      name: 'a subresource by a star for the resource',
      owned: [rule('', '*/scale', 'get')],
      wanted: rule('', 'replicationcontrollers/scale', 'get'),
    },
    { name: 'one object by all', owned: [rule('', 'pods', 'get')], wanted: rule('', 'pods', 'get', 'a') },
    { name: 'objects by objects', owned: [rule('', 'pods', 'get', 'a,b,c')], wanted: rule('', 'pods', 'get', 'a,c') },
    {
      name: 'a path by its beginning',
      owned: [paths('/healthz/*', 'get')],
      wanted: paths('/healthz/etcd,/healthz/*', 'get'),
    },
  ])('Rights that RBAC rules cover: $name', ({ owned, wanted }) => {
    expect(missingRules(owned, [wanted])).toEqual({ parts: [], isCut: false });
  });

  test.each([
    {
      name: 'another verb',
      owned: [rule('', 'pods', 'get')],
      wanted: rule('', 'pods', 'get,list'),
      missing: [rule('', 'pods', 'list')],
    },
    {
      name: 'another group',
      owned: [rule('apps', 'pods', 'get')],
      wanted: rule('', 'pods', 'get'),
      missing: [rule('', 'pods', 'get')],
    },
    {
      name: 'a subresource by its resource',
      owned: [rule('', 'pods', 'get')],
      wanted: rule('', 'pods/log', 'get'),
      missing: [rule('', 'pods/log', 'get')],
    },
    {
      name: 'the star itself by all there is',
      owned: [rule('', 'pods,pods/log', 'get')],
      wanted: rule('', '*', 'get'),
      missing: [rule('', '*', 'get')],
    },
    {
      name: 'a star for the resource by another subresource',
      owned: [rule('', '*/scale', 'get')],
      wanted: rule('', 'pods/status', 'get'),
      missing: [rule('', 'pods/status', 'get')],
    },
    {
      name: 'all objects by one',
      owned: [rule('', 'pods', 'get', 'a')],
      wanted: rule('', 'pods', 'get'),
      missing: [rule('', 'pods', 'get')],
    },
    {
      name: 'another object',
      owned: [rule('', 'pods', 'get', 'a')],
      wanted: rule('', 'pods', 'get', 'a,b'),
      missing: [rule('', 'pods', 'get', 'b')],
    },
    {
      name: 'a path by a longer one',
      owned: [paths('/healthz/*', 'get')],
      wanted: paths('/healthz', 'get'),
      missing: [paths('/healthz', 'get')],
    },
    {
      name: 'a path by resources',
      owned: [rule('*', '*', '*')],
      wanted: paths('/metrics', 'get'),
      missing: [paths('/metrics', 'get')],
    },
  ])('Rules do not cover $name', ({ owned, wanted, missing }) => {
    expect(missingRules(owned, [wanted])).toEqual({ parts: missing, isCut: false });
  });
});

test('Rules are told sorted, with the verbs on one resource taken together', () => {
  expect(
    describeMissing({
      isCut: false,
      parts: [
        paths('/a', 'get'),
        rule('', 'pods', 'list'),
        rule('', 'pods', 'get'),
        rule('', 'pods', 'get', 'x'),
        rule('apps', 'a,b', '*'),
      ],
    }),
  ).toEqual(
    [
      '{APIGroups:[""], Resources:["pods"], Verbs:["list" "get"]}',
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["x"], Verbs:["get"]}',
      '{APIGroups:["apps"], Resources:["a" "b"], Verbs:["*"]}',
      '{NonResourceURLs:["/a"], Verbs:["get"]}',
    ].sort(),
  );
});

test('Parts are found as by comparing each with each rule', () => {
  const random = randomSource(11);
  const some = (...values: string[]): string[] =>
    Array.from({ length: 1 + Math.floor(random() * 2) }, () => pick(random, values));
  const any = (): PolicyRule =>
    random() < 0.2
      ? { nonResourceURLs: some('/a', '/a/*', '/b', '*'), verbs: some('get', 'post', '*') }
      : {
          apiGroups: some('', 'apps', '*', 'x'),
          resources: some('pods', 'pods/log', '*/log', '*', 'services'),
          verbs: some('get', 'list', '*'),
          ...(random() < 0.4 ? { resourceNames: some('a', 'b') } : {}),
        };
  for (let round = 0; round < 300; round++) {
    const owned = Array.from({ length: 4 }, any);
    const wanted = any();
    expect(missingRules(owned, [wanted]).parts).toEqual(
      partsOf(wanted).filter((part) => !owned.some((own) => coversPart(own, part))),
    );
  }
});

function partsOf({
  apiGroups = [],
  resources = [],
  verbs = [],
  resourceNames,
  nonResourceURLs = [],
}: PolicyRule): PolicyRule[] {
  return [
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          (resourceNames ?? [undefined]).map((name) => ({
            apiGroups: [group],
            resources: [resource],
            verbs: [verb],
            ...(name === undefined ? {} : { resourceNames: [name] }),
          })),
        ),
      ),
    ),
    ...nonResourceURLs.flatMap((url) => verbs.map((verb) => ({ nonResourceURLs: [url], verbs: [verb] }))),
  ];
}

function coversPart(own: PolicyRule, part: PolicyRule): boolean {
  const has = (list: readonly string[] = [], wanted: readonly string[] = []): boolean =>
    list.includes('*') || wanted.every((item) => list.includes(item));
  const [resource, name] = [part.resources?.[0], part.resourceNames?.[0]];
  const hasResource =
    resource === undefined ||
    has(own.resources, [resource]) ||
    (resource.includes('/') && own.resources?.includes(resource.replace(/^[^/]*/, '*')) === true);
  const hasName = own.resourceNames === undefined || (name !== undefined && own.resourceNames.includes(name));
  return (
    has(own.verbs, part.verbs) &&
    has(own.apiGroups, part.apiGroups) &&
    hasResource &&
    hasName &&
    (part.nonResourceURLs ?? []).every((url) => (own.nonResourceURLs ?? []).some((each) => coversUrl(each, url)))
  );
}

describe('more rights than can be looked at', () => {
  const names = (prefix: string, count = 200): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
  const product: PolicyRule = { verbs: names('v'), apiGroups: names('g'), resources: names('r') };

  test.each([
    { name: 'of a rule of 200 verbs, groups and resources', owned: [], wanted: product },
    { name: 'with names', owned: [], wanted: { ...product, resourceNames: names('n') } },
    { name: 'on paths', owned: [], wanted: { nonResourceURLs: names('/p', 20_000), verbs: names('v', 20_000) } },
    {
      name: 'next to as many that are held',
      owned: names('r').map(
        (resource): PolicyRule => ({ apiGroups: ['*'], resources: [resource], verbs: names('v', 199) }),
      ),
      wanted: product,
    },
    {
      name: 'that are held, one by one',
      owned: names('r', 2000).map(
        (resource): PolicyRule => ({ apiGroups: names('g'), resources: [resource], verbs: names('v') }),
      ),
      wanted: { ...product, resources: names('r', 2000) },
    },
    {
      name: 'on paths that are held, one by one',
      owned: [{ nonResourceURLs: names('/p', 20_000), verbs: ['*'] }],
      wanted: { nonResourceURLs: names('/p', 20_000), verbs: ['get'] },
    },
  ])('More RBAC rights than can be compared are refused: $name', ({ owned, wanted }) => {
    let reads = 0;
    const counted = (list: readonly string[] | undefined): string[] | undefined =>
      list && new Proxy([...list], { get: (target, key) => (reads++, Reflect.get(target, key) as unknown) });
    const { parts, isCut } = missingRules(owned, [{ ...wanted, verbs: counted(wanted.verbs)! }]);
    expect(isCut).toBe(true);
    expect(parts.length).toBeLessThanOrEqual(10_000);
    expect(reads).toBeLessThan(3_000_000);
  });

  test('More rights than can be looked at are granted when they are held as a whole', () => {
    expect(missingRules([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], [product])).toEqual({
      parts: [],
      isCut: false,
    });
  });

  test('More rights than can be looked at are named in part, and the answer says so', () => {
    const lines = describeMissing(missingRules([], [product]));
    expect(lines.at(-1)).toBe('... (cut)');
    expect(lines.slice(0, -1)).toEqual(lines.slice(0, -1).sort());
    expect(lines.join('\n').length).toBeLessThan(300_000);
    expect(
      describeMissing({ parts: names('r', 10_000).map((resource) => rule('', resource, 'get')), isCut: false }).at(-1),
    ).toBe('... (cut)');
  });
});

test.each([
  { own: '/a/***', url: '/a/b', covers: true },
  { own: `/${'*'.repeat(500_000)}x*`, url: '/a', covers: false },
  { own: '*', url: '/a', covers: true },
])('Stars at the end stand for anything, and are read once', ({ own, url, covers }) => {
  expect(coversUrl(own, url)).toBe(covers);
});
