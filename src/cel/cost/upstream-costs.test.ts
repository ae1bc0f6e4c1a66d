/**
 * What expressions cost in upstream's evaluator and estimator (apiserver 1.32.9, cel-go 0.22.0), measured there with the variables
 * and sizes below: the estimate is the upper end, the cost is that of one evaluation with constants folded.
 */
import { describe, expect, test } from 'vitest';
import { boolType, bytesType, type CelType, intType, listType, mapType, stringType } from '../check/types.ts';
import { environment, type Program } from '../environment.ts';
import { AuthorizerValue, authorizerType } from '../library/authorizer.ts';
import { semver } from '../library/semver.ts';
import { adaptAny } from '../schema/json-values.ts';
import { upTo } from './range.ts';

const variables: Readonly<Record<string, CelType>> = {
  i: intType, b: boolType, s: stringType, t: stringType, y: bytesType, l: listType(intType), ls: listType(stringType), ll: listType(listType(intType)),
  m: mapType(stringType, intType), ml: mapType(stringType, listType(intType)), authorizer: authorizerType,
};
const bindings = {
  i: 3, b: true, s: 'abcdefghijklmnopqrstuvwxyz0123456789', t: 'xyz', y: Buffer.from('abcdefghijklmnopqrstuvwxyz'), l: adaptAny([1, 2, 3, 4, 5, 6]), ls: adaptAny(['abcdefghijkl', 'b', 'cccccccccccccccccccccc']),
  ll: adaptAny([[1, 2], [3]]), m: adaptAny({ aaaaaaaaaaaa: 1, b: 2 }), ml: adaptAny({ a: [1, 2], bb: [3] }), authorizer: new AuthorizerValue(() => ({ allowed: true, reason: 'yes' })),
};
const sizes: Readonly<Record<string, number>> = {
  s: 500, t: 50, y: 500, l: 100, ls: 100, 'ls.@items': 20, ll: 50, 'll.@items': 10, m: 10, 'm.@keys': 10, ml: 5, 'ml.@keys': 10, 'ml.@values': 10,
};
const env = environment({ variables, libraries: [semver] });

/** Numbers beyond what a double holds are texts. */
type Row = readonly [expression: string, estimate: number | string, cost: number];

const rows: Readonly<Record<string, readonly Row[]>> = {
  'operators, fields and conversions': [
    ["'a'", 0, 0], ['i', 1, 1], ['s', 1, 1], ['l[0]', 2, 2], ["m['b']", 2, 2], ['m.b', 2, 2], ['has(m.b)', 1, 1], ['has(m.zz)', 1, 1], ['[1, 2, 3]', 10, 0], ['[i, 2, 3]', 11, 11],
    ["{'a': 1}", 30, 0], ["{'a': i}", 31, 31], ['b || b', 2, 1], ['b && b && b', 3, 3], ['b ? i : 3', 2, 1], ['1 < 2', 1, 1], ['i == 3', 2, 2], ['i != 3', 2, 2], ['s == t', 7, 3],
    ["s == 'abcdefghijklmnopqrstuvwxyz0123456789'", 5, 5], ['s < t', 7, 3], ['s + t', 57, 6], ['s + t + s', 163, 15], ['y + y', 102, 8], ['y == y', 52, 5], ['y < y', 52, 5],
    ['l + l', 3, 3], ['l == l', 12, 3], ['m == m', 3, 3], ['ls == ls', 12, 3], ['i in [1, 2, 3]', 14, 1], ["s in ['a', 'b']", 13, 1], ['i in l', 102, 8], ["'b' in m", 2, 2],
    ['s in ls', 102, 5], ['size(s)', 2, 2], ['size(l)', 2, 2], ['string(i)', 2, 2], ['string(y)', 51, 4], ['bytes(s)', 51, 5], ['string(s)', 2, 2], ['bytes(s) == bytes(s)', 302, 14],
    ['string(y) == string(y)', 152, 11], ["int('3')", 1, 0], ['string(b)', 2, 2], ["timestamp('2020-01-01T00:00:00Z')", 1, 0],
    ["timestamp('2020-01-01T00:00:00Z').getFullYear()", 2, 1], ["timestamp('2020-01-01T00:00:00Z') < timestamp('2021-01-01T00:00:00Z')", 3, 1],
    ["timestamp('2020-01-01T00:00:00Z').getHours('UTC')", 2, 1], ["duration('1h').getHours()", 2, 1], ["duration('1h') + duration('1m')", 3, 1],
    ['type(i) == int', '1844674407370955267', 3], ['type(s) == string', '1844674407370955267', 3], ['dyn(i) == 3', 3, 3], ['-i', 2, 2], ['!b', 2, 2], ['!(i in l)', 103, 9],
    ['i + 1 - 2 * 3 / 4 % 5', 6, 6], ['1.5 + 2.5 == 4.0', 2, 2], ['double(i) < 4.5', 3, 3], ['i < 4.5', 2, 2], ['1u < 2u', 1, 1],
  ],
  'macros': [
    ['[1, 2, 3].all(x, true)', 20, 10], ['l.all(x, x > 0)', 502, 32], ['l.exists(x, x > 3)', 602, 29], ['l.exists_one(x, x == 3)', 403, 17], ['l.filter(x, x % 2 == 0)', 1612, 59],
    ['l.map(x, x * 2)', 1412, 86], ['l.map(x, x > 2, x * 2)', 1612, 70], ['ll.all(x, x.all(y, y > 0))', 2752, 27], ['ll.map(x, x[0])', 712, 30], ['m.all(k, m[k] > 0)', 72, 14],
    ['m.all(k, k.contains(k))', 62, 17], ['ml.all(k, ml[k].all(v, v > 0))', 287, 29], ['(b ? l : l).all(x, true)', 303, 20], ['(l + l).all(x, x > 0)', 1004, 64],
    ['ls.map(x, size(x)).sum()', 1512, 47], ["s.split('a', 2).all(x, x == '')", 110, 18], ["s.split('').all(x, x == '')", 2102, 16],
    ['[1, 2, 3].all(i, i in [1, 2, 3].map(j, j + j))', 230, 56], ['[1,2,3,4,5].map(x, [x, x]).filter(z, z.size() == 2)', 232, 202], ["[{'k1': 1}, {'k2': 2}].all(x, true)", 77, 7],
    ["l.map(x, string(x)).join(',')", '1844674407370956676', 89], ["ls.all(x, x.startsWith('a') || x == 'b')", 702, 24], ["ls.exists(x, x.contains('cc'))", 702, 23],
    ['ls.filter(x, x.size() > 3).size() == 2', 1614, 39], ['ls.map(x, x + x).all(x, x != t)', 2813, 72],
  ],
  'texts': [
    ["s.matches('[0-9]+')", 103, 9], ['s.matches(t)', 665, 6], ["s.contains('xyz')", 51, 5], ['s.contains(t)', 252, 6], ["s.startsWith('abcdefghijkl')", 3, 5],
    ['s.endsWith(t)', 7, 6], ['s.size()', 2, 2], ["s.find('[0-9]+')", 103, 9], ["s.findAll('[0-9]+')", 103, 9], ["s.findAll('[0-9]', 2)", 103, 9], ['s.find(t)', 665, 6],
    ['s.charAt(1)', 2, 2], ["s.indexOf('9')", 51, 4], ["s.indexOf('9', 3)", 51, 4], ["s.lastIndexOf('a')", 51, 4], ['s.lowerAscii()', 51, 5], ['s.upperAscii()', 51, 5],
    ['s.lowerAscii() == s', 102, 10], ["s.replace('a', 'bb')", 101, 9], ["s.replace('a', 'bb') == s", 152, 14], ["s.replace('', 'bb') == s", 152, 14],
    ["s.replace('abc', 'b') == s", 152, 14], ["s.replace(t, 'bbbb') == s", 153, 15], ['s.replace(t, t) == s', 154, 16], ["s.replace('a', 'bb', 2)", 101, 9],
    ["s.replace('a', 'bb', 2) == s", 152, 14], ["s.split('a')", 101, 9], ["s.split('')", 101, 9], ["s.split('a', 2)", 101, 9], ["s.split('a').join('b')", '1844674407370955365', 17],
    ['s.substring(3)', 51, 5], ['s.substring(3, 6)', 51, 5], ['s.substring(3, 6) == t', 57, 7], ['s.trim()', 51, 5], ['ls.join()', 201, 8], ["ls.join(', ')", 221, 9],
    ["ls.join(', ') == s", 272, 14], ['ls.join(t)', 697, 11], ["['a', 'bb'].join(', ')", '1844674407370955274', 1], ["['a', s].join(t)", '1844674407370955276', 20],
    ['[s, t].join()', '1844674407370955276', 20], ['[].join()', 10, 0], ["'%s and %d'.format([s, i])", 13, 13], ["'%s'.format([ls])", 12, 12], ['s.format([])', 61, 5],
    ["'%s and %d'.format([s, i]) == s", 64, 18], ['strings.quote(s)', 51, 5], ['strings.quote(s) == s', 102, 10],
  ],
  'lists': [
    ['l.sum()', 101, 7], ['l.max()', 101, 7], ['l.min()', 101, 7], ['l.isSorted()', 101, 7], ['ls.max()', 301, 4], ['ls.isSorted()', 301, 4], ['l.indexOf(3)', 101, 7],
    ['l.lastIndexOf(3)', 101, 7], ["ls.indexOf('b')", 301, 4], ['ll.indexOf([3])', 61, 4], ['[1.5, 2.5].sum()', 12, 2], ["[duration('1s'), duration('2s')].sum()", 14, 2],
    ["[timestamp('2020-01-01T00:00:00Z')].max()", 12, 1], ["[b'abcdefghijklmnopqrst'].max()", '1844674407370955275', 2], ['[[1, 2], [3]].indexOf([3])', 42, 3],
    ["[{'a': 'bbbbbbbbbbbbbbbbbbbbb'}].indexOf({'a': 'b'})", 71, 2],
  ],
  'URLs': [
    ["url('https://example.com:80/path?k=v')", 4, 4], ["isURL('https://example.com:80/path?k=v')", 1, 1], ['isURL(s)', 2, 2], ["url('https://example.com/').getScheme()", 3, 3],
    ["url('https://example.com/').getHost()", 3, 3], ["url('https://example.com/').getQuery()", 3, 3], ["url('https://example.com/') == url('https://example.com/')", 6, 5],
    ["url('https://example.com/aaaaaaaaaaaaaaa') == url('http://b')", 6, 6],
  ],
  'quantities and versions': [
    ["quantity('50k')", 1, 1], ["isQuantity('50k')", 1, 1], ['isQuantity(s)', 51, 5], ["quantity('50k').add(quantity('1k'))", 3, 3], ["quantity('50k').sub(1)", 2, 2],
    ["quantity('50k').isInteger()", 2, 2], ["quantity('50k').asInteger()", 2, 2], ["quantity('50k').asApproximateFloat()", 2, 2],
    ["quantity('50k').isGreaterThan(quantity('1k'))", 3, 3], ["quantity('50k').compareTo(quantity('1k'))", 3, 3], ["quantity('50k') == quantity('1k')", 3, 3],
    ["semver('1.2.3')", 1, 1], ["isSemver('1.2.3')", 1, 1], ['isSemver(s)', 2, 2], ["semver('1.2.3').major()", 2, 2], ["semver('1.2.3').isLessThan(semver('1.2.4'))", 3, 3],
    ["semver('1.2.3').compareTo(semver('1.2.4'))", 3, 3], ["semver('1.2.3') == semver('1.2.4')", 3, 3],
  ],
  'addresses': [
    ["ip('192.168.0.1')", 2, 2], ["isIP('2001:db8:3333:4444:5555:6666:7777:8888')", 4, 4], ['isIP(s)', 51, 5], ["ip.isCanonical('192.168.0.1')", 3, 3],
    ["ip.isCanonical('2001:db8:3333:4444:5555:6666:7777:8888')", 8, 8], ["ip('192.168.0.1').family()", 3, 3], ["ip('192.168.0.1').isLoopback()", 3, 3],
    ["ip('192.168.0.1') == ip('192.168.0.1')", 5, 5], ["string(ip('192.168.0.1'))", 3, 3], ["cidr('192.168.0.0/16')", 2, 2], ["isCIDR('192.168.0.0/16')", 2, 2], ['isCIDR(s)', 51, 5],
    ["cidr('192.168.0.0/16').containsIP('192.168.0.1')", 8, 5], ["cidr('192.168.0.0/16').containsIP(ip('192.168.0.1'))", 8, 5],
    ["cidr('192.168.0.0/16').containsIP(ip('192.169.169.250'))", 8, 5], ["cidr('192.168.0.0/16').containsCIDR('192.168.0.0/24')", 11, 7],
    ["cidr('192.168.0.0/16').containsCIDR(cidr('192.168.0.0/24'))", 11, 7], ["cidr('2001:db8::/32').containsCIDR(cidr('2001:db8::/126'))", 11, 7],
    ["cidr('2001:db8::/32').containsIP('2001:db8::1')", 8, 5], ["cidr('2001:db8::/32').ip()", 3, 3], ["cidr('2001:db8::/32').masked()", 3, 3],
    ["cidr('2001:db8::/32').prefixLength()", 3, 3], ["cidr('2001:db8::/32') == cidr('2001:db8::/32')", 5, 5], ["string(cidr('192.168.0.0/16'))", 3, 3],
  ],
  'formats': [
    ["format.named('dns1123Label')", 1, 1], ["format.named('nope').hasValue()", 2, 2], ["format.named('dns1123Label').value().validate('my-name')", 34, 10],
    ["format.named('dns1123Subdomain').value().validate('my-name')", 34, 17], ["format.dns1123Label().validate('my-name')", 33, 9], ['format.dns1123Label().validate(s)', 1602, 34],
    ['format.dns1123Subdomain().validate(s)', 1602, 62], ['format.dns1035Label().validate(s)', 1602, 34], ['format.qualifiedName().validate(s)', 1602, 62],
    ['format.dns1123LabelPrefix().validate(s)', 1602, 34], ['format.dns1123SubdomainPrefix().validate(s)', 1602, 62], ['format.dns1035LabelPrefix().validate(s)', 1602, 34],
    ['format.labelValue().validate(s)', 1602, 42], ['format.uri().validate(s)', 1602, 1122], ['format.uuid().validate(s)', 1602, 74], ['format.byte().validate(s)', 1602, 86],
    ['format.date().validate(s)', 1602, 74], ['format.datetime().validate(s)', 1602, 74], ['format.dns1123Label() == format.dns1123Label()', 9, 3],
  ],
  'authorizer': [
    ["authorizer.path('/healthz')", 2, 2], ["authorizer.path('/healthz').check('get')", 350002, 350002], ["authorizer.path('/healthz').check('get').allowed()", 350003, 350003],
    ["authorizer.serviceAccount('default', 'x').path('/a').check('get').errored()", 350004, 350004],
    ["authorizer.serviceAccount('default', 'x').path('/a').check('get').error()", 350004, 350004],
  ],
  'sets': [
    ['sets.contains(l, [1, 2])', 212, 14], ['sets.contains(l, l)', 10003, 39], ['sets.equivalent(l, l)', 20003, 75], ['sets.intersects(l, [1, 2])', 212, 14],
    ['sets.contains([1, 2, 3, 4], [2, 3])', 29, 9], ['sets.contains([], [])', 21, 1], ["sets.intersects(ls, ['b'])", 112, 5],
  ],
  'optionals': [
    ['optional.of(i)', 2, 2], ['optional.none()', 1, 1], ['optional.of(i).hasValue()', 3, 3], ['optional.of(i).value()', 3, 3], ['optional.of(i).orValue(2)', 3, 2],
    ['optional.of(i).or(optional.of(3))', 4, 2], ['optional.ofNonZeroValue(i)', 2, 2], ['m.?b', 2, 2], ['m.?b.orValue(3)', 3, 2], ["m[?'b'].orValue(3)", 3, 2],
    ['l[?0].orValue(3)', 3, 2], ['l[?90].orValue(3)', 3, 1], ['ml.?a[?0].orValue(3)', 4, 3], ['optional.of(i).optMap(x, x + 1)', 19, 9],
    ['optional.of(i).optFlatMap(x, optional.of(x + 1))', 19, 9], ['optional.of(i).optMap(x, x + 1).orValue(3)', 20, 9], ['[?m.?b]', 12, 12], ["{?'a': m.?b}", 32, 32],
  ],
  'two variables': [
    ['l.all(k, v, v > k)', 602, 38], ['l.exists(k, v, v > 2)', 602, 23], ['l.existsOne(k, v, v == 2)', 403, 17], ['l.exists_one(k, v, v == 2)', 403, 17],
    ['l.transformList(k, v, v + 1)', 1412, 86], ['l.transformList(k, v, v < 4, v + 1)', 1612, 56], ['m.all(k, v, v > 0)', 52, 12], ['m.transformMap(k, v, v + 1)', 82, 12],
    ['m.transformMap(k, v, v < 2, v + 1)', 102, 11], ['m.transformMapEntry(k, v, {k: v + 1})', 382, 72], ['m.transformMapEntry(k, v, v < 2, {k: v + 1})', 402, 41],
    ['m.transformList(k, v, k)', 142, 28], ['ml.all(k, v, v.all(x, x > 0))', '18446744073709551615', 27], ['ml.transformList(k, v, v.map(x, x))', '18446744073709551615', 69],
    ["{'a': 1, 'b': 2}.all(k, v, v > 0)", 41, 11], ["{'a': 1, 'b': 2}.exists(k, v, v > 0)", 43, 10], ["{'a': 1, 'b': 2}.existsOne(k, v, v > 0)", 40, 10],
  ],
};

describe.each(Object.entries(rows))('%s', (_, table) => {
  test.each(table)('%s', (expression, estimate, cost) => {
    const program = env.compile(expression) as Program;
    const limited = program.estimateCost((path) => {
      const size = sizes[path.join('.')];
      return size === undefined ? undefined : upTo(size);
    });
    expect({ estimate: limited, cost: program.evaluate(bindings).cost }).toEqual({ estimate: Number(estimate), cost });
  });
});

test('a check of the authorizer is paid when it is made', () => {
  const program = env.compile("authorizer.group('apps').resource('deployments').check('create').allowed() && authorizer.path('/').check('get').allowed()") as Program;
  expect(program.evaluate(bindings)).toEqual({ value: true, cost: 700_007 });
});

test('a global match is estimated as one unit, and paid as the method is', () => {
  const program = env.compile("matches(s, '[0-9]+')") as Program;
  expect({ estimate: program.estimateCost(() => undefined), cost: program.evaluate(bindings).cost }).toEqual({ estimate: 2, cost: 9 });
});
