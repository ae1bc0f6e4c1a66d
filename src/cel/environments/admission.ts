/**
 * The environments of expressions about requests: match conditions of webhooks, and what admission policies consist of.
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#validation-expression |
 *   Validation expression}
 */
import { type CelType, dynType, objectType } from '../check/types.ts';
import { type Environment, environment } from '../environment.ts';
import { authorizerType, resourceCheckType } from '../library/authorizer.ts';
import { type OpenApiSchema, namedSchemaType } from '../schema/schema-type.ts';
import { mutationLibraries, mutationMessages } from './mutation.ts';
import { userSchema } from './user-schema.ts';

const text: OpenApiSchema = { type: 'string' };
const texts = (...names: string[]): OpenApiSchema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text])),
});
const map: OpenApiSchema = { type: 'object', additionalProperties: text };
const list: OpenApiSchema = { type: 'array', items: text };
const time: OpenApiSchema = { type: 'string', format: 'date-time' };

/** An AdmissionRequest (admission.k8s.io/v1) without the objects, which are variables of their own. */
export const admissionRequest = namedSchemaType('kubernetes.AdmissionRequest', {
  type: 'object',
  properties: {
    kind: texts('group', 'version', 'kind'),
    resource: texts('group', 'version', 'resource'),
    subResource: text,
    requestKind: texts('group', 'version', 'kind'),
    requestResource: texts('group', 'version', 'resource'),
    requestSubResource: text,
    name: text,
    namespace: text,
    operation: text,
    userInfo: userSchema,
    dryRun: { type: 'boolean' },
    options: { 'x-kubernetes-int-or-string': true },
  },
});

/** The namespace of the object, null for what has none. */
export const namespaceObject = namedSchemaType('kubernetes.Namespace', {
  type: 'object',
  properties: {
    metadata: {
      type: 'object',
      properties: {
        name: text,
        generateName: text,
        namespace: text,
        labels: map,
        annotations: map,
        UID: text,
        creationTimestamp: time,
        deletionGracePeriodSeconds: { type: 'integer' },
        deletionTimestamp: time,
        generation: { type: 'integer' },
        resourceVersion: text,
        finalizers: list,
      },
    },
    spec: { type: 'object', properties: { finalizers: list } },
    status: {
      type: 'object',
      properties: {
        phase: text,
        conditions: {
          type: 'array',
          items: {
            type: 'object',
            properties: { type: text, status: text, reason: text, message: text, lastTransitionTime: time },
          },
        },
      },
    },
  },
});

export interface AdmissionUse {
  /** Of the objects of the request; any when absent. */
  readonly object?: CelType;
  /** The policy has parameters, of any type or of this one. */
  readonly params?: boolean | CelType;
  readonly authorizer?: boolean;
  /** Of a policy, by name: the variables before. */
  readonly variables?: ReadonlyMap<string, CelType>;
  /** Of a mutating policy: what a mutation makes. */
  readonly mutations?: boolean;
  /** Minor version whose language is spoken. */
  readonly version?: number;
}

/** `object` and `oldObject` are bound to null where there is none. */
export function admissionEnvironment({
  object = dynType,
  params = false,
  authorizer = false,
  variables,
  mutations = false,
  version,
}: AdmissionUse): Environment {
  return environment({
    variables: {
      object,
      oldObject: object,
      request: admissionRequest.type,
      namespaceObject: namespaceObject.type,
      ...(params === false ? {} : { params: params === true ? dynType : params }),
      ...(authorizer ? { authorizer: authorizerType, 'authorizer.requestResource': resourceCheckType } : {}),
      ...(variables === undefined
        ? {}
        : { variables: objectType('kubernetes.variables', (name) => variables.get(name)) }),
    },
    ...(mutations ? { libraries: mutationLibraries, messages: mutationMessages } : {}),
    ...(version === undefined ? {} : { version }),
  });
}
