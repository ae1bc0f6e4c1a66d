/** The forms of what requests for a resource write: how admission sees objects in API versions of its choice. */
import { isEqual } from '../../machinery/equal.ts';
import { JsonTypeError } from '../../machinery/json/json-error.ts';
import { parseJson } from '../../machinery/json/reader.ts';
import { encodeJson, stringifyJson } from '../../machinery/json/writer.ts';
import type { MergeType } from '../../machinery/managed-fields/merge-type.ts';
import { keysOf } from '../../machinery/members.ts';
import { asJson, type KubeObject } from '../../machinery/object-meta.ts';
import type { JsonObject } from '../../machinery/value.ts';
import type { ObjectForms, ResourceForm } from '../../registry/admission.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import { plainError } from '../../machinery/status.ts';
import { settled } from '../../registry/generic/pending.ts';
import { markPruned } from '../../registry/generic/pruned-objects.ts';
import type { ServedVersion } from '../../registry/generic/served-version.ts';
import type { EndpointContext } from './context.ts';
import { goType, internalType } from './go-types.ts';
import type { ServedResource } from '../served/served-resource.ts';

type Parts = Pick<EndpointContext, 'toEncodedJson' | 'codecs' | 'schemas'>;
type Served = Pick<ServedResource, 'info' | 'servedVersion' | 'servedVersions'>;

/** A version that is replaced takes its forms with it. */
const known = new WeakMap<ServedVersion, Map<string, ObjectForms>>();

/** @param served with the version of the body: a Scale is one of another kind than its resource */
export function formsOf(context: Parts, served: Served, subresource: string): ObjectForms {
  let bySubresource = known.get(served.servedVersion);
  if (bySubresource === undefined) known.set(served.servedVersion, (bySubresource = new Map()));
  const key = `${served.info.apiVersion} ${served.info.name}/${subresource}`;
  let forms = bySubresource.get(key);
  if (forms === undefined) bySubresource.set(key, (forms = new ServedForms(context, served, subresource)));
  return forms;
}

export function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf('/');
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

class ServedForms implements ObjectForms {
  readonly all: readonly ResourceForm[];
  readonly #context: Parts;
  readonly #served: Served;

  constructor(context: Parts, served: Served, subresource: string) {
    this.#context = context;
    this.#served = served;
    const { info, servedVersion, servedVersions } = served;
    const hasOwnKind = servedVersions.get(info.apiVersion) !== servedVersion;
    const versions = [...servedVersions].filter(
      ([, { custom }]) => subresource !== 'scale' || custom === undefined || custom.scale !== undefined,
    );
    this.all = versions.map(([apiVersion, { kind }]) => ({
      resource: { ...groupVersionOf(apiVersion), resource: info.name },
      kind: hasOwnKind
        ? { ...groupVersionOf(servedVersion.apiVersion), kind: servedVersion.kind }
        : { ...groupVersionOf(apiVersion), kind },
    }));
  }

  async show(object: KubeObject, form: ResourceForm): Promise<JsonObject> {
    const version = this.#versionOf(form);
    const converted = await settled(() => this.#convert(object, this.#served.servedVersion, version));
    if (version.custom !== undefined) return parseJson(stringifyJson(asJson(converted))) as JsonObject;
    const { kind, apiVersion, typeId } = version;
    return { kind, apiVersion, ...this.#context.toEncodedJson(asJson(converted), typeId) };
  }

  async write(object: KubeObject, form: ResourceForm): Promise<Buffer> {
    const version = this.#versionOf(form);
    const converted = asJson(await settled(() => this.#convert(object, this.#served.servedVersion, version)));
    if (version.custom !== undefined) return encodeJson(converted);
    const { kind, apiVersion, typeId } = version;
    return this.#context.codecs.of(typeId).toJson(converted, { typeMeta: { kind, apiVersion } });
  }

  async replace(object: KubeObject, shown: JsonObject, form: ResourceForm): Promise<boolean> {
    const version = this.#versionOf(form);
    const own = this.#served.servedVersion;
    this.#checkKind(shown, version);
    const next = version.codec.normalize(shown).value as KubeObject;
    if (version.custom !== undefined && losesFields(shown, asJson(next))) markPruned(object);
    const before = await settled(() => this.#convert(object, own, version));
    const isChanged = !isEqual(before, next);
    version.setDefaults(next);
    const stored =
      version.custom === undefined
        ? version.toStored(next, () => object)
        : await settled(() => this.#convert(next, version, own));
    if (stored !== object) become(object, stored);
    return isChanged;
  }

  typeOf(form: ResourceForm): MergeType | string {
    const { custom, typeId } = this.#versionOf(form);
    return custom?.mergeType ?? typeId;
  }

  /** What was made of an object must still be one of its kind. */
  #checkKind(shown: JsonObject, { apiVersion, kind, custom }: ServedVersion): void {
    const own = { apiVersion: shown['apiVersion'] ?? '', kind: shown['kind'] ?? '' };
    if (custom !== undefined) {
      if (own.kind === '') throw new JsonTypeError(`Object 'Kind' is missing in '${stringifyJson(shown)}'`);
      if (own.apiVersion === apiVersion) return;
      const shownVersion = String(own.apiVersion);
      throw plainError(
        `${shownVersion.includes('/') ? shownVersion : `/${shownVersion}`}, Kind=${String(own.kind)} is unstructured ` +
          `and is not suitable for converting to ${goQuote(apiVersion)}`,
      );
    }
    const claimed = {
      apiVersion: own.apiVersion === '' ? apiVersion : String(own.apiVersion),
      kind: own.kind === '' ? kind : String(own.kind),
    };
    if (claimed.apiVersion === apiVersion && claimed.kind === kind) return;
    const { codecs, schemas } = this.#context;
    const typeId = schemas.ofKind(claimed.apiVersion, claimed.kind);
    if (typeId === undefined)
      throw new JsonTypeError(
        `no kind ${goQuote(claimed.kind)} is registered for version ${goQuote(claimed.apiVersion)} in scheme ` +
          '"pkg/api/legacyscheme/scheme.go:30"',
      );
    // What it says it is comes first: a malformed Secret is that before it is no ConfigMap.
    codecs.of(typeId).normalize(shown);
    throw new JsonTypeError(
      `converting (${goType(claimed.apiVersion, claimed.kind)}) to (${internalType(apiVersion, kind)}): unknown ` +
        'conversion',
    );
  }

  /** That of a Scale, and of what is POSTed to a subresource, is the same in every version of the resource. */
  #versionOf({ kind: { group, version } }: ResourceForm): ServedVersion {
    const { servedVersion, servedVersions } = this.#served;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    return apiVersion === servedVersion.apiVersion ? servedVersion : (servedVersions.get(apiVersion) ?? servedVersion);
  }

  /** Custom objects are of the version of the request, all others of the storage version. */
  #convert(object: KubeObject, from: ServedVersion, to: ServedVersion): KubeObject {
    if (to.custom === undefined) return to.isStored ? object : to.fromStored(object);
    const { versions } = to.custom;
    if (from.apiVersion === to.apiVersion || versions === undefined) return object;
    return versions.convert(asJson(object), from.apiVersion, to.apiVersion) as KubeObject;
  }
}

/** Whether fields were pruned that count as changes of the object. */
const losesFields = (shown: JsonObject, pruned: JsonObject): boolean =>
  keysOf(shown).some((name) => !uncounted.has(name) && !isEqual(shown[name], pruned[name]));

const uncounted: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** The caller holds the object: it changes in place. */
function become(object: KubeObject, next: KubeObject): void {
  for (const name of Object.keys(object)) delete object[name as keyof KubeObject];
  Object.assign(object, next);
}
