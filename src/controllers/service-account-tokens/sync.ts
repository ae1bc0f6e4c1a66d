/** What becomes of a secret that is to hold the token of a service account. */
import type { Secret, ServiceAccount } from '../../api/gen/types/core-v1.ts';
import { accountAnnotations, type LegacyClaims } from '../../auth/service-accounts/legacy-claims.ts';

/** Name of the account that the secret is for; undefined for a secret that names none. */
export function accountNameOf({ metadata }: Secret): string | undefined {
  const name = metadata.annotations?.[accountAnnotations.name] ?? '';
  return name === '' ? undefined : name;
}

/** Whether the secret is for this account, and not for an earlier one of its name. */
export function isFor({ metadata: { annotations } }: Secret, { metadata: { name, uid } }: ServiceAccount): boolean {
  const wanted = annotations?.[accountAnnotations.uid] ?? '';
  return annotations?.[accountAnnotations.name] === name && (wanted === '' || wanted === uid);
}

export interface Missing {
  readonly certificate: boolean;
  readonly namespace: boolean;
  readonly token: boolean;
}

/** @param certificate PEM; empty when none is to be there. @returns undefined when the secret is complete */
export function missingIn({ data }: Secret, certificate: string): Missing | undefined {
  const missing = {
    certificate: certificate !== '' && data?.['ca.crt'] !== base64(certificate),
    namespace: (data?.['namespace'] ?? '') === '',
    token: (data?.['token'] ?? '') === '',
  };
  return Object.values(missing).includes(true) ? missing : undefined;
}

export const claimsOf = ({ metadata }: Secret, account: ServiceAccount): LegacyClaims => ({
  namespace: metadata.namespace!,
  secretName: metadata.name!,
  serviceAccountName: account.metadata.name!,
  serviceAccountUID: account.metadata.uid!,
});

export interface Parts {
  readonly certificate: string;
  /** Absent when the secret has one. */
  readonly token: string | undefined;
}

/** The secret with what was missing. Other data and annotations stay. */
export function completed(secret: Secret, missing: Missing, account: ServiceAccount, parts: Parts): Secret {
  const { metadata } = secret;
  const { name, uid } = account.metadata;
  return {
    ...secret,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, [accountAnnotations.name]: name!, [accountAnnotations.uid]: uid! },
    },
    data: {
      ...secret.data,
      ...(missing.certificate ? { 'ca.crt': base64(parts.certificate) } : {}),
      ...(missing.namespace ? { namespace: base64(metadata.namespace!) } : {}),
      ...(parts.token === undefined ? {} : { token: base64(parts.token) }),
    },
  };
}

/** The account without a reference to the secret; undefined when it has none. */
export function withoutReference(account: ServiceAccount, secretName: string): ServiceAccount | undefined {
  const { secrets = [] } = account;
  const left = secrets.filter(({ name }) => name !== secretName);
  return left.length === secrets.length ? undefined : { ...account, secrets: left };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
