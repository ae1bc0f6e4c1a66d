/**
 * A custom resource from its definition: what the catalog holds of a built-in one. All versions share one storage of
 * objects; each has a store of its own over it, which hands out objects of that version.
 *
 * @NOTE differs from upstream: field selectors read the objects as they are stored, not as the version shows them.
 */
import { selectableFieldNames } from '../../api/apiextensions/custom-resource-definitions/selectable-fields.ts';
import type { CustomResourceDefinition } from '../../api/gen/types/apiextensions-v1.ts';
import type { ResourceInfo, SubresourceInfo } from '../../api/resources.ts';
import type { TypeCodec } from '../../machinery/codec/index.ts';
import { createJsonAttributesScanner } from '../../machinery/json/attributes-scanner.ts';
import { asJson } from '../../machinery/object-meta.ts';
import { createCustomType } from '../../machinery/managed-fields/structural-types.ts';
import type { MergeType } from '../../machinery/managed-fields/merge-type.ts';
import type { VersionSource } from '../../machinery/managed-fields/versions.ts';
import type { ObjectCodec, ObjectStorage } from '../../storage/objects.ts';
import type { Admission } from '../admission.ts';
import type { CatalogEntry } from '../catalog.ts';
import { type ObserveComparison, ResourceStore } from '../generic/resource-store.ts';
import type { ServedVersion } from '../generic/served-version.ts';
import { CustomCodec } from './codec.ts';
import { createColumns } from './columns.ts';
import type { Converter } from './conversion.ts';
import { createCustomStorageCodec } from './storage-codec.ts';
import { customScaleFields } from './scale.ts';
import type { CustomObserver } from '../../api/apiextensions/custom-observer.ts';
import { createRuleChecker } from '../../api/apiextensions/object-rules.ts';
import { createCustomDefinition } from './strategy.ts';
import { membersOf, type ReadVersion, readVersions } from './version.ts';

export interface CustomResourceOptions {
  readonly definition: CustomResourceDefinition;
  /** `/registry` */
  readonly storePrefix: string;
  /** Of `meta/v1.ObjectMeta`. */
  readonly metadata: TypeCodec;
  readonly metadataType: MergeType;
  readonly admission: Admission;
  readonly garbageCollection: boolean;
  readonly enabled: (gate: string) => boolean;
  readonly converter: Converter;
  readonly openStorage: (resource: ResourceInfo, prefix: string, codec: ObjectCodec) => ObjectStorage;
  readonly observer?: CustomObserver | undefined;
  readonly timesCompared?: ObserveComparison | undefined;
}

export interface CustomResource {
  readonly definition: CustomResourceDefinition;
  /** The store of the storage version. */
  readonly store: ResourceStore;
  /** One per served version. */
  readonly entries: readonly CatalogEntry[];
  /** Ends its watches, then what converts for them. */
  close(): Promise<void>;
}

/** Discovery lists them in this order. */
const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'] as const;
const subresourceVerbs = ['get', 'patch', 'update'] as const;

export function createCustomResource(options: CustomResourceOptions): CustomResource {
  const { definition } = options;
  const versions = readVersions(definition).map((version) => withGates(version, options));
  const stored = versions.find(({ version }) => version.storage === true) ?? versions[0]!;
  const servedVersions = new Map<string, ServedVersion>();
  const infoOf = (version: ReadVersion): ResourceInfo => resourceInfo(definition, version, stored);
  const schemas = new Map(versions.map((version) => [version.apiVersion, version]));
  const codecs = new Map(
    versions.map((version) => [
      version.apiVersion,
      new CustomCodec({ version, stored, versions: schemas, converter: options.converter, metadata: options.metadata }),
    ]),
  );
  const fields = new Set(versions.flatMap(selectableFields));
  const prefix = `${options.storePrefix}/${definition.spec.group ?? ''}/${definition.spec.names.plural ?? ''}/`;
  const codec = createCustomStorageCodec({
    codec: codecs.get(stored.apiVersion)!,
    scan: createJsonAttributesScanner([...fields]),
  });
  let storage: ObjectStorage | undefined;
  const openStorage = (): ObjectStorage => (storage ??= options.openStorage(infoOf(stored), prefix, codec));
  const storeOf = (version: ReadVersion): ResourceStore =>
    createStore(options, version, codecs.get(version.apiVersion)!, prefix, openStorage);
  const mergeTypes = new Map(
    versions.map((version) => [
      version.apiVersion,
      createCustomType(version.schema, { objectMeta: options.metadataType }),
    ]),
  );
  const versionSource = versions.length < 2 ? undefined : ownership(mergeTypes, codecs);
  const replicasPaths = new Map(
    versions.map(({ apiVersion, scale }) => [
      apiVersion,
      scale === undefined ? undefined : membersOf(scale.specReplicas),
    ]),
  );
  const entries = versions
    .filter(({ version }) => version.served === true)
    .map((version): CatalogEntry => {
      const servedVersion = servedVersionOf(version, {
        stored,
        codec: codecs.get(version.apiVersion)!,
        listKind: listKindOf(definition),
        mergeType: mergeTypes.get(version.apiVersion)!,
        mayWait: options.converter.asks,
        versions: versionSource,
        replicasPaths,
      });
      servedVersions.set(version.apiVersion, servedVersion);
      return {
        info: infoOf(version),
        servedVersion: servedVersion,
        store: storeOf(version),
        servedVersions: servedVersions,
      };
    });
  const store = entries.find(({ servedVersion }) => servedVersion.isStored)?.store ?? storeOf(stored);
  const close = (): Promise<void> => store.close().finally(() => options.converter.close());
  return { definition, entries, store, close };
}

const listKindOf = ({ spec, status }: CustomResourceDefinition): string =>
  status.acceptedNames.listKind ?? spec.names.listKind ?? `${spec.names.kind ?? ''}List`;

/** While their gate is off, selectable fields that a definition had before are kept, and have no effect. */
const withGates = (read: ReadVersion, { enabled }: Pick<CustomResourceOptions, 'enabled'>): ReadVersion =>
  enabled('CustomResourceFieldSelectors')
    ? read
    : { ...read, version: { ...read.version, selectableFields: undefined } };

const selectableFields = ({ version }: ReadVersion): string[] => selectableFieldNames(version.selectableFields);

interface FormParts {
  readonly stored: ReadVersion;
  readonly codec: CustomCodec;
  readonly listKind: string;
  readonly mergeType: MergeType;
  readonly mayWait: boolean;
  readonly versions: VersionSource | undefined;
  readonly replicasPaths: ReadonlyMap<string, readonly string[] | undefined>;
}

function servedVersionOf(
  { version, apiVersion, kind, scale }: ReadVersion,
  { stored, codec, listKind, mergeType, mayWait, versions, replicasPaths }: FormParts,
): ServedVersion {
  const { deprecated, deprecationWarning } = version;
  return {
    apiVersion,
    kind,
    listKind,
    typeId: codec.id,
    codec,
    isStored: apiVersion === stored.apiVersion,
    setDefaults: (object) => codec.setDefaults(asJson(object)),
    // The store speaks this version.
    toStored: (object) => object,
    fromStored: (object) => object,
    custom: {
      mergeType,
      mayWait,
      versions,
      replicasPaths,
      ...createColumns(version),
      scale: scale === undefined ? undefined : customScaleFields(scale),
      deprecation: deprecated === true ? (deprecationWarning ?? `${apiVersion} ${kind} is deprecated`) : undefined,
    },
  };
}

const ownership = (types: ReadonlyMap<string, MergeType>, codecs: ReadonlyMap<string, CustomCodec>): VersionSource => ({
  typeOf: (apiVersion) => types.get(apiVersion),
  convert: (object, _from, to) => codecs.get(to)!.converted(object),
});

function createStore(
  options: CustomResourceOptions,
  version: ReadVersion,
  codec: CustomCodec,
  prefix: string,
  openStorage: () => ObjectStorage,
): ResourceStore {
  const { spec } = options.definition;
  const [group, resource, namespaced] = [spec.group ?? '', spec.names.plural ?? '', spec.scope === 'Namespaced'];
  return new ResourceStore({
    group,
    resource,
    kind: version.kind,
    namespaced,
    storageVersion: version.apiVersion,
    storedType: codec.id,
    definition: createCustomDefinition({
      group,
      resource,
      namespaced,
      version,
      rules: createRuleChecker(version.structural, options.observer),
      observer: options.observer,
    }),
    openStorage,
    layout: { prefix, namespaced },
    codec,
    admission: options.admission,
    garbageCollection: options.garbageCollection,
    timesCompared: options.timesCompared,
  });
}

function resourceInfo(
  { spec, status }: CustomResourceDefinition,
  read: ReadVersion,
  stored: ReadVersion,
): ResourceInfo {
  const { acceptedNames: names } = status;
  const namespaced = spec.scope === 'Namespaced';
  const own = { kind: read.kind, apiVersion: read.apiVersion, verbs: subresourceVerbs };
  const subresources: SubresourceInfo[] = [
    ...(read.hasStatus ? [{ ...own, name: 'status' }] : []),
    ...(read.scale === undefined
      ? []
      : [{ name: 'scale', kind: 'Scale', apiVersion: 'autoscaling/v1', verbs: subresourceVerbs }]),
  ];
  return {
    group: spec.group ?? '',
    version: read.name,
    apiVersion: read.apiVersion,
    name: spec.names.plural ?? '',
    kind: read.kind,
    listKind: listKindOf({ spec, status } as CustomResourceDefinition),
    singular: names.singular ?? '',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced,
    verbs,
    type: `custom:${(spec.group ?? '').split('.').reverse().join('.')}.${read.name}.${read.kind}`,
    schema: read.schema,
    subresources,
    returnsDeleted: false,
    storage: {
      apiVersion: stored.apiVersion,
      prefix: `${spec.group ?? ''}/${spec.names.plural ?? ''}`,
      hashedAs: stored.apiVersion,
      fieldSelectors: ['metadata.name', ...(namespaced ? ['metadata.namespace'] : []), ...selectableFields(read)],
    },
  };
}
