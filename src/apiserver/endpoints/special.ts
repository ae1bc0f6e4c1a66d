/** What does not fit the general verbs: subresources with a form of their own, and virtual types. */
import type { CatalogEntry, RegistryCatalog } from '../../registry/catalog.ts';
import { createScaleForm } from '../../registry/generic/scale.ts';
import type { ApiServerConfig } from '../api-server.ts';
import type { EndpointContext } from './context.ts';
import type { ServedResource, SubresourceEndpoint, VirtualResource } from './served.ts';
import { getObject } from './verbs/get.ts';
import { patchObject } from './verbs/patch.ts';
import { updateObject } from './verbs/update.ts';
import { scaleFieldsOf } from '../../registry/scale-fields.ts';

/** Endpoints of subresources that are not written in the form of their object. */
export function subresourcesOf(context: EndpointContext, entry: CatalogEntry, _registry: RegistryCatalog): ReadonlyMap<string, SubresourceEndpoint> {
  const endpoints = new Map<string, SubresourceEndpoint>();
  for (const info of entry.info.subresources) {
    if (info.name === 'scale') endpoints.set('scale', { info, verbs: scaleVerbs(context, entry) });
  }
  return endpoints;
}

function scaleVerbs(context: EndpointContext, entry: CatalogEntry): SubresourceEndpoint['verbs'] {
  const form = createScaleForm(context.codecs, scaleFieldsOf(entry.info));
  const asScale = (served: ServedResource): ServedResource => ({ ...served, form });
  return {
    get: (served, request) => getObject(context, asScale(served), request),
    update: (served, request) => updateObject(context, asScale(served), request),
    patch: (served, request) => patchObject(context, asScale(served), request),
  };
}

/** Types that are POSTed and answered, never stored. */
export function virtualResource(_context: EndpointContext, _entry: CatalogEntry, _registry: RegistryCatalog, _config: ApiServerConfig): VirtualResource | undefined {
  return undefined;
}
