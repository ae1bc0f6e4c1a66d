/** What does not fit the general verbs: subresources with their own kind, and virtual types. */
import { isStatusError, notFound } from '../../machinery/status.ts';
import type { CatalogEntry, RegistryCatalog } from '../../registry/catalog.ts';
import { createScaleVersion } from '../../registry/generic/scale.ts';
import type { ApiServerConfig } from '../config.ts';
import type { Authentication } from '../authn/authentication.ts';
import type { EndpointContext } from './context.ts';
import type { ServedResource, SubresourceEndpoint, VirtualResource } from './served.ts';
import { getObject } from './verbs/get.ts';
import { patchObject } from './verbs/patch.ts';
import { updateObject } from './verbs/update.ts';
import { createAccessReview, createRulesReview } from './virtual/access-review.ts';
import { createBinding } from './virtual/binding.ts';
import { createComponentStatuses } from './virtual/component-statuses.ts';
import { createConnections } from './virtual/connections.ts';
import { createEviction } from './virtual/eviction.ts';
import { createSelfSubjectReview, createTokenReview } from './virtual/identity-review.ts';
import { createTokenRequest } from './virtual/token-request.ts';
import { scaleFieldsOf } from '../../registry/scale-fields.ts';

/** Endpoints of subresources whose kind is not that of their object. */
export function subresourcesOf(
  context: EndpointContext,
  entry: CatalogEntry,
  registry: RegistryCatalog,
  authentication: Authentication,
): ReadonlyMap<string, SubresourceEndpoint> {
  const endpoints = new Map<string, SubresourceEndpoint>();
  for (const info of entry.info.subresources) {
    const verbs = verbsOf(context, entry, registry, authentication, info.name);
    if (verbs !== undefined) endpoints.set(info.name, { info, verbs });
  }
  return endpoints;
}

function verbsOf(
  context: EndpointContext,
  entry: CatalogEntry,
  registry: RegistryCatalog,
  { issuing }: Authentication,
  subresource: string,
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
    default:
      return createConnections(registry).get(`${entry.info.name}/${subresource}`);
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
export function virtualResource(
  context: EndpointContext,
  entry: CatalogEntry,
  registry: RegistryCatalog,
  config: ApiServerConfig,
  authentication: Authentication,
): VirtualResource | undefined {
  const { kind } = entry.info;
  if (entry.store !== undefined) return undefined;
  switch (kind) {
    case 'Binding':
      return { create: createBinding(context, registry) };
    case 'ComponentStatus':
      return createComponentStatuses(context, new Map([['store', () => checkStore(config)]]));
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

async function checkStore({ storage }: ApiServerConfig): Promise<void> {
  await storage.store.currentRevision();
}
