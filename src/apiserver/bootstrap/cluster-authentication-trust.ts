/**
 * How this server knows its callers, for servers behind it that must know the same: a config map with the authorities
 * of client certificates and of front proxies. All servers of a cluster write into it, each adds what it has.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/#original-request-username-and-group
 *   | Configure the aggregation layer}
 */
import { X509Certificate } from 'node:crypto';
import type { ConfigMap } from '../../api/gen/types/core-v1.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { AuthenticationConfig } from '../authn/authentication.ts';
import type { LoopbackClient } from '../loopback/loopback-client.ts';

export const trustIntervalMs = 60_000;

const name = {
  group: '',
  resource: 'configmaps',
  namespace: 'kube-system',
  name: 'extension-apiserver-authentication',
};
type Data = Readonly<Record<string, string>>;

/** Does nothing when the config map says it already, or when there is nothing to say. */
export async function publishAuthenticationTrust(
  writer: LoopbackClient,
  config: AuthenticationConfig,
  now: Date,
): Promise<void> {
  if (!writer.isServed(name) || (config.clientCa === undefined && config.requestHeader === undefined)) return;
  const found = await writer.find<ConfigMap>(name);
  const data = combined(found?.data ?? {}, config, now);
  if (found === undefined) await writer.create(name, { data } as KubeObject);
  else if (!isSame(found.data ?? {}, data))
    await writer.change<ConfigMap>(name, (object) => void (object.data = combined(object.data ?? {}, config, now)));
}

const isSame = (a: Data, b: Data): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(b).every(([key, value]) => a[key] === value);

function combined(before: Data, { clientCa, requestHeader }: AuthenticationConfig, now: Date): Record<string, string> {
  const data: Record<string, string> = { ...before };
  const authorities = (key: string, own: string): void => void (data[key] = unexpired([before[key] ?? '', own], now));
  const list = (key: string, own: readonly string[]): void =>
    void (data[key] = JSON.stringify([...new Set([...readList(before[key]), ...own])]));
  if (clientCa !== undefined) authorities('client-ca-file', clientCa.get());
  if (requestHeader === undefined) return data;
  authorities('requestheader-client-ca-file', requestHeader.ca.get());
  list('requestheader-username-headers', requestHeader.usernameHeaders);
  list('requestheader-group-headers', requestHeader.groupHeaders);
  list('requestheader-extra-headers-prefix', requestHeader.extraHeaderPrefixes);
  list('requestheader-allowed-names', requestHeader.allowedNames);
  if (requestHeader.uidHeaders.length > 0) list('requestheader-uid-headers', requestHeader.uidHeaders);
  return data;
}

/** A value that another client wrote need not be a list. */
function readList(text: string | undefined): string[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : [];
  } catch {
    return [];
  }
}

/** Each certificate once, without those that have ended. */
function unexpired(bundles: readonly string[], now: Date): string {
  const blocks = bundles.flatMap(
    (bundle) => bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [],
  );
  const certificates = new Map<string, string>();
  for (const block of blocks) {
    const certificate = readCertificate(block);
    if (certificate !== undefined && Date.parse(certificate.validTo) > now.getTime())
      certificates.set(certificate.fingerprint512, `${block}\n`);
  }
  return [...certificates.values()].join('');
}

function readCertificate(block: string): X509Certificate | undefined {
  try {
    return new X509Certificate(block);
  } catch {
    return undefined;
  }
}
