/**
 * `AuthenticationConfiguration`: issuers of tokens, and the mappings of their claims. As in the file, types checked.
 */
import { readConfigurationDocument } from '../../../machinery/configuration-document.ts';
import { type FieldError, invalid, typeInvalid } from '../../../machinery/field-error.ts';
import { FieldPath } from '../../../machinery/field-path.ts';

export interface AuthenticationConfiguration {
  readonly jwt: readonly JwtAuthenticatorConfig[];
  readonly anonymous?: AnonymousConfig;
}

export interface AnonymousConfig {
  readonly enabled: boolean;
  readonly conditions: readonly { readonly path: string }[];
}

export interface JwtAuthenticatorConfig {
  readonly issuer: {
    readonly url: string;
    readonly discoveryURL: string;
    /** PEM; the system's when empty. */
    readonly certificateAuthority: string;
    readonly audiences: readonly string[];
    readonly audienceMatchPolicy: string;
  };
  readonly claimValidationRules: readonly {
    readonly claim: string;
    readonly requiredValue: string;
    readonly expression: string;
    readonly message: string;
  }[];
  readonly claimMappings: {
    readonly username: PrefixedMapping;
    readonly groups: PrefixedMapping;
    readonly uid: Mapping;
    readonly extra: readonly { readonly key: string; readonly valueExpression: string }[];
  };
  readonly userValidationRules: readonly { readonly expression: string; readonly message: string }[];
}

export interface Mapping {
  readonly claim: string;
  readonly expression: string;
}

export interface PrefixedMapping extends Mapping {
  readonly prefix?: string;
}

/** What a document may have: members by name; `[shape]` a list; absent members get the zero of their type. */
type Shape =
  | 'string'
  | 'boolean'
  | 'optional string'
  | readonly [Shape]
  | { readonly [member: string]: Shape }
  | { readonly $optional: Shape };

const mapping = { claim: 'string', expression: 'string' } as const;
const prefixed = { claim: 'string', prefix: 'optional string', expression: 'string' } as const;
const shape: Shape = {
  jwt: [
    {
      issuer: {
        url: 'string',
        discoveryURL: 'string',
        certificateAuthority: 'string',
        audiences: ['string'],
        audienceMatchPolicy: 'string',
      },
      claimValidationRules: [{ claim: 'string', requiredValue: 'string', expression: 'string', message: 'string' }],
      claimMappings: {
        username: prefixed,
        groups: prefixed,
        uid: mapping,
        extra: [{ key: 'string', valueExpression: 'string' }],
      },
      userValidationRules: [{ expression: 'string', message: 'string' }],
    },
  ],
  anonymous: { $optional: { enabled: 'boolean', conditions: [{ path: 'string' }] } },
};

/** Ours is the specification's spelling of the first. */
const apiVersions = [
  'apiserver.config.k8s.io/v1alpha1',
  'apiserver.config.k8s.io/v1beta1',
  'apiserver.orch.io/v1alpha1',
];

/** Throws an Error that names each field that is wrong, unknown or given twice. Values are not judged yet. */
export const readAuthenticationConfiguration = (text: string): AuthenticationConfiguration =>
  readConfigurationDocument(
    text,
    { apiVersions, kind: 'AuthenticationConfiguration' },
    (members, errors) => readShape(members, shape, FieldPath.root, errors) as AuthenticationConfiguration,
  );

function readShape(value: unknown, wanted: Shape, path: FieldPath, errors: FieldError[]): unknown {
  if (typeof wanted === 'string') return readScalar(value, wanted, path, errors);
  if (Array.isArray(wanted)) {
    if (value !== undefined && value !== null && !Array.isArray(value))
      errors.push(typeInvalid(path, shown(value), 'must be a list'));
    return (Array.isArray(value) ? value : []).map((item, index) =>
      readShape(item, (wanted as readonly [Shape])[0], path.index(index), errors),
    );
  }
  if ('$optional' in wanted)
    return value === undefined || value === null ? undefined : readShape(value, wanted.$optional, path, errors);
  return readMembers(value, wanted as { readonly [member: string]: Shape }, path, errors);
}

function readMembers(
  value: unknown,
  wanted: { readonly [member: string]: Shape },
  path: FieldPath,
  errors: FieldError[],
): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject && value !== undefined && value !== null)
    errors.push(typeInvalid(path, shown(value), 'must be an object'));
  const members = new Map(Object.entries(isObject ? value : {}));
  for (const name of members.keys())
    if (!Object.hasOwn(wanted, name)) errors.push(invalid(path.child(name), name, 'unknown field'));
  const read = Object.entries(wanted).map(
    ([name, member]) => [name, readShape(members.get(name), member, path.child(name), errors)] as const,
  );
  return Object.fromEntries(read.filter(([, item]) => item !== undefined));
}

function readScalar(
  value: unknown,
  wanted: 'string' | 'boolean' | 'optional string',
  path: FieldPath,
  errors: FieldError[],
): unknown {
  if (value === undefined || value === null) return wanted === 'string' ? '' : wanted === 'boolean' ? false : undefined;
  const type = wanted === 'boolean' ? 'boolean' : 'string';
  if (typeof value !== type) errors.push(typeInvalid(path, shown(value), `must be a ${type}`));
  return value;
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
