/**
 * The thread for large requests: its own registry on the store of the server, without caches, and the verbs that write.
 * Its work does not delay other requests, and when it needs too much memory or does not end, only this thread is ended.
 */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { codecs } from '../../api/codecs.ts';
import { isGateOn } from '../../api/feature-gates.ts';
import { schemas } from '../../api/schemas.ts';
import type { CustomResourceDefinition } from '../../api/gen/types/apiextensions-v1.ts';
import type { Logger } from '../../base/logger.ts';
import { PortCalls } from '../../base/message-port-calls.ts';
import { createAttributesScanner } from '../../machinery/codec/attributes-scanner.ts';
import { createBuiltInTypes } from '../../machinery/managed-fields/built-in-types.ts';
import { createFieldManager } from '../../machinery/managed-fields/field-manager.ts';
import { createJsonEncoder } from '../../machinery/managed-fields/json-encoder.ts';
import { createStrategicMerge } from '../../machinery/patch/strategic-merge.ts';
import { type AdmissionObserver, createAdmissionChain } from '../../registry/admission.ts';
import { type CatalogEntry, createCatalog, type RegistryCatalog } from '../../registry/catalog.ts';
import { createServiceRanges } from '../../registry/core/services/allocation/service-ranges.ts';
import { createServiceHooks } from '../../registry/core/services/hooks.ts';
import type { CustomObserver } from '../../api/apiextensions/custom-observer.ts';
import { createCustomResource } from '../../registry/custom/resource.ts';
import type { WriteHooks } from '../../registry/generic/write.ts';
import { ResourceStores, type StoredKind } from '../../registry/resource-stores.ts';
import { createDirectObjectStorage } from '../../storage/direct-storage.ts';
import { createEventTtl } from '../../registry/core/events/event-ttl.ts';
import type { ObjectCodec, ObjectStorage } from '../../storage/objects.ts';
import { RemoteStore } from '../../storage/remote/remote-store.ts';
import type { ResourceInfo } from '../../api/resources.ts';
import { createAddressObjects, hasAddressObjects } from '../loopback/address-objects.ts';
import { LoopbackClient } from '../loopback/loopback-client.ts';
import { createCachedObjects } from '../loopback/cached-objects.ts';
import type { TakeEvent } from '../admission/event-rate-limit.ts';
import { createImageReviews } from '../admission/image-reviews.ts';
import { createAdmissionPlugins } from '../admission/plugins.ts';
import { listedPolicies } from '../admission/policies/sources.ts';
import { listedSources } from '../admission/webhooks/sources.ts';
import type { Authorizer } from '../../auth/authorization/authorizer.ts';
import { createEscalationHooks } from '../authz/rbac/escalation.ts';
import { RbacSource } from '../authz/rbac/source.ts';
import { converterOf } from '../custom-resources/conversion-webhooks.ts';
import { CustomResources } from '../custom-resources/custom-resources.ts';
import { type EndpointContext, defaultMaxBodyBytes } from '../endpoints/context.ts';
import { writeVerbs } from '../endpoints/router.ts';
import type { ServedResource } from '../served/served-resource.ts';
import type { ApiRequest } from '../request/request.ts';
import { Encoder } from '../representation/encoder.ts';
import { ServedApis } from '../served-apis.ts';
import { createSharedDecoder } from '../loopback/shared-decoder.ts';
import { createEgress } from '../egress/dialers.ts';
import { WebhookClients } from '../webhooks/webhook-clients.ts';
import { createServiceResolver } from '../webhooks/service-resolver.ts';
import {
  type AdmissionObservation,
  type Aside,
  type LargeOutcome,
  type LargeRequest,
  type LargeRequestsConfig,
  objectsOf,
  plainOf,
  type RecordedCall,
  requestErrors,
} from './messages.ts';
import { requestOf, bodyOf } from './thread-requests.ts';

/** What was made for one answer is not asked for again. */
const representationBudgetBytes = 1024 * 1024;

const definitions = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };

class LargeRequestThread {
  readonly #calls: PortCalls;
  readonly #context: EndpointContext;
  readonly #registry: RegistryCatalog;
  readonly #apis: ServedApis;
  readonly #customResources: CustomResources;

  constructor(port: MessagePort, config: LargeRequestsConfig) {
    this.#calls = new PortCalls(port, {
      methods: {
        run: ([request]: readonly LargeRequest[], signal: AbortSignal) => this.#run(request!, signal),
        ping: () => true,
      } as never,
      errors: requestErrors,
    });
    const storeOf = (name: string): RemoteStore => new RemoteStore(this.#calls, name);
    const log = this.#logger();
    const featureEnabled = (gate: string): boolean => isGateOn(gate, config.featureGates);
    const authorizer: Authorizer = {
      authorize: (attributes) => this.#calls.call('authorize', [attributes]) as ReturnType<Authorizer['authorize']>,
    };
    const openStorage = (info: ResourceInfo, prefix: string, codec: ObjectCodec): ObjectStorage =>
      createDirectObjectStorage({
        store: storeOf(objectsOf(info.group, info.name)),
        prefix,
        codec,
        namespaced: info.namespaced,
      });
    const stores = new ResourceStores();
    const decode = createSharedDecoder();
    const objects = createCachedObjects(stores, decode);
    const fieldManager = createFieldManager({ schemas });
    const writer = new LoopbackClient({ registry: stores, fieldManager, enabled: featureEnabled });
    const ranges = createServiceRanges({
      store: storeOf(plainOf('', 'services')),
      prefix: config.storagePrefix,
      mediaType: config.mediaType,
      codecs,
      clusterIpRanges: config.services.clusterIpRanges,
      nodePortRange: config.services.nodePortRange,
      stores,
      ...(hasAddressObjects(featureEnabled, config.groupVersions)
        ? {
            addressObjects: {
              objects: createAddressObjects(writer),
              withBitmaps: !featureEnabled('DisableAllocatorDualWrite'),
            },
          }
        : {}),
      log,
    });
    const rbac = new RbacSource({ registry: stores, decode, log });
    const hooks = new Map<string, WriteHooks>([
      ['/services', createServiceHooks({ allocator: ranges.allocator, stores, log })],
      ...createEscalationHooks({ authorizer, policy: rbac.policy }),
    ]);
    const now = (): Date => new Date();
    const egress = createEgress(config.egress ?? {});
    egress.observe = (observation) => void this.#calls.call('observeDial', [observation]).catch(() => undefined);
    const webhooks = new WebhookClients({
      dialers: egress.dialers,
      resolve: createServiceResolver({ objects, toEndpoints: config.servicesToEndpoints }),
      observer: { begins: () => ({ answered: () => undefined, ended: () => undefined }) },
    });
    const plugins = createAdmissionPlugins({
      settings: config.admission,
      registry: stores,
      groupVersions: config.groupVersions,
      objects,
      authorizer,
      fieldManager,
      now,
      featureEnabled,
      services: {
        takeEvent: (keys) => this.#calls.call('takeEvent', [keys]) as ReturnType<TakeEvent>,
        createNamespace: (name) => this.#calls.call('createNamespace', [name]) as Promise<void>,
      },
      imageReviews: createImageReviews(webhooks, config.admission.configuration.imagePolicy),
      policies: {
        sources: listedPolicies(objects),
        kinds: { kindOf: (apiVersion, kind) => this.#kindOf(stores, apiVersion, kind) },
        observe: (observation) => void this.#calls.call('observePolicy', [observation]).catch(() => undefined),
      },
      webhooks: {
        clients: webhooks,
        createSource: listedSources(objects),
        observe: (observation) => void this.#calls.call('observeWebhook', [observation]).catch(() => undefined),
      },
      observePodSecurity: (observation) =>
        void this.#calls.call('observePodSecurity', [observation]).catch(() => undefined),
      log,
    });
    const admission = createAdmissionChain(plugins, this.#admissionObserver());
    this.#registry = createCatalog({
      stores,
      groupVersions: config.groupVersions,
      schemas,
      codecs,
      scanner: (typeId, fields) => createAttributesScanner(schemas, typeId, fields),
      storeOf: ({ group, resourceName }) => storeOf(plainOf(group, resourceName)),
      storePrefix: config.storagePrefix,
      mediaType: config.mediaType,
      openStorage,
      admission,
      garbageCollection: config.garbageCollection,
      hooks,
      eventLease: createEventTtl({
        store: storeOf(plainOf('', 'events')),
        ttlMs: config.eventTtlMs,
        reuseSeconds: config.leaseReuseSeconds,
      }),
    });
    this.#context = {
      codecs,
      schemas,
      admission,
      authorizer,
      encoder: new Encoder(representationBudgetBytes),
      fieldManager,
      strategicMerge: createStrategicMerge(schemas),
      toEncodedJson: createJsonEncoder(schemas),
      now,
      featureEnabled,
      allowPrivileged: config.allowPrivileged,
      maxBodyBytes: defaultMaxBodyBytes,
      // Told by the server, before the request came here.
      deprecatedUse: () => undefined,
      watchEvents: () => () => undefined,
      minRequestTimeoutSeconds: 0,
      deleteCollectionWorkers: 1,
    };
    this.#apis = new ServedApis({
      groupVersions: config.groupVersions,
      resources: new Map(
        [...this.#registry.entries].map(([apiVersion, resources]) => [
          apiVersion,
          new Map([...resources].map(([name, entry]) => [name, served(entry)])),
        ]),
      ),
    });
    const metadataType = createBuiltInTypes(schemas).of('meta/v1.ObjectMeta');
    this.#customResources = new CustomResources({
      registry: this.#registry,
      apis: this.#apis,
      serve: served,
      log,
      create: (definition) =>
        createCustomResource({
          definition,
          storePrefix: config.storagePrefix,
          admission,
          openStorage,
          metadataType,
          metadata: codecs.of('meta/v1.ObjectMeta'),
          garbageCollection: true,
          enabled: featureEnabled,
          observer: this.#customObserver(),
          converter: converterOf(webhooks, definition.spec.conversion),
        }),
    });
  }

  async #run(given: LargeRequest, signal: AbortSignal): Promise<LargeOutcome> {
    const recorded: RecordedCall[] = [];
    const request = requestOf(given, recorded);
    signal.addEventListener('abort', () => request.abort(signal.reason as Error), { once: true });
    const aside = (): Aside => ({ warnings: request.warnings.texts, recorded });
    try {
      const found = await this.#find(request, given.definition);
      if (found === undefined) return { ...aside(), isUnknown: true };
      const answer = await writeVerbs[request.info.verb]!(this.#context, found, request);
      return { ...aside(), answer: { status: answer.status, headers: answer.headers, body: bodyOf(answer) } };
    } catch (error) {
      return { ...aside(), error: requestErrors.encode(error) };
    }
  }

  /** A custom resource is served as its definition is at the moment. */
  async #find({ info }: ApiRequest, definition: string | undefined): Promise<ServedResource | undefined> {
    if (definition !== undefined) {
      const store = this.#registry.storeOf(definitions.group, definitions.resource)!;
      const stored = await store.find('', definition, { match: 'mostRecent' });
      this.#customResources.sync(
        definition,
        stored === undefined ? undefined : (store.decode(stored) as CustomResourceDefinition),
      );
    }
    return this.#apis.find(info.group === '' ? info.version : `${info.group}/${info.version}`, info.resource);
  }

  /** What definitions say of a kind is read anew: the thread does not follow them. */
  async #kindOf(stores: ResourceStores, apiVersion: string, kind: string): Promise<StoredKind | undefined> {
    if (schemas.ofKind(apiVersion, kind) !== undefined) return stores.kindOf(apiVersion, kind);
    const group = apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
    const store = this.#registry.storeOf(definitions.group, definitions.resource)!;
    const { objects } = await store.list({ version: { match: 'mostRecent' } });
    for (const stored of objects) {
      const definition = store.decode(stored) as CustomResourceDefinition;
      const { spec } = definition;
      if (spec.group === group && spec.names.kind === kind)
        this.#customResources.sync(definition.metadata.name!, definition);
    }
    return stores.kindOf(apiVersion, kind);
  }

  #logger(): Logger {
    const log =
      (level: keyof Logger) =>
      (details: object, message: string): void => {
        const { err, ...rest } = details as { readonly err?: unknown };
        void this.#calls
          .call('log', [level, err === undefined ? rest : { ...rest, err: requestErrors.encode(err) }, message])
          .catch(() => undefined);
      };
    return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  }

  #customObserver(): CustomObserver {
    const observe =
      (what: keyof CustomObserver) =>
      (seconds: number): void =>
        void this.#calls.call('observeCustom', [what, seconds]).catch(() => undefined);
    return {
      rulesCompiled: observe('rulesCompiled'),
      rulesEvaluated: observe('rulesEvaluated'),
      compared: observe('compared'),
    };
  }

  #admissionObserver(): AdmissionObserver {
    const observe = (...about: AdmissionObservation): void =>
      void this.#calls.call('observeAdmission', about).catch(() => undefined);
    return {
      plugin: (name, operation, phase, rejected) => ({
        observe: (seconds) => observe(name, operation, phase, rejected, seconds),
      }),
      step: (operation, phase, rejected) => ({
        observe: (seconds) => observe(undefined, operation, phase, rejected, seconds),
      }),
    };
  }
}

/** Only for what has a store: nothing else is sent here. */
const served = (entry: CatalogEntry): ServedResource => ({ ...entry, deprecation: undefined, subresources: new Map() });

if (parentPort !== null) new LargeRequestThread(parentPort, workerData as LargeRequestsConfig);
