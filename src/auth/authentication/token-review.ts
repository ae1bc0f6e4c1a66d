/**
 * Tokens that a service of the operator judges.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authentication/#webhook-token-authentication |
 *   Webhook token authentication}
 */
import type { UserInfo } from '../../machinery/user.ts';
import type { ReviewClient } from '../review-client.ts';
import { type Identity, intersect, type TokenAuthenticator } from './authenticator.ts';

export interface WebhookTokensOptions {
  readonly client: ReviewClient;
  /** `v1` or `v1beta1`, of the reviews that are exchanged. */
  readonly version: string;
  /** The audience of a token when the webhook names none. */
  readonly audiences: readonly string[];
}

/** The part of the response that is used; it is not trusted. */
interface Answer {
  readonly apiVersion?: unknown;
  readonly status?: {
    readonly authenticated?: unknown;
    readonly user?: unknown;
    readonly audiences?: unknown;
    readonly error?: unknown;
  };
}

export function webhookTokens({ client, version, audiences: own }: WebhookTokensOptions): TokenAuthenticator {
  const apiVersion = `authentication.k8s.io/${version}`;
  return {
    name: 'webhook',
    async authenticateToken(token, wanted) {
      const answer = (await client.post({
        apiVersion,
        kind: 'TokenReview',
        metadata: { creationTimestamp: null },
        spec: { token, ...(wanted.length === 0 ? {} : { audiences: wanted }) },
        status: { user: {} },
      })) as Answer | null;
      if (answer?.apiVersion !== apiVersion)
        throw new Error(`the webhook answered with something else than a TokenReview of ${apiVersion}`);
      const { authenticated, user, audiences, error } = answer.status ?? {};
      const named = texts(audiences);
      const shared = intersect(wanted, named.length === 0 ? own : named);
      if (wanted.length > 0 && shared.length === 0) return undefined;
      if (authenticated === true) return identityOf(user, shared);
      if (typeof error === 'string' && error !== '') throw new Error(error);
      return undefined;
    },
  };
}

function identityOf(shown: unknown, audiences: readonly string[]): Identity {
  const { username, uid, groups, extra } = (shown ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof username !== 'string' || username === '') throw new Error('the webhook named no user');
  const more = Object.entries((extra ?? {}) as Record<string, unknown>).map(
    ([key, values]) => [key, texts(values)] as const,
  );
  const user: UserInfo = {
    name: username,
    ...(typeof uid === 'string' && uid !== '' ? { uid } : {}),
    groups: texts(groups),
    ...(more.length === 0 ? {} : { extra: Object.fromEntries(more) }),
  };
  return { user, ...(audiences.length === 0 ? {} : { audiences }) };
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
