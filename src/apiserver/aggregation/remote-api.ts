/** A group version that another server answers, as its APIService says. */
import type { APIService } from '../../api/gen/types/apiregistration-v1.ts';
import { defaultWebhookPort as defaultPort } from '../../api/meta/webhook-client.ts';
import type { ServicePort } from '../webhooks/service-resolver.ts';

export interface RemoteApi {
  /** Of its APIService: `v1.metrics.example.com`. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly service: ServicePort;
  /** PEM; the authorities of the system when absent. */
  readonly ca: string | undefined;
  readonly skipVerify: boolean;
  readonly isAvailable: boolean;
}

/**
 * Undefined for what this server answers itself.
 *
 * @NOTE differs from upstream: the core group is always answered here, whatever its APIService says.
 */
export function remoteApiOf(object: APIService): RemoteApi | undefined {
  const {
    group = '',
    version = '',
    service,
    caBundle = '',
    insecureSkipTLSVerify = false,
    groupPriorityMinimum = 0,
    versionPriority = 0,
  } = object.spec;
  if (service === undefined || group === '') return undefined;
  return {
    name: object.metadata.name!,
    group,
    version,
    apiVersion: `${group}/${version}`,
    groupPriority: groupPriorityMinimum,
    versionPriority,
    service: { namespace: service.namespace ?? '', name: service.name ?? '', port: service.port ?? defaultPort },
    ca: caBundle === '' ? undefined : Buffer.from(caBundle, 'base64').toString(),
    skipVerify: insecureSkipTLSVerify,
    isAvailable: availabilityOf(object)?.status === 'True',
  };
}

export const availabilityOf = ({
  status,
}: APIService): NonNullable<APIService['status']['conditions']>[number] | undefined =>
  status.conditions?.find(({ type }) => type === 'Available');
