/** What does not fit the general verbs: subresources with their own kind, and virtual types. */
import type { SubresourceInfo } from '../../api/resources.ts';
import { isStatusError, notFound } from '../../machinery/status.ts';
import type { CatalogEntry, RegistryCatalog } from '../../registry/catalog.ts';
import { createScaleVersion } from '../../registry/generic/scale.ts';
import type { Store } from '../../storage/interface.ts';
import type { Authentication } from '../authn/authentication.ts';
import type { EndpointContext } from './context.ts';
import { deprecationOf } from '../served/deprecation.ts';
import type {
  ConnectHandler,
  ServedResource,
  SubresourceEndpoint,
  VirtualResource,
} from '../served/served-resource.ts';
import { getObject } from './verbs/get.ts';
import { patchObject } from './verbs/patch.ts';
import { updateObject } from './verbs/update.ts';
import { createAccessReview, createRulesReview } from './virtual/access-review.ts';
import { createBinding } from './virtual/binding.ts';
import { admitted } from './virtual/connect-admission.ts';
import { createComponentStatuses } from './virtual/component-statuses.ts';
import { createEviction } from './virtual/eviction.ts';
import { createSelfSubjectReview, createTokenReview } from './virtual/identity-review.ts';
import { createTokenRequest } from './virtual/token-request.ts';
import { scaleFieldsOf } from '../../registry/scale-fields.ts';

export interface ServedParts {
  readonly registry: RegistryCatalog;
  readonly authentication: Authentication;
  /** What ComponentStatus looks at. */
  readonly store: Pick<Store, 'currentRevision'>;
  /** What leads to nodes, pods and services, by `resource/subresource`. */
  readonly connections: ReadonlyMap<string, ConnectHandler>;
}

/** What answers requests for a resource. */
export function serveResource(context: EndpointContext, entry: CatalogEntry, parts: ServedParts): ServedResource {
  const virtual = virtualResource(context, entry, parts);
  return {
    ...entry,
    deprecation: deprecationOf(context.schemas, entry.servedVersion),
    subresources: subresourcesOf(context, entry, parts),
    ...(virtual === undefined ? {} : { virtual }),
  };
}

/** Endpoints of subresources whose kind is not that of their object. */
function subresourcesOf(
  context: EndpointContext,
  entry: CatalogEntry,
  parts: ServedParts,
): ReadonlyMap<string, SubresourceEndpoint> {
  const endpoints = new Map<string, SubresourceEndpoint>();
  for (const info of entry.info.subresources) {
    const verbs = verbsOf(context, entry, parts, info);
    if (verbs !== undefined) endpoints.set(info.name, { info, verbs });
  }
  return endpoints;
}

function verbsOf(
  context: EndpointContext,
  entry: CatalogEntry,
  { registry, authentication: { issuing }, connections }: ServedParts,
  { name: subresource, kind = '' }: SubresourceInfo,
): SubresourceEndpoint['verbs'] | undefined {
  if (subresource === 'scale') return scaleVerbs(context, entry);
  if (entry.info.group !== '') return undefined;
  switch (`${entry.info.name}/${subresource}`) {
    case 'pods/binding':
      return { create: createBinding(context, registry) };
    case 'pods/eviction':
      return { create: createEviction(context, registry) };
    case 'serviceaccounts/token':
      return { create: createTokenRequest(context, registry, issuing) };
    default: {
      const connect = connections.get(`${entry.info.name}/${subresource}`);
      return connect === undefined ? undefined : admitted(context, kind, connect);
    }
  }
}

function scaleVerbs(context: EndpointContext, entry: CatalogEntry): SubresourceEndpoint['verbs'] {
  const fields = scaleFieldsOf(entry);
  const servedVersion = createScaleVersion(context.codecs, fields);
  const { missingReplicas } = fields;
  const shown =
    missingReplicas === undefined
      ? servedVersion
      : createScaleVersion(context.codecs, {
          ...fields,
          specReplicas: (object) => fields.specReplicas(object) ?? raise(missingReplicas()),
        });
  const asScale = (served: ServedResource): ServedResource => ({ ...served, servedVersion });
  return {
    get: (served, request) =>
      getObject(context, { ...served, servedVersion: shown }, request).catch((error: unknown) => {
        throw isStatusError(error) && error.reason === 'NotFound'
          ? notFound({ group: entry.info.group, resource: `${entry.info.name}/scale` }, request.info.name)
          : error;
      }),
    update: (served, request) => updateObject(context, asScale(served), request),
    patch: (served, request) => patchObject(context, asScale(served), request),
  };
}

function raise(error: Error): never {
  throw error;
}

/** Types that are asked or POSTed and answered, never stored. */
function virtualResource(
  context: EndpointContext,
  entry: CatalogEntry,
  { registry, authentication, store }: ServedParts,
): VirtualResource | undefined {
  const { kind } = entry.info;
  if (entry.store !== undefined) return undefined;
  switch (kind) {
    case 'Binding':
      return { create: createBinding(context, registry) };
    case 'ComponentStatus':
      return createComponentStatuses(context, new Map([['store', async () => void (await store.currentRevision())]]));
    case 'SelfSubjectReview':
      return { create: createSelfSubjectReview(context) };
    case 'TokenReview':
      return { create: createTokenReview(context, authentication) };
    case 'SelfSubjectRulesReview':
      return { create: createRulesReview(context, context.authorizer) };
    case 'SubjectAccessReview':
    case 'LocalSubjectAccessReview':
    case 'SelfSubjectAccessReview':
      return { create: createAccessReview(context, context.authorizer, kind) };
    default:
      return undefined;
  }
}
