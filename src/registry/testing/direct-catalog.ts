/** The resources of some API versions over one store, without caches and admission. */
import type { Clock } from '../../base/clock.ts';
import { codecs } from '../../api/codecs.ts';
import { findGroupVersion } from '../../api/resources.ts';
import { schemas } from '../../api/schemas.ts';
import { createAttributesScanner } from '../../machinery/codec/attributes-scanner.ts';
import { createDirectObjectStorage } from '../../storage/direct-storage.ts';
import type { Store } from '../../storage/interface.ts';
import { createAdmissionChain } from '../admission.ts';
import { type CatalogOptions, createCatalog, type RegistryCatalog } from '../catalog.ts';

export const createDirectCatalog = (
  store: Store,
  apiVersions: readonly string[],
  { clock, ...more }: Partial<Pick<CatalogOptions, 'stores' | 'hooks' | 'admission'>> & { readonly clock?: Clock } = {},
): RegistryCatalog =>
  createCatalog({
    groupVersions: apiVersions.map((apiVersion) => findGroupVersion(apiVersion)!),
    schemas,
    codecs,
    scanner: (typeId, fields) => createAttributesScanner(schemas, typeId, fields),
    storePrefix: '/registry',
    mediaType: 'application/vnd.kubernetes.protobuf',
    storeOf: () => store,
    openStorage: (info, prefix, codec) =>
      createDirectObjectStorage({
        store,
        prefix,
        codec,
        namespaced: info.namespaced,
        ...(clock === undefined ? {} : { clock }),
      }),
    admission: createAdmissionChain([]),
    garbageCollection: true,
    eventLease: () => store.grantLease(60),
    hooks: new Map(),
    ...more,
  });
