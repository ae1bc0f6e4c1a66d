import { describe, expect, test } from 'vitest';
import type { CustomResourceDefinition, JSONSchemaProps } from '../../gen/types/apiextensions-v1.ts';
import { testAuthority } from '../../../../test/support/certificates.ts';
import { runToEnd } from '../../../machinery/cooperative-scheduling.ts';
import { type FieldError, fieldErrorText } from '../../../machinery/field-error.ts';
import { setCustomResourceDefinitionDefaults } from './defaults.ts';
import { validateDefinition, validateDefinitionMeta, validateDefinitionMetaUpdate } from './validation.ts';

type Version = NonNullable<CustomResourceDefinition['spec']['versions']>[number];

const version = (name: string, more: Partial<Version> = {}): Version => ({
  name,
  served: true,
  schema: { openAPIV3Schema: { type: 'object' } },
  ...more,
});

function definition(change: (object: CustomResourceDefinition) => void = () => undefined): CustomResourceDefinition {
  const object: CustomResourceDefinition = {
    metadata: { name: 'things.a.example.com', resourceVersion: '1' },
    spec: {
      group: 'a.example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [version('v1', { storage: true })],
    },
    status: { acceptedNames: {}, storedVersions: ['v1'] },
  };
  change(object);
  setCustomResourceDefinitionDefaults(object);
  return object;
}

const validated = (object: CustomResourceDefinition): readonly FieldError[] =>
  runToEnd(validateDefinition(object, undefined, validateDefinitionMeta(object)));
const validatedUpdate = (object: CustomResourceDefinition, old: CustomResourceDefinition): readonly FieldError[] =>
  runToEnd(validateDefinition(object, old, validateDefinitionMetaUpdate(object, old)));
const errorsOf = (change: (object: CustomResourceDefinition) => void): string[] =>
  validated(definition(change)).map(fieldErrorText);

test('Names, list kind and conversion are filled in', () => {
  const { spec } = definition();
  expect(spec).toMatchObject({ names: { singular: 'thing', listKind: 'ThingList' }, conversion: { strategy: 'None' } });
});

describe('where errors of a version are said to be', () => {
  const bad = { openAPIV3Schema: { type: 'string' } };
  test('Errors of a version are reported above the versions when all have the same schema', () => {
    expect(
      errorsOf(({ spec }) => {
        spec.versions = [version('v1', { storage: true, schema: bad }), version('v2', { schema: bad })];
      }),
    ).toEqual(['spec.validation.openAPIV3Schema.type: Invalid value: "string": must be object at the root']);
  });
  test('Errors of a version are reported at the version when the schemas differ', () => {
    expect(
      errorsOf(({ spec }) => {
        spec.versions = [version('v1', { storage: true }), version('v2', { schema: bad })];
      }),
    ).toEqual(['spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root']);
  });
});

test('Types and formats of columns are one of those that exist', () => {
  expect(
    errorsOf(({ spec }) => {
      spec.versions![0]!.additionalPrinterColumns = [
        { name: 'a', type: 'text', format: 'long', jsonPath: '.a' },
        { name: 'b', type: '', jsonPath: '.b' },
      ];
    }),
  ).toEqual([
    'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
    'spec.additionalPrinterColumns[0].format: Invalid value: "long": must be one of byte,date,date-time,double,float,' +
      'int32,int64,password',
    'spec.additionalPrinterColumns[1].type: Required value: must be one of boolean,date,integer,number,string',
  ]);
});

describe('groups of the community', () => {
  test.each([
    ['https://github.com/kubernetes/kubernetes/pull/1', 0],
    ['unapproved, an experiment', 0],
    ['yes', 1],
  ])('Approval %s: %d errors', (approval, count) => {
    expect(
      errorsOf(({ metadata, spec }) => {
        spec.group = 'x.k8s.io';
        metadata.name = 'things.x.k8s.io';
        metadata.annotations = { 'api-approved.kubernetes.io': approval };
      }),
    ).toHaveLength(count);
  });
});

describe('certificate authorities of a conversion webhook', () => {
  const caCertificate = testAuthority();
  const withBundle =
    (caBundle: string) =>
    ({ spec }: CustomResourceDefinition): void => {
      spec.conversion = {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'https://a.example.com/', caBundle }, conversionReviewVersions: ['v1'] },
      };
    };
  const at = 'spec.conversion.webhookClientConfig.caBundle: Invalid value: []byte{';
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  test.each([
    { name: 'none', bundle: '', errors: [] },
    { name: 'certificates', bundle: base64(caCertificate), errors: [] },
    {
      name: 'certificates beside something else',
      bundle: base64(`-----BEGIN X-----\nAAAA\n-----END X-----\n${caCertificate}`),
      errors: [],
    },
    {
      name: 'a line feed',
      bundle: 'Cg==',
      errors: [`${at}0xa}: unable to load root certificates: unable to parse bytes as PEM block`],
    },
    {
      name: 'a certificate that is none',
      bundle: base64('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
      errors: [
        expect.stringMatching(
          /unable to load root certificates: failed to parse certificate: x509: malformed certificate$/,
        ),
      ],
    },
    {
      name: 'other blocks only',
      bundle: base64('-----BEGIN X-----\nAAAA\n-----END X-----\n'),
      errors: [expect.stringMatching(/unable to load root certificates: no valid certificate authority data seen$/)],
    },
  ])('Certificate authorities of a conversion webhook: $name', ({ bundle, errors }) => {
    expect(errorsOf(withBundle(bundle))).toEqual(errors);
  });

  test('Certificate authorities of a conversion webhook may stay bad, and may not become so', () => {
    const update = (old: string, bundle: string): number =>
      validatedUpdate(definition(withBundle(bundle)), definition(withBundle(old))).length;
    expect([
      update('Cg==', 'Cg=='),
      update('Cg==', 'Cgo='),
      update('', 'Cg=='),
      update(base64(caCertificate), 'Cg=='),
    ]).toEqual([0, 0, 1, 1]);
  });
});

describe('updates', () => {
  const update = (old: CustomResourceDefinition, change: (object: CustomResourceDefinition) => void): string[] =>
    validatedUpdate(definition(change), old).map(fieldErrorText);
  const rename = ({ spec }: CustomResourceDefinition): void => {
    spec.scope = 'Cluster';
    spec.names.kind = 'Other';
  };

  test('Scope and kind of a definition may change until it is established', () => {
    expect(update(definition(), rename)).toEqual([]);
    const established = definition(({ status }) => {
      status.conditions = [{ type: 'Established', status: 'True' }];
    });
    expect(update(established, rename)).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Other": field is immutable',
    ]);
  });

  test('A version that was stored may not go', () => {
    expect(
      update(definition(), (object) => {
        object.spec.versions = [version('v2', { storage: true })];
        object.status.storedVersions = ['v1', 'v2'];
      }),
    ).toEqual(['status.storedVersions[0]: Invalid value: "v1": must appear in spec.versions']);
  });

  const schemas =
    (...given: JSONSchemaProps[]) =>
    ({ spec }: CustomResourceDefinition): void => {
      spec.versions = given.map((openAPIV3Schema, i) =>
        version(`v${i + 1}`, { storage: i === 0, schema: { openAPIV3Schema } }),
      );
    };
  const withField = (a: JSONSchemaProps): JSONSchemaProps => ({ type: 'object', properties: { a } });
  const asOldOnes =
    (given: JSONSchemaProps) =>
    (object: CustomResourceDefinition): void => {
      schemas(given)(object);
      object.spec.preserveUnknownFields = true;
    };
  const at = 'spec.validation.openAPIV3Schema.properties[a]';
  const noType = `${at}.type: Required value: must not be empty for specified object fields`;
  const unknown: JSONSchemaProps = { type: 'object', default: { x: 1 } };
  const set: JSONSchemaProps = {
    type: 'array',
    'x-kubernetes-list-type': 'set',
    items: { type: 'array', 'x-kubernetes-list-type': 'map', items: { type: 'string' } },
  };

  test.each<{ name: string; old: object; now: object; errors: string[] }>([
    {
      name: 'is no structural one, where unknown fields are kept',
      old: asOldOnes(withField({})),
      now: asOldOnes(withField({ maxLength: 1 })),
      errors: [],
    },
    {
      name: 'was a structural one',
      old: asOldOnes(withField({ type: 'string' })),
      now: asOldOnes(withField({})),
      errors: [noType],
    },
    {
      name: 'is no structural one, where unknown fields are pruned from now on',
      old: asOldOnes(withField({})),
      now: schemas(withField({})),
      errors: [noType],
    },
    {
      name: 'is no structural one, and has an extension now',
      old: asOldOnes(withField({})),
      now: asOldOnes(withField({ 'x-kubernetes-map-type': 'atomic', 'x-kubernetes-embedded-resource': true })),
      errors: expect.arrayContaining([
        `${at}.type: Required value: must be object if x-kubernetes-map-type is specified`,
      ]),
    },
    {
      name: 'is no structural one, and has a default now',
      old: asOldOnes(withField({})),
      now: asOldOnes(withField({ default: 1 })),
      errors: [
        'spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema',
        noType,
      ],
    },
    {
      name: 'had a default with unknown fields',
      old: schemas(withField(unknown)),
      now: schemas(withField(unknown)),
      errors: [],
    },
    {
      name: 'had a default without unknown fields',
      old: schemas(withField({ ...unknown, default: {} })),
      now: schemas(withField(unknown)),
      errors: [`${at}.default: Invalid value: map[string]interface {}{"x":1}: must not have unknown fields`],
    },
    {
      name: 'had a type that is none',
      old: schemas(withField({ type: 'text' })),
      now: schemas(withField({ type: 'words' })),
      errors: [],
    },
    {
      name: 'had a set of lists that are maps',
      old: schemas(withField(set)),
      now: schemas(withField(set)),
      errors: expect.not.arrayContaining([expect.stringContaining('must be atomic as item of a list')]),
    },
  ])('The schema of an update is judged by what the stored one breaks: it $name', ({ old, now, errors }) => {
    expect(update(definition(old as never), now as never)).toEqual(errors);
  });

  test('A served version needs a schema, unless the stored definition has none and keeps unknown fields', () => {
    const bare =
      (preserveUnknownFields: boolean) =>
      ({ spec }: CustomResourceDefinition): void => {
        spec.versions = [{ ...version('v1', { storage: true }), schema: undefined! }];
        spec.preserveUnknownFields = preserveUnknownFields;
      };
    const path = 'spec.versions[0].schema.openAPIV3Schema';
    expect(update(definition(bare(true)), bare(true))).toEqual([]);
    expect(update(definition(bare(true)), bare(false))).toEqual([
      `${path}: Required value: because otherwise all fields are pruned`,
    ]);
    expect(update(definition(), bare(true))).toContain(`${path}: Required value: schemas are required`);
  });

  test('What a rule may cost is judged with a new schema only', () => {
    const costly = withField({
      type: 'array',
      items: { type: 'string' },
      'x-kubernetes-validations': [{ rule: 'self.all(a, self.all(b, a == b))' }],
    });
    expect(errorsOf(schemas(costly))).toContainEqual(expect.stringContaining('estimated rule cost exceeds budget'));
    const left = update(definition(schemas(costly)), schemas(costly));
    expect(left).not.toContainEqual(expect.stringContaining('estimated rule cost exceeds budget'));
  });
});
