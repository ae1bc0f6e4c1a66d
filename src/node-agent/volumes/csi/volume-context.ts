/** What a driver is told when it publishes a volume. */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import type { CSIDriver } from '../../../api/gen/types/storage-v1.ts';
import type { PodTokens } from '../projected/pod-tokens.ts';
import type { CsiSource } from './csi-source.ts';

const prefix = 'csi.storage.k8s.io';
const tokenSeconds = 3600;

export async function volumeContext(
  pod: Pod,
  { attributes, isEphemeral }: CsiSource,
  driver: CSIDriver | undefined,
  tokens: PodTokens,
): Promise<Record<string, string>> {
  const { tokenRequests = [], podInfoOnMount = false } = driver?.spec ?? {};
  return {
    ...attributes,
    ...(podInfoOnMount ? podInfo(pod, isEphemeral) : {}),
    ...(tokenRequests.length === 0
      ? {}
      : { [`${prefix}/serviceAccount.tokens`]: await tokensText(pod, tokenRequests, tokens) }),
  };
}

const podInfo = ({ metadata, spec }: Pod, isEphemeral: boolean): Record<string, string> => ({
  [`${prefix}/pod.name`]: metadata.name ?? '',
  [`${prefix}/pod.namespace`]: metadata.namespace ?? '',
  [`${prefix}/pod.uid`]: metadata.uid ?? '',
  [`${prefix}/serviceAccount.name`]: spec.serviceAccountName ?? '',
  [`${prefix}/ephemeral`]: String(isEphemeral),
});

/** JSON, by audience. */
async function tokensText(
  pod: Pod,
  requests: NonNullable<CSIDriver['spec']['tokenRequests']>,
  tokens: PodTokens,
): Promise<string> {
  const entries = await Promise.all(
    requests.map(async ({ audience = '', expirationSeconds = tokenSeconds }) => {
      const wish = { audience, expirationSeconds: Number(expirationSeconds) };
      const { token, expiresAtMs } = await tokens.entry(pod, wish);
      const expirationTimestamp = `${new Date(expiresAtMs).toISOString().slice(0, 19)}Z`;
      return [audience, { token, expirationTimestamp }] as const;
    }),
  );
  return JSON.stringify(Object.fromEntries(entries));
}
