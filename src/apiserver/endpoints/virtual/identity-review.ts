/**
 * Reviews that ask the authenticators: the user of the request (SelfSubjectReview), and of a token (TokenReview).
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authentication/#self-subject-review | API access
 *   to authentication information}
 */
import type {
  SelfSubjectReview,
  TokenReview,
  TokenReviewStatus,
  UserInfo as ShownUser,
} from '../../../api/gen/types/authentication-v1.ts';
import { badRequest, internalError } from '../../../machinery/status.ts';
import { timestamp } from '../../../registry/generic/timestamp.ts';
import type { UserInfo } from '../../../machinery/user.ts';
import type { Authentication } from '../../authn/authentication.ts';
import { type Identity, intersect } from '../../../auth/authentication/authenticator.ts';
import type { ApiResponse } from '../../../server/exchange.ts';
import type { ApiRequest } from '../../request/request.ts';
import type { EndpointContext } from '../context.ts';
import type { ServedResource } from '../../served/served-resource.ts';
import { readOperation, validateOperation, valueResponse } from './operation.ts';

type Handler = (served: ServedResource, request: ApiRequest) => Promise<ApiResponse>;

export function createSelfSubjectReview(context: EndpointContext): Handler {
  return async (served, request) => {
    const operation = await readOperation<SelfSubjectReview>(context, served, request, served.servedVersion);
    await validateOperation(context, served, request, operation);
    const value: SelfSubjectReview = {
      metadata: { creationTimestamp: timestamp(operation.write.context.now) },
      status: { userInfo: shown(request.user) },
    };
    return valueResponse(context, served, request, 201, { ...operation, value });
  };
}

/** A review that names no audiences asks for those of this server. */
export function createTokenReview(
  context: EndpointContext,
  { review: judge, audiences }: Pick<Authentication, 'review' | 'audiences'>,
): Handler {
  return async (served, request) => {
    const operation = await readOperation<TokenReview>(context, served, request, served.servedVersion);
    const { object: review } = operation;
    const { token = '', audiences: asked = [] } = review.spec ?? {};
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    await validateOperation(context, served, request, operation);
    const wanted = asked.length === 0 ? audiences : asked;
    const found = await judge(token, wanted).catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    if (typeof found !== 'string' && wanted.length > 0 && intersect(wanted, found.audiences ?? []).length === 0)
      throw internalError('unable to validate audience for token');
    review.status = typeof found === 'string' ? { user: {}, error: found } : statusOf(found);
    return valueResponse(context, served, request, 201, { ...operation, value: review });
  };
}

const statusOf = ({ user, audiences = [] }: Identity): TokenReviewStatus => ({
  authenticated: true,
  user: shown(user),
  ...(audiences.length === 0 ? {} : { audiences: [...audiences] }),
});

function shown({ name, uid, groups, extra }: UserInfo): ShownUser {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups: [...groups],
    ...(extra === undefined
      ? {}
      : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
}
