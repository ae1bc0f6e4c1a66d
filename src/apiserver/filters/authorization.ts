import { requestAttributes } from '../authz/request-attributes.ts';
import {
  type AuthorizationDecision,
  type AuthorizationResult,
  type Authorizer,
} from '../../auth/authorization/authorizer.ts';
import { forbiddenRequest } from '../../auth/authorization/forbidden.ts';
import type { AuthorizationMetrics } from '../authz/metrics.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { ApiRequest, Filter } from '../request/request.ts';

/** Keys under which an audit event shows the decision. */
export const decisionAnnotation = 'authorization.k8s.io/decision';
export const reasonAnnotation = 'authorization.k8s.io/reason';

/** Lets a request on when an authorizer allows it. */
export function authorize(authorizer: Authorizer, metrics: Pick<AuthorizationMetrics, 'authorized'>): Filter {
  return async (request, next) => {
    const startedAt = performance.now();
    const attributes = requestAttributes(request.user, request.info);
    const pending = authorizer.authorize(attributes);
    const answer = pending instanceof Promise ? await pending : pending;
    metrics.authorized(resultOf(answer), (performance.now() - startedAt) / 1000);
    const { decision, reason, error } = answer;
    if (decision === 'allow') {
      annotate(request, 'allow', reason);
      return next();
    }
    if (error !== undefined) {
      // It was not decided, so there is no decision to show.
      request.annotate(reasonAnnotation, 'internal error');
      return notDecided(request, error);
    }
    annotate(request, 'forbid', reason);
    throw forbiddenRequest(attributes, reason);
  };
}

function annotate(request: ApiRequest, decision: 'allow' | 'forbid', reason: string): void {
  request.annotate(decisionAnnotation, decision);
  request.annotate(reasonAnnotation, reason);
}

function resultOf({ decision, error }: AuthorizationDecision): AuthorizationResult {
  if (decision === 'allow') return 'allowed';
  if (error !== undefined) return 'error';
  return decision === 'deny' ? 'denied' : 'no-opinion';
}

/** Upstream answers with plain text here and no Status. */
const notDecided = ({ exchange }: ApiRequest, error: string): ApiResponse => ({
  status: 500,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: `Internal Server Error: ${JSON.stringify(exchange.target)}: ${error}\n`,
});
