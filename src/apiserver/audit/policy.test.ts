import { describe, expect, test } from 'vitest';
import type { Policy, PolicyRule } from '../../api/gen/types/audit-v1.ts';
import type { UserInfo } from '../../machinery/user.ts';
import { parseRequestInfo, type RequestInfo } from '../request/request-info.ts';
import { createAuditPolicy } from './policy.ts';

const jane: UserInfo = { name: 'jane', groups: ['devs', 'system:authenticated'] };
const info = (line: string): RequestInfo => {
  const [method = '', target = ''] = line.split(' ');
  const [path = '', query] = target.split('?');
  return parseRequestInfo(method, path, new URLSearchParams(query));
};
const policy = (rules: readonly PolicyRule[], more: Partial<Policy> = {}) =>
  createAuditPolicy({ metadata: {}, rules: [...rules], ...more });
const matches = (rule: Omit<PolicyRule, 'level'>, line: string, user: UserInfo | undefined = jane): boolean =>
  policy([{ ...rule, level: 'Metadata' }]).decide(info(line), user).level === 'Metadata';

const pod = '/api/v1/namespaces/team/pods/web';

describe('rules match', () => {
  test.each<[rule: Omit<PolicyRule, 'level'>, matched: string[], others: string[]]>([
    [{}, [`GET ${pod}`, 'GET /healthz'], []],
    [{ users: ['jane', 'bob'] }, [`GET ${pod}`], []],
    [{ users: ['bob'] }, [], [`GET ${pod}`]],
    [{ userGroups: ['ops', 'devs'] }, [`GET ${pod}`], []],
    [{ userGroups: ['ops'] }, [], [`GET ${pod}`]],
    [
      { verbs: ['get', 'watch'] },
      [`GET ${pod}`, 'GET /api/v1/pods?watch=1', 'GET /healthz'],
      ['GET /api/v1/pods', `DELETE ${pod}`, 'POST /healthz'],
    ],
    [
      { namespaces: ['team'] },
      [`GET ${pod}`, 'GET /api/v1/namespaces/team'],
      ['GET /api/v1/namespaces/other/pods', 'GET /api/v1/nodes', 'GET /healthz'],
    ],
    [{ namespaces: [''] }, ['GET /api/v1/nodes', 'GET /api/v1/pods'], [`GET ${pod}`, 'GET /healthz']],
    [
      { nonResourceURLs: ['/healthz', '/logs/*'] },
      ['GET /healthz', 'GET /logs/', 'GET /logs/a/b'],
      ['GET /healthz/etcd', 'GET /logs', `GET ${pod}`],
    ],
    [{ nonResourceURLs: ['*'] }, ['GET /healthz', 'GET /api'], [`GET ${pod}`]],
    [{ nonResourceURLs: ['/version*'] }, ['GET /version', 'GET /versions'], ['GET /api']],
    [
      { resources: [{ group: '' }] },
      [`GET ${pod}`, `GET ${pod}/log`],
      ['GET /apis/apps/v1/deployments', 'GET /version'],
    ],
    [{ resources: [{ group: 'apps' }] }, ['GET /apis/apps/v1/deployments'], [`GET ${pod}`]],
    [
      { resources: [{ resources: ['pods'] }] },
      [`GET ${pod}`, 'GET /api/v1/pods'],
      [`GET ${pod}/log`, 'GET /apis/metrics.k8s.io/v1/pods'],
    ],
    [{ resources: [{ resources: ['pods/log'] }] }, [`GET ${pod}/log`], [`GET ${pod}`, `GET ${pod}/status`]],
    [{ resources: [{ resources: ['pods/*'] }] }, [`GET ${pod}/log`, `GET ${pod}`], ['GET /api/v1/podtemplates']],
    [{ resources: [{ resources: ['*'] }] }, [`GET ${pod}/log`, 'GET /api/v1/nodes'], ['GET /apis/apps/v1/deployments']],
    [
      { resources: [{ group: 'apps', resources: ['*/scale'] }] },
      ['GET /apis/apps/v1/namespaces/a/deployments/d/scale'],
      ['GET /apis/apps/v1/namespaces/a/deployments/d', 'GET /apis/apps/v1/namespaces/a/deployments/d/status'],
    ],
    [
      { resources: [{ resources: ['pods'], resourceNames: ['web'] }] },
      [`GET ${pod}`],
      [`GET ${pod}2`, 'GET /api/v1/pods'],
    ],
    [
      { resources: [{ resources: ['nodes'] }, { group: 'apps', resources: ['deployments'] }] },
      ['GET /api/v1/nodes', 'GET /apis/apps/v1/deployments'],
      [`GET ${pod}`],
    ],
    [
      { namespaces: ['team'], resources: [{ resources: ['pods'] }], verbs: ['delete'], users: ['jane'] },
      [`DELETE ${pod}`],
      [`GET ${pod}`, 'DELETE /api/v1/namespaces/other/pods/web'],
    ],
  ])('An audit policy rule matches: %j', (rule, matched, others) => {
    expect(matched.filter((line) => !matches(rule, line))).toEqual([]);
    expect(others.filter((line) => matches(rule, line))).toEqual([]);
  });

  test('Rules by user or group match no unauthenticated request', () => {
    const anonymous = (rule: PolicyRule): string =>
      policy([{ ...rule, level: 'Metadata' }]).decide(info('GET /version'), undefined).level;
    expect([anonymous({ users: [''] }), anonymous({ userGroups: [''] }), anonymous({ verbs: ['get'] })]).toEqual([
      'None',
      'None',
      'Metadata',
    ]);
  });
});

describe('a policy', () => {
  test('An audit policy goes by the first rule that matches', () => {
    const { decide } = policy([
      { level: 'None', users: ['bob'] },
      { level: 'Request', verbs: ['get'] },
      { level: 'RequestResponse' },
    ]);
    expect(decide(info(`GET ${pod}`), jane).level).toBe('Request');
    expect(decide(info(`DELETE ${pod}`), jane).level).toBe('RequestResponse');
    expect(decide(info(`GET ${pod}`), { name: 'bob', groups: [] }).level).toBe('None');
  });

  test('An audit policy records nothing that no rule matches', () => {
    expect(policy([{ level: 'Metadata', users: ['bob'] }]).decide(info(`GET ${pod}`), jane).level).toBe('None');
  });

  test('An audit policy leaves out the stages of the rule and its own', () => {
    const { omitStages } = policy([{ level: 'Metadata', omitStages: ['ResponseStarted'] }], {
      omitStages: ['RequestReceived'],
    }).decide(info('GET /version'), jane);
    expect([...omitStages]).toEqual(['RequestReceived', 'ResponseStarted']);
  });

  test.each([
    { own: undefined, given: undefined, omits: false },
    { own: true, given: undefined, omits: true },
    { own: true, given: false, omits: false },
    { own: undefined, given: true, omits: true },
  ])('Omits managed fields: policy $own, rule $given', ({ own, given, omits }) => {
    const rule = { level: 'Request', ...(given === undefined ? {} : { omitManagedFields: given }) };
    expect(
      policy([rule], own === undefined ? {} : { omitManagedFields: own }).decide(info('GET /version'), jane)
        .omitManagedFields,
    ).toBe(omits);
  });
});
