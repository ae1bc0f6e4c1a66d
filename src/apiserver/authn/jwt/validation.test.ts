import { describe, expect, test } from 'vitest';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { runToEnd } from '../../../machinery/cooperative-scheduling.ts';
import { readAuthenticationConfiguration } from './configuration.ts';
import { validateAuthenticationConfiguration } from './validation.ts';
import { joined } from '../../../../test/support/patterns.ts';

const issuer = { url: 'https://a', audiences: ['x'] };
const claimMappings = { username: { claim: 'sub', prefix: '' } };
const document = (jwt: unknown, more: object = {}): string =>
  JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1beta1', kind: 'AuthenticationConfiguration', jwt, ...more });
const errorsOf = (jwt: unknown[], more: object = {}): string[] =>
  runToEnd(
    validateAuthenticationConfiguration(readAuthenticationConfiguration(document(jwt, more)), ['https://own']),
  ).errors.map(fieldErrorText);
const mapped = (mappings: object): string[] => errorsOf([{ issuer, claimMappings: { ...claimMappings, ...mappings } }]);

describe('reading an AuthenticationConfiguration', () => {
  test.each([
    { text: '- a', message: 'the document is no object' },
    { text: '{}', message: '[apiVersion: Required value, kind: Required value]' },
    {
      text: document([]).replace('v1beta1', 'v9'),
      message:
        'apiVersion: Unsupported value: "apiserver.config.k8s.io/v9": supported values: ' +
        '"apiserver.config.k8s.io/v1alpha1", "apiserver.config.k8s.io/v1beta1", "apiserver.orch.io/v1alpha1"',
    },
    {
      text: document([{ issuer: { ...issuer, ca: 'x' } }]),
      message: 'jwt[0].issuer.ca: Invalid value: "ca": unknown field',
    },
    { text: document([{ issuer: { url: 7 } }]), message: 'jwt[0].issuer.url: Invalid value: "7": must be a string' },
    { text: document('x'), message: 'jwt: Invalid value: "x": must be a list' },
    {
      text: document([], { anonymous: { enabled: 'yes' } }),
      message: 'anonymous.enabled: Invalid value: "yes": must be a boolean',
    },
    { text: 'kind: AuthenticationConfiguration\nkind: b\n', message: 'already set in map' },
  ])('Reading an AuthenticationConfiguration: $text', ({ text, message }) => {
    expect(() => readAuthenticationConfiguration(text)).toThrow(message);
  });
});

describe('what is wrong in an AuthenticationConfiguration', () => {
  test.each([
    { name: 'nothing', found: errorsOf([{ issuer, claimMappings }]), wanted: [] },
    { name: 'no authenticator at all', found: errorsOf([]), wanted: [] },
    {
      name: 'too many',
      found: errorsOf(
        Array.from({ length: 65 }, (_, i) => ({ issuer: { ...issuer, url: `https://a${i}` }, claimMappings })),
      ),
      wanted: ['jwt: Too many: 65: must have at most 64 items'],
    },
    {
      name: 'no issuer',
      found: errorsOf([{ claimMappings }]),
      wanted: [
        'jwt[0].issuer.url: Required value: URL is required',
        'jwt[0].issuer.audiences: Required value: at least one jwt[0].issuer.audiences is required',
      ],
    },
    {
      name: 'an issuer twice',
      found: errorsOf([
        { issuer, claimMappings },
        { issuer, claimMappings },
      ]),
      wanted: ['jwt[1].issuer.url: Duplicate value: "https://a"'],
    },
    {
      name: 'our own issuer',
      found: errorsOf([{ issuer: { ...issuer, url: 'https://own' }, claimMappings }]),
      wanted: [
        'jwt[0].issuer.url: Invalid value: "https://own": URL must not overlap with disallowed issuers: [https://own]',
      ],
    },
    {
      name: 'a URL with all that it may not have',
      found: errorsOf([{ issuer: { ...issuer, url: 'http://u:p@a?q#f' }, claimMappings }]),
      wanted: [
        'URL scheme must be https',
        'URL must not contain a username or password',
        'URL must not contain a query',
        'URL must not contain a fragment',
      ].map((detail) => `jwt[0].issuer.url: Invalid value: "http://u:p@a?q#f": ${detail}`),
    },
    {
      name: 'discovery at the issuer',
      found: errorsOf([{ issuer: { ...issuer, discoveryURL: 'https://a/' }, claimMappings }]),
      wanted: ['jwt[0].issuer.discoveryURL: Invalid value: "https://a/": discoveryURL must be different from URL'],
    },
    {
      name: 'audiences',
      found: errorsOf([{ issuer: { ...issuer, audiences: ['a', '', 'a'] }, claimMappings }]),
      wanted: [
        'jwt[0].issuer.audiences[1]: Required value: audience is required',
        'jwt[0].issuer.audiences[2]: Duplicate value: "a"',
        'jwt[0].issuer.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for ' +
          'multiple audiences',
      ],
    },
    {
      name: 'a policy for one audience',
      found: errorsOf([{ issuer: { ...issuer, audienceMatchPolicy: 'MatchAll' }, claimMappings }]),
      wanted: [
        'jwt[0].issuer.audienceMatchPolicy: Invalid value: "MatchAll": audienceMatchPolicy must be empty or ' +
          'MatchAny for single audience',
      ],
    },
    {
      name: 'authorities that are none',
      found: errorsOf([{ issuer: { ...issuer, certificateAuthority: 'x' }, claimMappings }]),
      wanted: [
        'jwt[0].issuer.certificateAuthority: Invalid value: data does not contain any valid RSA or ECDSA certificates',
      ],
    },
    {
      name: 'no user name',
      found: errorsOf([{ issuer }]),
      wanted: ['jwt[0].claimMappings.username: Required value: claim or expression is required'],
    },
    {
      name: 'a name without a prefix',
      found: mapped({ username: { claim: 'sub' } }),
      wanted: [
        'jwt[0].claimMappings.username.prefix: Required value: prefix is required when claim is set. It can be ' +
          'set to an empty string to disable prefixing',
      ],
    },
    {
      name: 'a name in two ways',
      found: mapped({ username: { claim: 'sub', expression: 'claims.sub' } }),
      wanted: [`jwt[0].claimMappings.username: Invalid value: "": claim and expression can't both be set`],
    },
    {
      name: 'a prefix of an expression',
      found: mapped({ groups: { prefix: 'a', expression: 'claims.groups' } }),
      wanted: [`jwt[0].claimMappings.groups.prefix: Invalid value: "a": prefix can't be set when expression is set`],
    },
    {
      name: 'a uid in two ways',
      found: mapped({ uid: { claim: 'a', expression: 'claims.a' } }),
      wanted: [`jwt[0].claimMappings.uid: Invalid value: "": claim and expression can't both be set`],
    },
    {
      name: 'keys of extra',
      found: mapped({
        extra: [
          { key: 'Acme.com/A', valueExpression: '"a"' },
          { key: 'x.k8s.io/a', valueExpression: '"a"' },
          { key: 'plain', valueExpression: '"a"' },
          { key: 'a.b/c' },
        ],
      }),
      wanted: [
        'jwt[0].claimMappings.extra[0].key: Invalid value: "Acme.com/A": key must be lowercase',
        'jwt[0].claimMappings.extra[1].key: Invalid value: "x.k8s.io/a": k8s.io, kubernetes.io and their ' +
          'subdomains are reserved for Kubernetes use',
        'jwt[0].claimMappings.extra[2].key: Invalid value: "plain": must be a domain-prefixed path ' +
          '(such as "acme.io/foo")',
        'jwt[0].claimMappings.extra[3].valueExpression: Required value: valueExpression is required',
      ],
    },
    {
      name: 'rules',
      found: errorsOf([
        {
          issuer,
          claimMappings,
          claimValidationRules: [
            {},
            { claim: 'a', expression: 'true' },
            { claim: 'b', message: 'm' },
            { expression: '1 == 1', requiredValue: 'v' },
          ],
          userValidationRules: [{ message: 'm' }, { expression: 'user.nothing' }],
        },
      ]),
      wanted: [
        'jwt[0].claimValidationRules[0]: Required value: claim or expression is required',
        `jwt[0].claimValidationRules[1]: Invalid value: "a": claim and expression can't both be set`,
        `jwt[0].claimValidationRules[2].message: Invalid value: "m": message can't be set when claim is set`,
        `jwt[0].claimValidationRules[3].requiredValue: Invalid value: "v": requiredValue can't be set ` +
          'when expression is set',
        'jwt[0].userValidationRules[0].expression: Required value: expression is required',
        expect.stringMatching(
          joined(
            /^jwt\[0\]\.userValidationRules\[1\]\.expression: Invalid value: "user\.nothing": .*undefined field /,
            /'nothing'/,
          ),
        ),
      ],
    },
    {
      name: 'an expression of the wrong type',
      found: errorsOf([{ issuer, claimMappings, claimValidationRules: [{ expression: '"a"' }] }]),
      wanted: [
        expect.stringMatching(
          /^jwt\[0\]\.claimValidationRules\[0\]\.expression: Invalid value: "\\"a\\"": must evaluate to bool/,
        ),
      ],
    },
    {
      name: 'an email address that is not verified',
      found: mapped({ username: { expression: 'claims.email' } }),
      wanted: [
        expect.stringContaining(
          'jwt[0].claimMappings.username.expression: Invalid value: "claims.email": claims.email_verified must be used',
        ),
      ],
    },
    {
      name: 'an address that a rule verifies',
      found: errorsOf([
        {
          issuer,
          claimMappings: { username: { expression: 'claims.email' } },
          claimValidationRules: [{ expression: 'claims.email_verified == true' }],
        },
      ]),
      wanted: [],
    },
    {
      name: 'anonymous conditions while anonymous requests are off',
      found: errorsOf([], { anonymous: { enabled: false, conditions: [{ path: '/livez' }] } }),
      wanted: [expect.stringContaining('anonymous.conditions: Invalid value')],
    },
  ])('Errors of an AuthenticationConfiguration: $name', ({ found, wanted }) => {
    expect(found).toEqual(wanted);
  });
});

test('Compiling an expression yields to other work in each of its steps', () => {
  const mappings = {
    username: { expression: 'claims.sub' },
    groups: { expression: 'claims.groups' },
    uid: { expression: 'claims.uid' },
    extra: [{ key: 'a.b/c', valueExpression: '"x"' }],
  };
  const configuration = document([
    {
      issuer,
      claimMappings: mappings,
      claimValidationRules: [{ expression: 'claims.a == 1' }, { claim: 'b', requiredValue: 'c' }],
      userValidationRules: [{ expression: 'user.username != ""' }],
    },
  ]);
  expect([...validateAuthenticationConfiguration(readAuthenticationConfiguration(configuration), [])]).toHaveLength(
    6 * 4,
  );
});
