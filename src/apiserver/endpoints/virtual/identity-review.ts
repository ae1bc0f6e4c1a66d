/**
 * Reviews that ask the authenticators: who am I (SelfSubjectReview), and whose token is this (TokenReview).
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authentication/#self-subject-review | API access to authentication information}
 */
import type { SelfSubjectReview, TokenReview, TokenReviewStatus, UserInfo as ShownUser } from '../../../api/gen/types/authentication-v1.ts';
import { badRequest } from '../../../machinery/status.ts';
import { timestamp } from '../../../registry/generic/timestamp.ts';
import type { UserInfo } from '../../../machinery/user.ts';
import type { Authenticator } from '../../filters/authentication.ts';
import type { ApiRequest, ApiResponse } from '../../request.ts';
import type { EndpointContext } from '../context.ts';
import type { ServedResource } from '../served.ts';
import { readOperation, validateOperation, valueResponse } from './operation.ts';

type Handler = (served: ServedResource, request: ApiRequest) => Promise<ApiResponse>;

export function createSelfSubjectReview(context: EndpointContext): Handler {
  return async (served, request) => {
    const operation = await readOperation<SelfSubjectReview>(context, served, request, served.form);
    await validateOperation(context, served, request, operation);
    const value: SelfSubjectReview = { metadata: { creationTimestamp: timestamp(operation.write.context.now) }, status: { userInfo: shown(request.user) } };
    return valueResponse(context, served, request, 201, { ...operation, value });
  };
}

/**
 * @param audiences what tokens of this server are for, where that is configured; a review for other audiences finds
 * nobody, because the tokens known here do not say whom they are for
 */
export function createTokenReview(context: EndpointContext, authenticators: readonly Authenticator[], audiences: readonly string[]): Handler {
  return async (served, request) => {
    const operation = await readOperation<TokenReview>(context, served, request, served.form);
    const { object: review } = operation;
    const { token = '', audiences: wanted = [] } = review.spec ?? {};
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    await validateOperation(context, served, request, operation);
    const shared = wanted.length === 0 ? audiences : wanted.filter((audience) => audiences.includes(audience));
    const user = wanted.length > 0 && shared.length === 0 ? undefined : await ownerOf(token, authenticators);
    review.status = statusOf(user, shared);
    return valueResponse(context, served, request, 201, { ...operation, value: review });
  };
}

const statusOf = (user: UserInfo | undefined, audiences: readonly string[]): TokenReviewStatus =>
  user === undefined ? { user: {}, error: 'invalid bearer token' } : { authenticated: true, user: shown(user), ...(audiences.length === 0 ? {} : { audiences: [...audiences] }) };

async function ownerOf(token: string, authenticators: readonly Authenticator[]): Promise<UserInfo | undefined> {
  for (const authenticator of authenticators) {
    try {
      const user = await authenticator.authenticateToken?.(token);
      if (user !== undefined) return user;
    } catch {
      // Another one may know it.
    }
  }
  return undefined;
}

function shown({ name, uid, groups, extra }: UserInfo): ShownUser {
  return {
    username: name, ...(uid === undefined ? {} : { uid }), groups: [...groups],
    ...(extra === undefined ? {} : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
}
