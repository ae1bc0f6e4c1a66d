/** Expressions that the public documentation of Kubernetes gives as examples, each with what it should say. */
import { describe, expect, test } from 'vitest';
import { type Ask, AuthorizerValue, ResourceCheck } from './library/authorizer.ts';
import { boolType, dynType, mapType, nullType, stringType } from './check/types.ts';
import { environment } from './environment.ts';
import { adaptAny } from './schema/json-values.ts';
import { namedSchemaType } from './schema/schema-type.ts';
import { admissionEnvironment } from './environments/admission.ts';
import { userSchema } from './environments/user-schema.ts';
import { run, S, list, object } from './testing/documented.ts';

describe('Common Expression Language in Kubernetes: libraries', () => {
  const allow: Ask = (question) => ({
    allowed: question.verb === 'get' || question.serviceAccount?.name === 'robot',
    reason: `${question.verb} ${JSON.stringify(question)}`,
  });
  const authorizer = new AuthorizerValue(allow);
  const env = admissionEnvironment({ authorizer: true });
  const bindings = {
    authorizer,
    'authorizer.requestResource': new ResourceCheck(authorizer, {
      group: 'apps',
      resource: 'deployments',
      namespace: 'default',
      name: 'web',
    }),
  };

  test.each<[string, unknown]>([
    ["['a', 'b', 'c'].isSorted()", true],
    ['[0.25, 0.75].map(x, x).sum() == 1.0', true],
    ['[1, 2].max() < [3, 4].min()', true],
    ["['a', 'should-be-first'].indexOf('should-be-first') == 1", true],
    ["['a', 'b', 'a'].lastIndexOf('a')", 2],
    ['[].sum() == 0', true],
    ["'abc 123'.find('[0-9]+')", '123'],
    ["'1, 2, 3, 4'.findAll('[0-9]+').map(x, int(x)).sum() < 100", true],
    ["'123 abc 456'.findAll('[0-9]+', 1)", ['123']],
    ["url('https://example.com:80/').getHost()", 'example.com:80'],
    ["url('https://example.com/path with spaces/').getEscapedPath()", '/path%20with%20spaces/'],
    ["url('https://user:pass@[::1]:80/a?k=1&k=2').getHostname()", '::1'],
    ["url('https://example.com/?k=a&k=b%20c').getQuery()['k']", ['a', 'b c']],
    ["url('https://example.com/x').getScheme()", 'https'],
    ["url('/absolute-path').getHost()", ''],
    ["isURL('https://a:b:c/')", false],
    ["isURL('../relative-path')", false],
    ["isURL('https://:80')", true],
    ["authorizer.path('/healthz').check('get').allowed()", true],
    ["authorizer.path('/healthz').check('post').allowed()", false],
    ["authorizer.group('').resource('pods').namespace('default').check('create').allowed()", false],
    ["authorizer.serviceAccount('default', 'robot').group('').resource('pods').check('create').allowed()", true],
    ["authorizer.requestResource.check('get').allowed()", true],
    ["authorizer.requestResource.subresource('status').check('update').errored()", false],
    [
      "authorizer.group('').resource('pods').fieldSelector('spec.nodeName=a').labelSelector('x')" +
        ".check('list').reason().contains('spec.nodeName=a')",
      true,
    ],
    ["quantity('500000G').isInteger()", true],
    ["quantity('50k').asInteger()", 50000],
    ["quantity('9999999999999999999999999999999999999G').asInteger()", 'cannot convert value to integer'],
    ["quantity('50k').add(quantity('20k')) == quantity('70k')", true],
    ["quantity('50k').sub(20000) == quantity('30000')", true],
    ["quantity('50k').add(20).sub(quantity('100k')).sub(-50000) == quantity('20')", true],
    ["quantity('9999999999999999999999999999999999999G').asApproximateFloat() > 9.9e45", true],
    ["quantity('200M').compareTo(quantity('0.2G'))", 0],
    ["quantity('150Mi').isGreaterThan(quantity('100Mi'))", true],
    ["quantity('50M').isLessThan(quantity('100M'))", true],
    ["isQuantity('1.3Gi')", true],
    ["isQuantity('1.3GiB')", false],
    ["quantity('-1').sign()", -1],
    ["isIP('127.0.0.1')", true],
    ["isIP('127.0.0.256')", false],
    ["isIP('::ffff:1.2.3.4')", false],
    ["ip.isCanonical('2001:db8::ABCD')", false],
    ["ip('::1').family() == 6", true],
    ["ip('::1').isLoopback()", true],
    ["ip('fe80::1').isLinkLocalUnicast()", true],
    ["ip('224.0.0.1').isLinkLocalMulticast()", true],
    ["ip('192.168.0.1').isGlobalUnicast()", true],
    ["ip('255.255.255.255').isGlobalUnicast()", false],
    ["ip('0.0.0.0').isUnspecified()", true],
    ["ip('127.0.0.1') == ip('127.0.0.1')", true],
    ["string(ip('2001:db8:0::1'))", '2001:db8::1'],
    ["type(ip('::1')) == net.IP", true],
    ["cidr('192.168.0.0/24').containsIP(ip('192.168.0.1'))", true],
    ["cidr('192.168.0.0/24').containsIP('192.169.0.1')", false],
    ["cidr('192.168.0.0/24').containsCIDR('192.168.0.0/25')", true],
    ["cidr('192.168.0.0/25').containsCIDR(cidr('192.168.0.0/24'))", false],
    ["string(cidr('192.168.0.3/24').masked())", '192.168.0.0/24'],
    ["cidr('::1/128').prefixLength()", 128],
    ["isCIDR('192.168.0.0/33')", false],
    ["cidr('192.168.0.1/24').ip() == ip('192.168.0.1')", true],
    ["!format.dns1123Label().validate('my-label-name').hasValue()", true],
    ["format.named('dns1123Label').value().validate('Not a label').value().size() > 0", true],
    ["format.named('unknown').hasValue()", false],
    ["format.datetime().validate('2021-01-01T00:00:00Z').hasValue()", false],
    ["format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()", false],
    ["format.dns1123LabelPrefix().validate('my-prefix-').hasValue()", false],
    ["format.byte().validate('!').value()", ['invalid base64']],
    ['sets.contains([1, 2, 3, 4], [2, 3])', true],
    ['sets.equivalent([1, 2], [2, 1, 1])', true],
    ["sets.intersects(['a'], ['b', 'a'])", true],
    ['[1, 2, 3].all(i, v, i < v)', true],
    ["{'a': 1}.transformMap(k, v, v + 1) == {'a': 2}", true],
    ["'%s is %d'.format([dyn('a'), 1])", 'a is 1'],
    ["'tacocat'.substring(4)", 'cat'],
    ["['hello', 'mellow'].join(' ')", 'hello mellow'],
    ["{'a': {'b': 1}}.?a.?b.orValue(2)", 1],
    ['1 < 1.5 && 2u > 1', true],
  ])('Common Expression Language in Kubernetes: libraries: %s', (expression, value) =>
    expect(run(env, expression, bindings)).toEqual(value),
  );
});

/** The page gives them; its own server would not take them. */
describe('Common Expression Language in Kubernetes: examples that do not compile', () => {
  const env = admissionEnvironment({ authorizer: true });

  test.each<[string, string]>([
    [
      "quantity('50k').add('20k') == quantity('70k')",
      "found no matching overload for 'add' applied to 'kubernetes.Quantity.(string)'",
    ],
    [
      "authorizer.serviceAccount('default', 'myserviceaccount').resource('deployments').check('delete').allowed()",
      "found no matching overload for 'resource' applied to 'kubernetes.authorization.Authorizer.(string)'",
    ],
  ])('Common Expression Language in Kubernetes: examples that do not compile: %s', (expression, message) =>
    expect(run(env, expression, {})).toContain(message),
  );
});

describe('Authenticating: structured configuration', () => {
  const claimsEnvironment = environment({ variables: { claims: mapType(stringType, dynType) } });
  const userInfo = namedSchemaType('kubernetes.UserInfo', userSchema);
  const userEnvironment = environment({ variables: { user: userInfo.type } });
  const claims = {
    username: 'foo',
    tenant: '72f988bf',
    sub: 'alice',
    email: 'alice@example.com',
    email_verified: true,
    exp: 1700086400,
    nbf: 1700000000,
    roles: 'admin,dev',
    hd: 'example.com',
    groups: ['a', 'b'],
  };

  test.each<[string, unknown]>([
    ["claims.username + ':external-user'", 'foo:external-user'],
    ["'system:' + claims.username", 'system:foo'],
    ['claims.sub', 'alice'],
    ['claims.tenant', '72f988bf'],
    ["claims.email.endsWith('@example.com')", true],
    ['claims.exp - claims.nbf <= 86400', true],
    ["claims.sub + ':external-user'", 'alice:external-user'],
    ["claims.roles.split(',')", ['admin', 'dev']],
    ['claims.?email_verified.orValue(true) == true', true],
    ["claims.hd == 'example.com'", true],
    ["claims.groups.map(g, 'prefix:' + g)", ['prefix:a', 'prefix:b']],
    ["has(claims.missing) ? claims.missing : ''", ''],
    ['claims.missing', 'no such key: missing'],
  ])('Authenticating: structured configuration: %s', (expression, value) =>
    expect(run(claimsEnvironment, expression, { claims: adaptAny(claims) })).toEqual(value),
  );

  test("A name that a rule refuses: !user.username.startsWith('system:')", () => {
    expect(
      run(userEnvironment, "!user.username.startsWith('system:')", {
        user: userInfo.adapt({ username: 'system:foo' }),
      }),
    ).toBe(false);
  });

  test.each<[string, unknown]>([
    ["!user.username.startsWith('system:')", true],
    ["user.groups.all(group, !group.startsWith('system:'))", false],
    ["user.extra['example.com/tenant'][0] == 't'", true],
  ])('Authenticating: structured configuration: %s', (expression, value) =>
    expect(
      run(userEnvironment, expression, {
        user: userInfo.adapt({ username: 'alice', groups: ['system:masters'], extra: { 'example.com/tenant': ['t'] } }),
      }),
    ).toBe(value),
  );
});

describe('Authorization: match conditions of a webhook', () => {
  const attributes = object({ namespace: S, verb: S, group: S, version: S, resource: S, subresource: S, name: S });
  const accessReview = namedSchemaType(
    'kubernetes.SubjectAccessReviewSpec',
    object({
      user: S,
      groups: list(S),
      resourceAttributes: attributes,
      nonResourceAttributes: object({ path: S, verb: S }),
    }),
  );
  const env = environment({ variables: { request: accessReview.type } });
  const spec = {
    user: 'alice',
    groups: ['dev'],
    resourceAttributes: { namespace: 'kube-system', verb: 'get', resource: 'pods' },
  };

  test.each<[string, unknown]>([
    ['has(request.resourceAttributes)', true],
    ["request.resourceAttributes.namespace == 'kube-system'", true],
    ["!('system:serviceaccounts:kube-system' in request.groups)", true],
    ['has(request.nonResourceAttributes)', false],
    ["has(request.resourceAttributes.subresource) && request.resourceAttributes.subresource == 'status'", false],
  ])('Authorization: match conditions of a webhook: %s', (expression, value) =>
    expect(run(env, expression, { request: accessReview.adapt(spec) })).toBe(value),
  );
});

test('An expression of another type is refused', () => {
  const env = environment({ variables: { x: dynType } });
  expect(env.compile("'a'", boolType)).toEqual({ failure: 'must evaluate to bool but got string' });
  expect(env.compile('x', boolType)).toEqual({ failure: 'must evaluate to bool but got dyn' });
  expect(env.compile('1', stringType, nullType)).toEqual({
    failure: 'must evaluate to one of [string null_type] but got int',
  });
});
