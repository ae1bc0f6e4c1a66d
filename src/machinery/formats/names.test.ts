import { describe, expect, test } from 'vitest';
import * as names from './names.ts';

const a63 = 'a'.repeat(63);
const a64 = 'a'.repeat(64);
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and " +
  "end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const namePart =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must " +
  "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

describe('formats of names', () => {
  test.each<{ name: string; check: names.Checker; value: string; messages: string[] }>([
    { name: 'label of 63 characters', check: names.isDns1123Label, value: a63, messages: [] },
    {
      name: 'label of 64 characters',
      check: names.isDns1123Label,
      value: a64,
      messages: ['must be no more than 63 characters'],
    },
    { name: 'empty label', check: names.isDns1123Label, value: '', messages: [label] },
    { name: 'label with a dot', check: names.isDns1123Label, value: 'a.b', messages: ['must not contain dots'] },
    { name: 'label with a final newline', check: names.isDns1123Label, value: 'a\n', messages: [label] },
    {
      name: 'subdomain whose labels are longer than 63',
      check: names.isDns1123Subdomain,
      value: `${a64}.b`,
      messages: [],
    },
    { name: 'subdomain with an empty label', check: names.isDns1123Subdomain, value: 'a..b', messages: [subdomain] },
    {
      name: 'long value of a label that is also malformed: both are reported',
      check: names.isLabelValue,
      value: `-${a63}`,
      messages: [
        'must be no more than 63 characters',
        expect.stringContaining('a valid label must be an empty string'),
      ] as string[],
    },
    { name: 'empty value of a label', check: names.isLabelValue, value: '', messages: [] },
    {
      name: 'qualified name with a domain',
      check: names.isQualifiedName,
      value: 'example.com/My_Name.1',
      messages: [],
    },
    {
      name: 'qualified name with an empty domain',
      check: names.isQualifiedName,
      value: '/a',
      messages: ['prefix part must be non-empty'],
    },
    {
      name: 'qualified name without a name',
      check: names.isQualifiedName,
      value: 'a.b/',
      messages: ['name part must be non-empty', `name part ${namePart}`],
    },
    {
      name: 'qualified name with a bad domain',
      check: names.isQualifiedName,
      value: 'Foo_/a',
      messages: [`prefix part ${subdomain}`],
    },
    {
      name: 'qualified name with two slashes',
      check: names.isQualifiedName,
      value: 'a/b/c',
      messages: [
        `a qualified name ${namePart} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ],
    },
    {
      name: 'DNS-1035 label that starts with a digit',
      check: names.isDns1035Label,
      value: '1a',
      messages: [
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic " +
          "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for " +
          "validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      ],
    },
    { name: 'wildcard', check: names.isWildcardDns1123Subdomain, value: '*.example.com', messages: [] },
    {
      name: 'port name with everything wrong',
      check: names.isPortName,
      value: '-1--0000000000000',
      messages: [
        'must be no more than 15 characters',
        'must contain at least one letter (a-z)',
        'must not contain consecutive hyphens',
        'must not begin or end with a hyphen',
      ],
    },
    {
      name: 'strict environment variable that starts with a digit',
      check: names.isEnvVarName,
      value: '1A',
      messages: [
        "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', " +
          "and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used " +
          "for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')",
      ],
    },
    {
      name: 'relaxed environment variable with blanks',
      check: names.isRelaxedEnvVarName,
      value: '1 a~!',
      messages: [],
    },
    {
      name: 'relaxed environment variable with =',
      check: names.isRelaxedEnvVarName,
      value: 'a=',
      messages: ["a valid environment variable name must consist only of printable ASCII characters other than '='"],
    },
    { name: 'config key ..', check: names.isConfigMapKey, value: '..', messages: ["must not be '..'"] },
    {
      name: 'config key that leaves its folder',
      check: names.isConfigMapKey,
      value: '..a',
      messages: ["must not start with '..'"],
    },
    {
      name: 'percent',
      check: names.isPercent,
      value: '10',
      messages: [
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', " +
          "regex used for validation is '[0-9]+%')",
      ],
    },
    {
      name: 'path segment with both forbidden characters',
      check: names.isPathSegmentName,
      value: '%/',
      messages: ["may not contain '/'", "may not contain '%'"],
    },
    { name: 'path segment ..', check: names.isPathSegmentName, value: '..', messages: ["may not be '..'"] },
    { name: 'prefix ..', check: names.isPathSegmentPrefix, value: '..', messages: [] },
  ])('Formats of names: $name', ({ check, value, messages }) => expect(check(value)).toEqual(messages));

  test('A good value of a format allocates nothing', () =>
    expect(names.isQualifiedName('a/b')).toBe(names.isDns1123Label('a')));
});
