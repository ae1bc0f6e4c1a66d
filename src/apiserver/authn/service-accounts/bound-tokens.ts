/** Tokens that are bound to a service account, and perhaps to a pod, secret or node: they end with the objects. */
import type { KubeObject } from '../../../machinery/object-meta.ts';
import type { Identity } from '../../../auth/authentication/authenticator.ts';
import type { AccountTokenUse } from '../metrics.ts';
import type { ObjectReader } from '../object-reader.ts';
import {
  credentialId,
  extraKeys,
  groupsOf,
  type KubernetesClaims,
  type ObjectClaim,
  userNameOf,
} from '../../../auth/service-accounts/claims.ts';
import type { ClaimsValidator } from './verifier.ts';

export interface BoundTokenOptions {
  readonly objects: ObjectReader;
  readonly count: (use: AccountTokenUse) => void;
  readonly now?: () => number;
}

/** Clocks differ; and what was deleted a moment ago may still say goodbye. */
export const leewaySeconds = 60;

export function boundTokens({ objects, count, now = Date.now }: BoundTokenOptions): ClaimsValidator {
  return async (claims) => {
    const seconds = now() / 1000;
    const expires = checkTimes(claims, seconds);
    const about = kubernetesClaims(claims['kubernetes.io']);
    const deadline = (seconds - leewaySeconds) * 1000;
    const { namespace, serviceaccount, pod, secret, node } = about;
    const account = await current(objects, 'serviceaccounts', namespace, serviceaccount);
    if (account === undefined) throw new Error(`serviceaccounts "${serviceaccount.name}" not found`);
    if (account.metadata?.uid !== serviceaccount.uid)
      throw new Error(
        `service account UID (${account.metadata?.uid ?? ''}) does not match claim (${serviceaccount.uid ?? ''})`,
      );
    if (isGone(account, deadline))
      throw new Error(`service account ${namespace}/${serviceaccount.name} has been deleted`);
    if (secret !== undefined)
      await checkBound(objects, { resource: 'secrets', what: 'secret' }, namespace, secret, deadline);
    if (pod !== undefined) await checkBound(objects, { resource: 'pods', what: 'pod' }, namespace, pod, deadline);
    else if (node !== undefined) await checkBound(objects, { resource: 'nodes', what: 'node' }, '', node, deadline);
    const lateSeconds = about.warnafter === undefined ? undefined : Math.floor(seconds) - about.warnafter;
    if (lateSeconds !== undefined) count(lateSeconds > 0 ? 'stale' : 'valid');
    return identityOf(about, claims, expires, lateSeconds ?? 0);
  };
}

function checkTimes({ exp, nbf, iat }: Readonly<Record<string, unknown>>, seconds: number): number {
  if (typeof exp !== 'number' || seconds - leewaySeconds > exp) throw new Error('service account token has expired');
  if (typeof nbf === 'number' && seconds + leewaySeconds < nbf)
    throw new Error('service account token is not valid yet');
  if (typeof iat === 'number' && seconds + leewaySeconds < iat)
    throw new Error('service account token is issued in the future');
  return exp;
}

function kubernetesClaims(claim: unknown): KubernetesClaims {
  const { namespace, serviceaccount, pod, secret, node, warnafter } = (claim ?? {}) as Record<string, unknown>;
  const account = objectClaim(serviceaccount);
  if (typeof namespace !== 'string' || account === undefined)
    throw new Error('service account token claims could not be validated');
  const named = { pod: objectClaim(pod), secret: objectClaim(secret), node: objectClaim(node) };
  return {
    namespace,
    serviceaccount: account,
    ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)),
    ...(typeof warnafter === 'number' ? { warnafter } : {}),
  };
}

function objectClaim(claim: unknown): ObjectClaim | undefined {
  if (typeof claim !== 'object' || claim === null) return undefined;
  const { name, uid } = claim as Record<string, unknown>;
  return { name: typeof name === 'string' ? name : '', ...(typeof uid === 'string' ? { uid } : {}) };
}

/** From the cache, unless that has another object or none: then by a fresh read, before a token is refused. */
export async function current<T extends KubeObject>(
  objects: ObjectReader,
  resource: string,
  namespace: string,
  { name, uid }: ObjectClaim,
): Promise<T | undefined> {
  if (name === '') return undefined;
  const cached = await objects.find<T>('', resource, namespace, name);
  return cached?.metadata?.uid === uid ? cached : objects.findFresh<T>('', resource, namespace, name);
}

const isGone = ({ metadata }: KubeObject, deadline: number): boolean =>
  metadata?.deletionTimestamp !== undefined && Date.parse(metadata.deletionTimestamp) < deadline;

interface Binding {
  readonly resource: string;
  /** How messages call it. */
  readonly what: string;
}

async function checkBound(
  objects: ObjectReader,
  { resource, what }: Binding,
  namespace: string,
  claim: ObjectClaim,
  deadline: number,
): Promise<void> {
  const object = await current(objects, resource, namespace, claim);
  if (object === undefined || isGone(object, deadline)) throw new Error('service account token has been invalidated');
  if (object.metadata?.uid !== claim.uid)
    throw new Error(
      `${what} UID (${object.metadata?.uid ?? ''}) does not match service account ${what} ref claim ` +
        `(${claim.uid ?? ''})`,
    );
}

/** @param lateSeconds since clients should have read another one */
function identityOf(
  { namespace, serviceaccount, pod, node }: KubernetesClaims,
  { jti, sub }: Readonly<Record<string, unknown>>,
  expires: number,
  lateSeconds: number,
): Identity {
  const extra: Record<string, string[]> = {};
  if (pod?.uid !== undefined) Object.assign(extra, { [extraKeys.podName]: [pod.name], [extraKeys.podUid]: [pod.uid] });
  if (typeof jti === 'string' && jti !== '') extra[extraKeys.credentialId] = [credentialId(jti)];
  if (node !== undefined)
    Object.assign(extra, {
      [extraKeys.nodeName]: [node.name],
      ...(node.uid === undefined ? {} : { [extraKeys.nodeUid]: [node.uid] }),
    });
  return {
    user: {
      name: userNameOf(namespace, serviceaccount.name),
      uid: serviceaccount.uid!,
      groups: groupsOf(namespace),
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
    },
    expiresAt: (expires + leewaySeconds) * 1000,
    ...(lateSeconds > 0
      ? {
          annotations: {
            'authentication.k8s.io/stale-token':
              `subject: ${String(sub)}, seconds after warning ` + `threshold: ${lateSeconds}`,
          },
        }
      : {}),
  };
}
