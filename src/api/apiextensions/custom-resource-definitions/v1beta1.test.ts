import { describe, expect, test } from 'vitest';
import { fromOldDefinition } from './v1beta1.ts';

const definition = (spec: object): Parameters<typeof fromOldDefinition>[0] => ({
  apiVersion: 'apiextensions.k8s.io/v1beta1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'xs.example.com' },
  spec: { group: 'example.com', names: { plural: 'xs' }, ...spec },
  status: { storedVersions: ['v1'] },
});

const schema = { openAPIV3Schema: { type: 'object' } };

describe('a definition as kube-apiserver stores it', () => {
  test.each([
    {
      name: 'what all versions have in common',
      old: {
        scope: 'Namespaced',
        version: 'v1',
        validation: schema,
        subresources: { status: {} },
        preserveUnknownFields: false,
        versions: [
          { name: 'v1', served: true, storage: true },
          { name: 'v2', served: true, storage: false },
        ],
        additionalPrinterColumns: [{ name: 'N', type: 'integer', JSONPath: '.spec.n' }],
      },
      spec: {
        scope: 'Namespaced',
        preserveUnknownFields: false,
        versions: [
          { name: 'v1', served: true, storage: true },
          { name: 'v2', served: true, storage: false },
        ].map((version) => ({
          ...version,
          schema,
          subresources: { status: {} },
          additionalPrinterColumns: [{ name: 'N', type: 'integer', jsonPath: '.spec.n' }],
        })),
      },
    },
    {
      name: 'what each version has itself',
      old: {
        preserveUnknownFields: false,
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema,
            additionalPrinterColumns: [{ name: 'N', type: 'integer', JSONPath: '.a' }],
          },
        ],
      },
      spec: {
        scope: 'Namespaced',
        preserveUnknownFields: false,
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema,
            additionalPrinterColumns: [{ name: 'N', type: 'integer', jsonPath: '.a' }],
          },
        ],
      },
    },
    {
      name: 'a version alone, unknown fields kept',
      old: { version: 'v1', scope: 'Cluster' },
      spec: { scope: 'Cluster', preserveUnknownFields: true, versions: [{ name: 'v1', served: true, storage: true }] },
    },
    {
      name: 'conversion by webhook',
      old: {
        version: 'v1',
        conversion: {
          strategy: 'Webhook',
          webhookClientConfig: { url: 'https://x' },
          conversionReviewVersions: ['v1'],
        },
      },
      spec: {
        scope: 'Namespaced',
        preserveUnknownFields: true,
        versions: [{ name: 'v1', served: true, storage: true }],
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { url: 'https://x' }, conversionReviewVersions: ['v1'] },
        },
      },
    },
    {
      name: 'no conversion',
      old: { version: 'v1', conversion: { strategy: 'None' } },
      spec: {
        scope: 'Namespaced',
        preserveUnknownFields: true,
        versions: [{ name: 'v1', served: true, storage: true }],
        conversion: { strategy: 'None' },
      },
    },
  ])('A definition as kube-apiserver stores it: $name', ({ old, spec }) => {
    expect(fromOldDefinition(definition(old))).toEqual({
      ...definition({}),
      apiVersion: 'apiextensions.k8s.io/v1',
      spec: { group: 'example.com', names: { plural: 'xs' }, ...spec },
    });
  });

  test('A stored definition that is no definition stays as it is', () => {
    expect(fromOldDefinition({ spec: 5 })).toEqual({ apiVersion: 'apiextensions.k8s.io/v1', spec: {} });
    expect(
      fromOldDefinition(definition({ versions: [1, { additionalPrinterColumns: 'x' }], conversion: 'x' })),
    ).toMatchObject({ spec: { versions: [1, { additionalPrinterColumns: 'x' }] } });
  });
});
