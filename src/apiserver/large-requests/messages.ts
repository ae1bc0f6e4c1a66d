/** What goes between the server and the thread for large requests. Everything can be cloned. */
import type { GroupVersionInfo } from '../../api/resources.ts';
import type { GateSettings } from '../../api/feature-gates.ts';
import type { ErrorTranslation } from '../../base/message-port-calls.ts';
import { StatusError, type StatusDetails } from '../../machinery/status.ts';
import type { UserInfo } from '../../machinery/user.ts';
import type { AdmissionPhase } from '../../registry/admission.ts';
import type { StorageMediaType } from '../../registry/generic/storage-codec.ts';
import { storageErrors } from '../../storage/remote/error-translation.ts';
import type { AdmissionSettings } from '../admission/plugins.ts';
import type { ServiceRangesOptions } from '../../registry/core/services/allocation/service-ranges.ts';
import type { EgressConfiguration } from '../egress/configuration.ts';
import type { HeaderMap } from '../../server/exchange.ts';
import type { RequestRecord } from '../request/request.ts';

/** What the thread is started with: the part of the server's configuration that decides what a write means. */
export interface LargeRequestsConfig {
  readonly groupVersions: readonly GroupVersionInfo[];
  readonly featureGates: GateSettings;
  readonly admission: AdmissionSettings;
  readonly services: Pick<ServiceRangesOptions, 'clusterIpRanges' | 'nodePortRange'>;
  readonly storagePrefix: string;
  readonly mediaType: StorageMediaType;
  readonly garbageCollection: boolean;
  readonly eventTtlMs: number;
  readonly leaseReuseSeconds: number;
  readonly allowPrivileged: boolean;
  /** `--enable-aggregator-routing` */
  readonly servicesToEndpoints: boolean;
  readonly egress: EgressConfiguration | undefined;
}

/** One request, which the chain of the server has let through, with its body. */
export interface LargeRequest {
  readonly method: string;
  /** Decoded, in canonical names. */
  readonly path: string;
  readonly query: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: ArrayBuffer;
  readonly user: UserInfo;
  readonly auditId: string;
  /** Absent where nothing is recorded. */
  readonly audit: Pick<RequestRecord, 'keepsRequest' | 'keepsResponse' | 'omitsManagedFields'> | undefined;
  /** Name of the definition that makes the resource; undefined for what every server has. */
  readonly definition: string | undefined;
}

/** A call of {@link RequestRecord}, in order. */
export type RecordedCall = readonly [
  method: 'annotate' | 'completeReference' | 'keepRequest' | 'keepResponse',
  args: readonly unknown[],
];

export interface LargeAnswer {
  readonly status: number;
  readonly headers: HeaderMap;
  readonly body: Uint8Array;
}

/** What the request says besides its answer, also where it fails. */
export interface Aside {
  readonly warnings: readonly string[];
  readonly recorded: readonly RecordedCall[];
}

export type LargeOutcome = Aside &
  ({ readonly answer: LargeAnswer } | { readonly error: unknown } | { readonly isUnknown: true });

/**
 * Names of the stores that the thread asks for: of the objects of a resource, as they are in the clear, or of what lies
 * beside them.
 */
export const objectsOf = (group: string, resource: string): string => `objects ${group}/${resource}`;
export const plainOf = (group: string, resource: string): string => `plain ${group}/${resource}`;

/** Observations of admission, for the metrics of the server. */
export type AdmissionObservation = readonly [
  plugin: string | undefined,
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT',
  phase: AdmissionPhase,
  rejected: boolean,
  seconds: number,
];

interface EncodedStatus {
  readonly code: number;
  readonly statusReason: string;
  readonly message: string;
  readonly details: StatusDetails | undefined;
  readonly continueToken: string | undefined;
}

/** Errors of the API and of the store keep their meaning. */
export const requestErrors: ErrorTranslation = {
  encode(error) {
    if (!(error instanceof StatusError)) return storageErrors.encode(error);
    const { code, reason, message, details, continueToken } = error;
    return { code, statusReason: reason, message, details, continueToken } satisfies EncodedStatus;
  },
  decode(encoded) {
    if ((encoded as Partial<EncodedStatus>).statusReason === undefined) return storageErrors.decode(encoded);
    const { code, statusReason, message, details, continueToken } = encoded as EncodedStatus;
    return new StatusError(code, statusReason, message, details, continueToken === undefined ? {} : { continueToken });
  },
};
