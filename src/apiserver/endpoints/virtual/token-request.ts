/**
 * Tokens of a service account, signed when they are asked for.
 * @see {@link https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/ |
 *   TokenRequest}
 */
import type { BoundObjectReference, TokenRequest } from '../../../api/gen/types/authentication-v1.ts';
import type { Node, Pod } from '../../../api/gen/types/core-v1.ts';
import { type FieldError, invalid } from '../../../machinery/field-error.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { type KubeObject, metaOf } from '../../../machinery/object-meta.ts';
import { badRequest, conflict, invalid as invalidStatus } from '../../../machinery/status.ts';
import type { RegistryCatalog } from '../../../registry/catalog.ts';
import { timestamp } from '../../../registry/generic/timestamp.ts';
import { injectedSeconds } from '../../authn/service-accounts/account-keys.ts';
import {
  boundClaims,
  credentialId,
  type KubernetesClaims,
  type ObjectClaim,
} from '../../../auth/service-accounts/claims.ts';
import type { TokenIssuing } from '../../../auth/service-accounts/signer.ts';
import type { ApiResponse } from '../../../server/exchange.ts';
import type { ApiRequest } from '../../request/request.ts';
import type { EndpointContext } from '../context.ts';
import { noSuchResource } from '../../request/request-errors.ts';
import type { ServedResource } from '../../served/served-resource.ts';
import { operationVersion, readOperation, validateOperation, valueResponse } from './operation.ts';

const defaultSeconds = 3600;
const minSeconds = 600;
const maxSeconds = 2 ** 32;

/** @param issuing absent on a server without a signing key, which does not serve the resource */
export function createTokenRequest(
  context: EndpointContext,
  registry: RegistryCatalog,
  issuing: TokenIssuing | undefined,
): (served: ServedResource, request: ApiRequest) => Promise<ApiResponse> {
  const servedVersion = operationVersion(context, 'authentication.k8s.io/v1', 'TokenRequest', {
    rules: { defaults: setDefaults },
  });
  return async (served, request) => {
    if (issuing === undefined) throw noSuchResource();
    const operation = await readOperation<TokenRequest>(context, served, request, servedVersion);
    const { object, write } = operation;
    const { now } = write.context;
    checkNames(object, write);
    const account = served.store!.decode(await served.store!.get(write.namespace, write.name, { match: 'mostRecent' }));
    if ((object.spec.audiences ?? []).length === 0) object.spec.audiences = [...issuing.audiences];
    Object.assign(metaOf(object), { name: write.name, namespace: write.namespace, creationTimestamp: timestamp(now) });
    const errors = durationErrors(object);
    if (errors.length > 0) throw invalidStatus({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', errors);
    await validateOperation(context, served, request, operation);
    const about = {
      namespace: write.namespace,
      serviceaccount: claimOf(account),
      ...(await boundTo(registry, object.spec.boundObjectRef, write)),
    };
    const life = lifeOf(object, about, issuing, (text) => request.warn(text));
    const claims = boundClaims({ issuer: issuing.issuer, audiences: object.spec.audiences ?? [], about, now, ...life });
    request.annotate('authentication.kubernetes.io/issued-credential-id', credentialId(claims.jti));
    const expires = new Date(now.getTime() + Number(object.spec.expirationSeconds) * 1000);
    object.status = { token: await issuing.sign(claims, request.signal), expirationTimestamp: timestamp(expires) };
    return valueResponse(context, served, request, 201, { ...operation, value: object });
  };
}

function setDefaults(object: KubeObject): void {
  const request = object as TokenRequest;
  (request.spec ??= {}).expirationSeconds ??= defaultSeconds;
}

/** The body may repeat what the URL says, and nothing else. */
function checkNames(
  { metadata }: TokenRequest,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): void {
  const differing = (field: 'name' | 'namespace', own: string): FieldError[] => {
    const given = metadata?.[field] ?? '';
    return given === '' || given === own
      ? []
      : [invalid(FieldPath.of('metadata', field), given, `must match the service account ${field} if specified`)];
  };
  const errors = [...differing('name', name), ...differing('namespace', namespace)];
  if (errors.length > 0) throw invalidStatus({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, name, errors);
}

/** Shortens what is asked for to what is allowed; a token for a pod that is refreshed may live on when it is not. */
function lifeOf(
  { spec }: TokenRequest,
  about: Pick<KubernetesClaims, 'pod'>,
  { maxExpirationSeconds: most, extendExpiration, extendedSeconds, audiences }: TokenIssuing,
  warn: (text: string) => void,
): { lifeSeconds: number; warnAfterSeconds?: number } {
  const asked = Number(spec.expirationSeconds);
  if (most > 0 && asked > most) {
    warn(`requested expiration of ${asked} seconds shortened to ${most} seconds`);
    spec.expirationSeconds = most;
  }
  const lifeSeconds = Number(spec.expirationSeconds);
  const isExtended =
    extendExpiration &&
    about.pod !== undefined &&
    lifeSeconds === injectedSeconds &&
    (spec.audiences ?? []).every((audience) => audiences.includes(audience));
  return isExtended ? { lifeSeconds: extendedSeconds, warnAfterSeconds: lifeSeconds } : { lifeSeconds };
}

function durationErrors({ spec }: TokenRequest): FieldError[] {
  const seconds = Number(spec?.expirationSeconds ?? defaultSeconds);
  const path = FieldPath.of('spec', 'expirationSeconds');
  return [
    ...(seconds < minSeconds ? [invalid(path, seconds, 'may not specify a duration less than 10 minutes')] : []),
    ...(seconds > maxSeconds ? [invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds')] : []),
  ];
}

const claimOf = ({ metadata }: KubeObject): ObjectClaim => ({ name: metadata?.name ?? '', uid: metadata?.uid ?? '' });

const bindable: Readonly<Record<string, 'pod' | 'secret' | 'node'>> = {
  'v1 Pod': 'pod',
  'v1 Secret': 'secret',
  'v1 Node': 'node',
};

/** The object that the token is to die with, as claims. */
async function boundTo(
  registry: RegistryCatalog,
  ref: BoundObjectReference | undefined,
  { namespace, name: account }: { readonly namespace: string; readonly name: string },
): Promise<Pick<KubernetesClaims, 'pod' | 'secret' | 'node'>> {
  if (ref === undefined) return {};
  const { apiVersion = '', kind = '', name = '', uid = '' } = ref;
  const claim = bindable[`${apiVersion} ${kind}`];
  const store = claim === undefined ? undefined : registry.storeOf('', `${claim}s`);
  if (store === undefined || claim === undefined)
    throw badRequest(
      `cannot bind token to object of type ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`,
    );
  const found = store.decode(await store.get(store.namespaced ? namespace : '', name, { match: 'mostRecent' }));
  if (claim === 'pod' && (found as Pod).spec.serviceAccountName !== account)
    throw badRequest(
      `cannot bind token for serviceaccount ${goQuote(account)} to pod running with different serviceaccount name.`,
    );
  if (uid !== '' && uid !== found.metadata?.uid) {
    throw conflict(
      { group: '', resource: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have ` +
        'been deleted and then recreated',
    );
  }
  return { [claim]: claimOf(found), ...(claim === 'pod' ? await nodeOf(registry, found as Pod) : {}) };
}

/** Where the pod runs. A node that is not there is named all the same. */
async function nodeOf(registry: RegistryCatalog, { spec: { nodeName = '' } }: Pod): Promise<{ node?: ObjectClaim }> {
  const store = registry.storeOf('', 'nodes');
  if (nodeName === '' || store === undefined) return {};
  const stored = await store.find('', nodeName, { match: 'any' });
  return { node: stored === undefined ? { name: nodeName } : claimOf(store.decode(stored) as Node) };
}
