import { internalError } from '../../machinery/status.ts';
import { requestAttributes } from '../authz/request-attributes.ts';
import { type AuthorizationDecision } from '../../auth/authorization/authorizer.ts';
import { forbiddenRequest } from '../../auth/authorization/forbidden.ts';
import type { ApiRequest } from '../request/request.ts';
import type { EndpointContext } from './context.ts';

/**
 * For verbs that may create the object they change: a user that may update or patch needs the right to create as well.
 * Checked once per request, when the object does not exist. The result throws 403.
 */
export function createPermission(
  { authorizer }: Pick<EndpointContext, 'authorizer'>,
  request: ApiRequest,
): () => Promise<void> {
  const attributes = { ...requestAttributes(request.user, request.info), verb: 'create' };
  let answer: Promise<AuthorizationDecision> | undefined;
  return async () => {
    const { decision, reason, error } = await (answer ??= Promise.resolve(authorizer.authorize(attributes)));
    if (decision === 'allow') return;
    throw error === undefined ? forbiddenRequest(attributes, reason) : internalError(error);
  };
}
