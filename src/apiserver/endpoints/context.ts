/** What the verbs share: made once per server. */
import { describeWork } from '../../base/work-description.ts';
import type { Codecs } from '../../machinery/codec/index.ts';
import type { SchemaRegistry } from '../../machinery/schema.ts';
import type { FieldManager } from '../../machinery/managed-fields/field-manager.ts';
import type { StrategicMerge } from '../../machinery/patch/strategic-merge.ts';
import type { JsonObject } from '../../machinery/value.ts';
import type { Admission } from '../../registry/admission.ts';
import type { StrategyContext } from '../../registry/strategy.ts';
import type { Authorizer } from '../../auth/authorization/authorizer.ts';
import type { Encoder } from '../representation/encoder.ts';
import type { LargeBodyHandler } from './large-body.ts';
import type { ApiRequest } from '../request/request.ts';
import { fieldManagerParameter } from './write-parameters.ts';
import type { ServedResource } from '../served/served-resource.ts';
import type { WriteRequest } from '../../registry/generic/write.ts';

export interface EndpointContext {
  readonly codecs: Codecs;
  readonly schemas: SchemaRegistry;
  readonly encoder: Encoder;
  readonly fieldManager: FieldManager;
  readonly strategicMerge: StrategicMerge;
  /** A normalized value to the JSON value into which patches are merged. */
  readonly toEncodedJson: (object: JsonObject, typeId: string) => JsonObject;
  readonly admission: Admission;
  readonly authorizer: Authorizer;
  readonly now: () => Date;
  readonly featureEnabled: (gate: string) => boolean;
  /** An API that is going away was asked for; `removedRelease` is empty where no end is set. */
  readonly deprecatedUse: (served: ServedResource, subresource: string, removedRelease: string) => void;
  /** For one watch: told of the bytes of each event that is sent. */
  readonly watchEvents: (group: string, version: string, kind: string) => (bytes: number) => void;
  /** Told when a watch that begins with a list has sent the list. */
  readonly watchListed?: (request: ApiRequest) => void;
  readonly allowPrivileged: boolean;
  /** `--min-request-timeout` in seconds: how long a watch lives at least. */
  readonly minRequestTimeoutSeconds: number;
  /** `--delete-collection-workers` */
  readonly deleteCollectionWorkers: number;
  /** Where writes with large bodies are worked on; absent where that is here. */
  readonly largeRequests?: LargeBodyHandler;
  /** Told of the body of each write that was read. */
  readonly bodyRead?: (request: ApiRequest, bytes: number) => void;
  /** Upper limit of a request body in bytes. */
  readonly maxBodyBytes: number;
}

export const defaultMaxBodyBytes = 3 * 1024 * 1024;

export function strategyContext(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
): StrategyContext {
  return {
    now: context.now(),
    user: request.user,
    enabled: context.featureEnabled,
    apiVersion: served.servedVersion.apiVersion,
    allowPrivileged: context.allowPrivileged,
  };
}

export interface WriteRequestInput {
  readonly kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';
  readonly dryRun: boolean;
  readonly options: Readonly<Record<string, unknown>>;
}

export function writeRequest(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
  input: WriteRequestInput,
): WriteRequest {
  return {
    namespace: served.info.namespaced ? request.info.namespace : '',
    name: request.info.name,
    subresource: request.info.subresource,
    context: strategyContext(context, served, request),
    dryRun: input.dryRun,
    options: { kind: input.kind, apiVersion: 'meta.k8s.io/v1', ...input.options },
    warn: (text) => request.warn(text),
    beginWarnings: () => request.beginWarnings(),
    [describeWork]: () => request[describeWork](),
  };
}

export const managerOf = (request: ApiRequest, kind: string): string =>
  fieldManagerParameter(request.query.get('fieldManager'), request.header('user-agent'), kind);
