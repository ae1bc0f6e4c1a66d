/**
 * What stands in a service account token.
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#bound-service-account-tokens |
 *   Bound service account tokens}
 */
import { randomUUID } from 'node:crypto';

/** Of an object that the token dies with. */
export interface ObjectClaim {
  readonly name: string;
  readonly uid?: string;
}

export interface KubernetesClaims {
  readonly namespace: string;
  readonly serviceaccount: ObjectClaim;
  readonly pod?: ObjectClaim;
  readonly secret?: ObjectClaim;
  /** Where the pod runs, or what the token is bound to when there is no pod. */
  readonly node?: ObjectClaim;
  /** Seconds since 1970 from when on its use is reported. */
  readonly warnafter?: number;
}

/** Times in seconds since 1970. */
export interface BoundClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly nbf: number;
  readonly jti: string;
  readonly 'kubernetes.io': KubernetesClaims;
}

export interface ClaimsInput {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly about: Omit<KubernetesClaims, 'warnafter'>;
  readonly lifeSeconds: number;
  readonly warnAfterSeconds?: number;
  readonly now: Date;
}

/** Members sorted by name, as the reference writes them. */
export function boundClaims({
  issuer,
  audiences,
  about,
  lifeSeconds,
  warnAfterSeconds,
  now,
}: ClaimsInput): BoundClaims {
  const iat = Math.floor(now.getTime() / 1000);
  const { namespace, node, pod, secret, serviceaccount } = about;
  return {
    aud: audiences,
    exp: iat + lifeSeconds,
    iat,
    iss: issuer,
    jti: randomUUID(),
    'kubernetes.io': {
      namespace,
      ...(node === undefined ? {} : { node }),
      ...(pod === undefined ? {} : { pod }),
      ...(secret === undefined ? {} : { secret }),
      serviceaccount,
      ...(warnAfterSeconds === undefined ? {} : { warnafter: iat + warnAfterSeconds }),
    },
    nbf: iat,
    sub: userNameOf(namespace, serviceaccount.name),
  };
}

const userPrefix = 'system:serviceaccount:';

export const userNameOf = (namespace: string, name: string): string => `${userPrefix}${namespace}:${name}`;

/** The parts of a service account's user name; undefined for every other user. */
export function splitUserName(user: string): { namespace: string; name: string } | undefined {
  if (!user.startsWith(userPrefix)) return undefined;
  const [namespace = '', name = '', ...more] = user.slice(userPrefix.length).split(':');
  return more.length > 0 || !isName(namespace, 63) || !isName(name, 253) ? undefined : { namespace, name };
}

const isName = (text: string, longest: number): boolean =>
  text.length <= longest && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text);

export const groupsOf = (namespace: string): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

export const extraKeys = {
  credentialId: 'authentication.kubernetes.io/credential-id',
  podName: 'authentication.kubernetes.io/pod-name',
  podUid: 'authentication.kubernetes.io/pod-uid',
  nodeName: 'authentication.kubernetes.io/node-name',
  nodeUid: 'authentication.kubernetes.io/node-uid',
} as const;

export const credentialId = (tokenId: string): string => `JTI=${tokenId}`;
