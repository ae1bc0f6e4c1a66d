import { describe, expect, test } from 'vitest';
import type { AuthorizationDecision } from '../../auth/authorization/authorizer.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { type ApiResponse, type Exchange } from '../../server/exchange.ts';
import { ApiRequest, type RequestRecord } from '../request/request.ts';
import type { StatusError } from '../../machinery/status.ts';
import { authorize } from './authorization.ts';

const target = '/api/v1/namespaces/default/pods';
const exchange: Exchange = {
  method: 'GET',
  target,
  httpVersion: '2.0',
  remoteAddress: '192.0.2.17',
  header: () => undefined,
  headerValues: () => [],
  headerNames: () => [],
  readBody: () => Promise.resolve(Buffer.alloc(0)),
  bodyStream: () => undefined,
  peerCertificate: () => undefined,
  onClose: () => undefined,
};

/** What a decision leads to: the status, what the audit event says of it, and how it is counted. */
async function judge(
  decision: AuthorizationDecision,
): Promise<{ status: number; annotations: Record<string, string>; counted: string[] }> {
  const annotations: Record<string, string> = {};
  const counted: string[] = [];
  const request = new ApiRequest(exchange, target, new URLSearchParams(), 'id', 0);
  request.info = parseRequestInfo('GET', target, new URLSearchParams());
  request.user = { name: 'jane', groups: [] };
  request.audit = {
    annotate: (key: string, value: string) => void (annotations[key] = value),
  } as unknown as RequestRecord;
  const filter = authorize({ authorize: () => decision }, { authorized: (result) => void counted.push(result) });
  try {
    const { status } = await filter(request, () => Promise.resolve<ApiResponse>({ status: 200, headers: {} }));
    return { status, annotations, counted };
  } catch (error) {
    return { status: (error as StatusError).toStatus().code!, annotations, counted };
  }
}

const decisionKey = 'authorization.k8s.io/decision';
const reasonKey = 'authorization.k8s.io/reason';

describe('a decision', () => {
  test.each<{
    name: string;
    decision: AuthorizationDecision;
    status: number;
    annotations: Record<string, string>;
    counted: string;
  }>([
    {
      name: 'to allow',
      decision: { decision: 'allow', reason: 'a role' },
      status: 200,
      annotations: { [decisionKey]: 'allow', [reasonKey]: 'a role' },
      counted: 'allowed',
    },
    {
      name: 'to allow, whatever else went wrong',
      decision: { decision: 'allow', reason: 'a role', error: 'another role is not there' },
      status: 200,
      annotations: { [decisionKey]: 'allow', [reasonKey]: 'a role' },
      counted: 'allowed',
    },
    {
      name: 'to deny',
      decision: { decision: 'deny', reason: 'a rule' },
      status: 403,
      annotations: { [decisionKey]: 'forbid', [reasonKey]: 'a rule' },
      counted: 'denied',
    },
    {
      name: 'not to have an opinion',
      decision: { decision: 'noOpinion', reason: '' },
      status: 403,
      annotations: { [decisionKey]: 'forbid', [reasonKey]: '' },
      counted: 'no-opinion',
    },
    {
      name: 'that could not be made, which is none',
      decision: { decision: 'noOpinion', reason: 'no role', error: 'no response' },
      status: 500,
      annotations: { [reasonKey]: 'internal error' },
      counted: 'error',
    },
    {
      name: 'to deny for want of an answer, which is none either',
      decision: { decision: 'deny', reason: '', error: 'no response' },
      status: 500,
      annotations: { [reasonKey]: 'internal error' },
      counted: 'error',
    },
  ])('An authorization decision: $name', async ({ decision, status, annotations, counted }) => {
    expect(await judge(decision)).toEqual({ status, annotations, counted: [counted] });
  });
});
