/** Puts together what custom resources need of the server. */
import { codecs } from '../../api/codecs.ts';
import { schemas } from '../../api/schemas.ts';
import type { ResourceInfo } from '../../api/resources.ts';
import type { Logger } from '../../base/logger.ts';
import { createBuiltInTypes } from '../../machinery/managed-fields/built-in-types.ts';
import type { Admission } from '../../registry/admission.ts';
import type { CatalogEntry, RegistryCatalog } from '../../registry/catalog.ts';
import type { CustomObserver } from '../../api/apiextensions/custom-observer.ts';
import { createCustomResource } from '../../registry/custom/resource.ts';
import type { ObserveComparison } from '../../registry/generic/resource-store.ts';
import type { ObjectCodec, ObjectStorage } from '../../storage/objects.ts';
import type { LoopbackClient } from '../loopback/loopback-client.ts';
import type { ServedResource } from '../served/served-resource.ts';
import type { ServedApis } from '../served-apis.ts';
import type { WebhookClients } from '../webhooks/webhook-clients.ts';
import { DefinitionController } from './controller.ts';
import { type ConversionObserver, converterOf } from './conversion-webhooks.ts';
import { CustomResources } from './custom-resources.ts';

export interface CustomResourceSetup {
  readonly registry: RegistryCatalog;
  readonly apis: ServedApis;
  readonly admission: Admission;
  readonly writer: LoopbackClient;
  readonly storePrefix: string;
  readonly apiServerCount: number;
  readonly openStorage: (resource: ResourceInfo, prefix: string, codec: ObjectCodec) => ObjectStorage;
  readonly serve: (entry: CatalogEntry) => ServedResource;
  readonly log: Logger;
  readonly webhooks: WebhookClients;
  /** Whether a feature gate is on. */
  readonly enabled: (gate: string) => boolean;
  /** For the conversions of one definition. */
  readonly observeConversions: (definition: string) => ConversionObserver;
  readonly observer: CustomObserver;
  readonly timesCompared: ObserveComparison;
}

export interface CustomResourceParts {
  start(): void;
  /** Resolves when what the definitions of the start define is served. */
  known(): Promise<void>;
  /** Nothing happens to definitions any more; what they define is served. */
  stop(): Promise<void>;
  /** Ends what they define, watches included. */
  close(): Promise<void>;
}

export function setUpCustomResources({
  registry,
  apis,
  admission,
  writer,
  storePrefix,
  apiServerCount,
  openStorage,
  serve,
  log,
  webhooks,
  enabled,
  observeConversions,
  observer,
  timesCompared,
}: CustomResourceSetup): CustomResourceParts {
  const metadataType = createBuiltInTypes(schemas).of('meta/v1.ObjectMeta');
  const resources = new CustomResources({
    registry,
    apis,
    serve,
    log,
    create: (definition) =>
      createCustomResource({
        definition,
        storePrefix,
        admission,
        openStorage,
        metadataType,
        metadata: codecs.of('meta/v1.ObjectMeta'),
        garbageCollection: true,
        enabled,
        observer,
        timesCompared,
        converter: converterOf(
          webhooks,
          definition.spec.conversion,
          observeConversions(definition.metadata.name ?? ''),
        ),
      }),
  });
  const controller = new DefinitionController({ registry, resources, writer, apiServerCount, log });
  apis.waitFor(() => controller.known());
  return {
    start: () => controller.start(),
    known: () => controller.known(),
    stop: () => controller.stop(),
    close: () => resources.close(),
  };
}
