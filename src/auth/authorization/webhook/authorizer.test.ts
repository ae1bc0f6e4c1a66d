import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../../base/testing/fake-clock.ts';
import { attributes, pathAttributes, userNamed } from '../testing/attributes.ts';
import { createWebhookAuthorizer, type WebhookAuthorizerOptions } from './authorizer.ts';
import { runToEnd } from '../../../machinery/cooperative-scheduling.ts';
import { compileCondition } from './match-conditions.ts';

interface Sent {
  readonly apiVersion: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

function webhook(answer: (sent: Sent) => object | Error, more: Partial<WebhookAuthorizerOptions> = {}) {
  const sent: Sent[] = [];
  const observed: string[] = [];
  const clock = new FakeClock();
  const authorizer = createWebhookAuthorizer({
    client: {
      post: (body) => {
        sent.push(body as Sent);
        const status = answer(body as Sent);
        return status instanceof Error
          ? Promise.reject(status)
          : Promise.resolve({ apiVersion: (body as Sent).apiVersion, status });
      },
    },
    version: 'v1',
    authorizedTtlMs: 1000,
    unauthorizedTtlMs: 100,
    onFailure: 'noOpinion',
    conditions: [],
    withSelectors: true,
    clock,
    observer: {
      called: (result, _seconds, open) => observed.push(`${result}${open ? ' open' : ''}`),
      conditionsJudged: (_seconds, result) => observed.push(result),
    },
    ...more,
  });
  return { authorizer, sent, observed, clock };
}

describe('what is asked', () => {
  test('What an authorization webhook is asked is a review of the attributes', async () => {
    const { authorizer, sent } = webhook(() => ({ allowed: true }));
    const user = { ...userNamed('jane', 'devs'), uid: '7', extra: { 'acme.com/team': ['red'] } };
    await authorizer.authorize(
      attributes({
        user,
        verb: 'list',
        name: '',
        group: 'apps',
        resource: 'deployments',
        subresource: 'scale',
        fieldSelector: [
          { field: 'a', operator: '=', value: 'b' },
          { field: 'c', operator: '!=', value: 'd' },
        ],
        labelSelector: [
          { key: 'x', operator: 'in', values: ['1', '2'] },
          { key: 'y', operator: '!', values: [] },
          { key: 'z', operator: 'gt', values: ['3'] },
        ],
      }),
    );
    expect(sent).toEqual([
      {
        kind: 'SubjectAccessReview',
        apiVersion: 'authorization.k8s.io/v1',
        metadata: { creationTimestamp: null },
        status: { allowed: false },
        spec: {
          user: 'jane',
          uid: '7',
          groups: ['devs'],
          extra: { 'acme.com/team': ['red'] },
          resourceAttributes: {
            namespace: 'team',
            verb: 'list',
            group: 'apps',
            version: 'v1',
            resource: 'deployments',
            subresource: 'scale',
            fieldSelector: {
              requirements: [
                { key: 'a', operator: 'In', values: ['b'] },
                { key: 'c', operator: 'NotIn', values: ['d'] },
              ],
            },
            labelSelector: {
              requirements: [
                { key: 'x', operator: 'In', values: ['1', '2'] },
                { key: 'y', operator: 'DoesNotExist' },
              ],
            },
          },
        },
      },
    ]);
  });

  test('What an authorization webhook is asked is of the older version where that is wanted', async () => {
    const { authorizer, sent } = webhook(() => ({ allowed: true }), { version: 'v1beta1', withSelectors: false });
    await authorizer.authorize(pathAttributes('/metrics'));
    await authorizer.authorize(attributes({ fieldSelector: [{ field: 'a', operator: '=', value: 'b' }] }));
    expect(sent.map(({ apiVersion }) => apiVersion)).toEqual(Array(2).fill('authorization.k8s.io/v1beta1'));
    expect(sent[0]!.spec).toEqual({
      user: 'alice',
      group: ['devs'],
      nonResourceAttributes: { path: '/metrics', verb: 'get' },
    });
    expect(sent[1]!.spec['resourceAttributes']).not.toHaveProperty('fieldSelector');
  });
});

test.each([
  { name: 'yes', status: { allowed: true, reason: 'because' }, expected: { decision: 'allow', reason: 'because' } },
  {
    name: 'no opinion',
    status: { allowed: false, reason: 'who knows' },
    expected: { decision: 'noOpinion', reason: 'who knows' },
  },
  {
    name: 'no',
    status: { allowed: false, denied: true, reason: 'never' },
    expected: { decision: 'deny', reason: 'never' },
  },
  {
    name: 'both',
    status: { allowed: true, denied: true },
    expected: {
      decision: 'deny',
      reason: '',
      error: 'webhook subject access review returned both allow and deny response',
    },
  },
  { name: 'something like yes', status: { allowed: 'true' }, expected: { decision: 'noOpinion', reason: '' } },
  { name: 'nothing', status: {}, expected: { decision: 'noOpinion', reason: '' } },
])('The answer $name decides', async ({ status, expected }) => {
  expect(await webhook(() => status).authorizer.authorize(attributes())).toEqual(expected);
});

describe('a webhook that cannot be asked', () => {
  test.each([
    { onFailure: 'noOpinion' as const, observed: ['error open'] },
    { onFailure: 'deny' as const, observed: ['error'] },
  ])('A webhook that cannot be asked means $onFailure', async ({ onFailure, observed: wanted }) => {
    const { authorizer, observed } = webhook(() => new Error('broken'), { onFailure });
    expect(await authorizer.authorize(attributes())).toEqual({ decision: onFailure, reason: '', error: 'broken' });
    expect(observed).toEqual(wanted);
  });

  test('A webhook that cannot be asked is asked again the next time', async () => {
    let broken = true;
    const { authorizer } = webhook(() => (broken ? new Error('broken') : { allowed: true }));
    await authorizer.authorize(attributes());
    broken = false;
    expect(await authorizer.authorize(attributes())).toMatchObject({ decision: 'allow' });
  });

  test('A webhook that cannot be asked is one that answers something else', async () => {
    const { authorizer } = webhook(() => ({}), {
      client: {
        post: () => Promise.resolve({ apiVersion: 'authorization.k8s.io/v1beta1', status: { allowed: true } }),
      },
    });
    expect(await authorizer.authorize(attributes())).toMatchObject({
      decision: 'noOpinion',
      error: 'the webhook answered with something else than a SubjectAccessReview of authorization.k8s.io/v1',
    });
  });
});

describe('answers', () => {
  test('Answers of an authorization webhook hold for a time, yes longer than no', async () => {
    const { authorizer, sent, clock } = webhook(({ spec }) => ({ allowed: spec['user'] === 'alice' }));
    const ask = async (): Promise<void> => {
      await authorizer.authorize(attributes());
      await authorizer.authorize(attributes({ user: userNamed('bob') }));
    };
    await ask();
    await ask();
    expect(sent).toHaveLength(2);
    await clock.advance(101);
    await ask();
    expect(sent).toHaveLength(3);
    await clock.advance(900);
    await ask();
    expect(sent).toHaveLength(5);
  });

  test('Answers of an authorization webhook are used only for the same request', async () => {
    const { authorizer, sent } = webhook(() => ({ allowed: true }));
    await authorizer.authorize(attributes());
    await authorizer.authorize(attributes({ name: 'q' }));
    await authorizer.authorize(attributes({ user: userNamed('alice') }));
    expect(sent).toHaveLength(3);
  });

  test('Answers of an authorization webhook to requests without end are not kept', async () => {
    const { authorizer, sent } = webhook(() => ({ allowed: true }));
    const long = pathAttributes(`/${'x'.repeat(10_000)}`);
    await authorizer.authorize(long);
    await authorizer.authorize(long);
    expect(sent).toHaveLength(2);
  });
});

describe('match conditions', () => {
  const judge = async (...conditions: string[]) => {
    const { authorizer, sent, observed } = webhook(() => ({ allowed: true }), {
      conditions: conditions.map((condition) => runToEnd(compileCondition(condition))),
      onFailure: 'deny',
    });
    return {
      decision: await authorizer.authorize(
        attributes({ user: { ...userNamed('alice', 'devs'), extra: { team: ['red'] } } }),
      ),
      asked: sent.length,
      observed: observed[0],
    };
  };

  test.each([
    {
      name: 'about the namespace',
      conditions: ["has(request.resourceAttributes) && request.resourceAttributes.namespace == 'team'"],
    },
    { name: 'about groups and extra', conditions: ["'devs' in request.groups", "'red' in request.extra['team']"] },
    {
      name: 'about what is not there',
      conditions: [
        "request.uid == ''",
        "request.resourceAttributes.subresource == ''",
        '!has(request.nonResourceAttributes)',
        '!has(request.resourceAttributes.fieldSelector)',
      ],
    },
  ])('An authorization webhook with match conditions $name that hold is asked', async ({ conditions }) => {
    expect(await judge(...conditions)).toMatchObject({ decision: { decision: 'allow' }, asked: 1, observed: 'match' });
  });

  test('One that is false, even beside one that fails: it is not asked and has no opinion', async () => {
    expect(await judge("request.extra['none'][0] == 'x'", "request.user == 'bob'")).toEqual({
      decision: { decision: 'noOpinion', reason: '' },
      asked: 0,
      observed: 'excluded',
    });
  });

  test('One that fails: the failure policy decides', async () => {
    const { decision, asked, observed } = await judge("request.extra['none'][0] == 'x'", 'true');
    expect(decision).toMatchObject({
      decision: 'deny',
      error: 'cel evaluation error: expression resulted in error: no such key: none',
    });
    expect([asked, observed]).toEqual([0, 'error']);
  });
});
