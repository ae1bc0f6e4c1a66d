import { expect, it } from 'vitest';
import { schemas } from '../../api/schemas.ts';
import type { ServedVersion } from '../../registry/generic/served-version.ts';
import { deprecationOf } from './deprecation.ts';

const servedVersion = (apiVersion: string, kind: string, custom?: object): ServedVersion =>
  ({
    apiVersion,
    kind,
    typeId: schemas.ofKind(apiVersion, kind),
    ...(custom === undefined ? {} : { custom }),
  }) as unknown as ServedVersion;

it.each([
  { name: 'an API that stays', given: servedVersion('v1', 'Pod'), expected: undefined },
  {
    name: 'one that a later release deprecates',
    given: servedVersion('certificates.k8s.io/v1alpha1', 'ClusterTrustBundle'),
    expected: undefined,
  },
  {
    name: 'one whose schema does not say',
    given: servedVersion('v1', 'ComponentStatus'),
    expected: { text: 'v1 ComponentStatus is deprecated in v1.19+', removed: '' },
  },
  {
    name: 'one that has another in its place',
    given: servedVersion('admissionregistration.k8s.io/v1beta1', 'MutatingWebhookConfiguration'),
    expected: {
      text:
        'admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration is deprecated in v1.16+, unavailable ' +
        'in v1.22+; use admissionregistration.k8s.io/v1 MutatingWebhookConfiguration',
      removed: '1.22',
    },
  },
  {
    name: 'a version of a definition, in its own words',
    given: servedVersion('example.com/v1', 'Thing', { deprecation: 'do not' }),
    expected: { text: 'do not', removed: '' },
  },
  {
    name: 'a version of a definition that stays',
    given: servedVersion('example.com/v2', 'Thing', {}),
    expected: undefined,
  },
])('The deprecation of $name', ({ given, expected }) => {
  expect(deprecationOf(schemas, given)).toEqual(expected);
});
