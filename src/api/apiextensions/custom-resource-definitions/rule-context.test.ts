import { describe, expect, test } from 'vitest';
import type {
  CustomResourceDefinitionSpec,
  JSONSchemaProps,
  ValidationRule,
} from '../../gen/types/apiextensions-v1.ts';
import { runToEnd } from '../../../machinery/cooperative-scheduling.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { strictRules } from './definition-rules.ts';
import { compileAhead } from './rule-context.ts';
import { checkSchema } from './schema.ts';
import { joined } from '../../../../test/support/patterns.ts';

function errorsOf(properties: Record<string, JSONSchemaProps>, stored?: ReadonlySet<string>): string[] {
  const errors = new FieldErrors();
  const rules = { ...strictRules(), ...(stored === undefined ? {} : { stored }) };
  runToEnd(checkSchema({ type: 'object', properties }, false, FieldPath.of('s'), errors, rules));
  return errors.map(fieldErrorText);
}

const withRule = (schema: JSONSchemaProps, ...rules: ValidationRule[]): JSONSchemaProps => ({
  ...schema,
  'x-kubernetes-validations': rules,
});
const text: JSONSchemaProps = { type: 'string' };
const short: JSONSchemaProps = { type: 'string', maxLength: 10 };
const list = (items: JSONSchemaProps, more: JSONSchemaProps = {}): JSONSchemaProps => ({
  type: 'array',
  items,
  ...more,
});
const advice =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and ' +
  'strings are declared)';

describe('cost of rules', () => {
  test('A rule in a list counts as often as the list has elements', () => {
    const rule = { rule: 'self.matches("^[a-z]*$")' };
    expect(errorsOf({ l: list(withRule(short, rule), { maxItems: 100 }) })).toEqual([]);
    expect(errorsOf({ l: list(withRule(short, rule), { maxItems: 1_000_000 }) })).toEqual([
      's.properties[l].items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget ' +
        `by factor of 1.100000x ${advice}`,
    ]);
  });

  test('Where nothing limits a list, the size of a request limits the cost of rules', () => {
    expect(errorsOf({ l: list(withRule(text, { rule: 'self != "a"' })) })).toEqual([]);
    expect(errorsOf({ l: list(withRule(text, { rule: 'self.contains("abc")' })) })[0]).toContain(
      'estimated rule cost exceeds budget by factor of more than 100x',
    );
  });

  test('All rules together, the worst by name', () => {
    const heavy = (n: number): [string, JSONSchemaProps] => [
      `p${n}`,
      withRule(
        list(list(short, { maxItems: 400 }), { maxItems: 1000 }),
        { rule: 'self.all(x, x.all(y, y.startsWith("a")))' },
        { rule: 'true' },
      ),
    ];
    const errors = errorsOf(Object.fromEntries(Array.from({ length: 60 }, (_, n) => heavy(n))));
    expect(
      errors.filter((error) =>
        error.endsWith('contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'),
      ),
    ).toHaveLength(4);
    expect(errors.at(-1)).toMatch(
      joined(
        /^s: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds /,
        /budget by factor of 1\.2\d+x/,
      ),
    );
  });
});

describe('rules about the old value', () => {
  const transition: ValidationRule = { rule: 'self == oldSelf' };
  const within = (path: string, of: string): string =>
    `${path}.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the ` +
    `uncorrelatable portion of the schema within ${of}`;
  const keyed: JSONSchemaProps = {
    type: 'object',
    properties: { k: short, v: withRule(short, transition) },
    required: ['k'],
  };

  test.each<[string, JSONSchemaProps, string[]]>([
    ['a property', withRule(short, transition), []],
    [
      'an element of a list',
      list(withRule(short, transition), { maxItems: 5 }),
      [within('s.properties[p].items', 's.properties[p]')],
    ],
    ['a value of a map', { type: 'object', additionalProperties: withRule(short, transition), maxProperties: 5 }, []],
    [
      'a list with keys',
      list(keyed, { maxItems: 5, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }),
      [],
    ],
    [
      'a list without keys',
      list(keyed, { maxItems: 5 }),
      [within('s.properties[p].items.properties[v]', 's.properties[p]')],
    ],
  ])('CRD validation rules that read oldSelf: %s', (_, schema, errors) =>
    expect(errorsOf({ p: schema })).toEqual(errors),
  );
});

describe('the language of rules', () => {
  const rule = 'self.all(i, v, i >= 0 && v != "")';

  test('What the version before does not have is for rules that are stored already', () => {
    const schema = { l: withRule(list(short, { maxItems: 5 }), { rule }) };
    expect(errorsOf(schema)[0]).toContain("undeclared reference to 'all' (in container '')");
    expect(errorsOf(schema, new Set([rule, '']))).toEqual([]);
  });

  test('A rule of a schema that is not in order is not compiled', () => {
    expect(errorsOf({ l: { type: 'nonsense', 'x-kubernetes-validations': [{ rule: 'nonsense' }] } })[0]).toContain(
      'Unsupported value: "nonsense"',
    );
    expect(
      errorsOf({ l: { type: 'nonsense', 'x-kubernetes-validations': [{ rule: 'nonsense' }] } }).join(),
    ).not.toContain('compilation failed');
  });
});

describe('rules that are compiled ahead', () => {
  const schema = (): JSONSchemaProps =>
    withRule(
      {
        type: 'object',
        properties: {
          l: list(withRule(short, { rule: 'self != "a"' }, { rule: 'self.nothing' }), { maxItems: 3 }),
          m: { type: 'object', additionalProperties: withRule(text, { rule: 'oldSelf ==' }) },
          e: withRule(
            { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
            { rule: 'self.metadata.name != ""' },
          ),
        },
      },
      { rule: 'has(self.l) || self.metadata.name.startsWith("x")' },
    );
  const judged = (root: JSONSchemaProps): string[] => {
    const errors = new FieldErrors();
    runToEnd(checkSchema(root, true, FieldPath.of('s'), errors));
    return errors.map(fieldErrorText);
  };

  const stepsOfExpressions = 3 * 3;
  // One of five is not even an expression, and one is about what is not there.
  const stepsUntilChecked = 1;
  const stepsOfCosts = 5;

  test('Rules that are compiled ahead are compiled in steps, and are judged like those that are not', () => {
    const ahead = schema();
    expect([
      ...compileAhead(
        { versions: [{ name: 'v1', schema: { openAPIV3Schema: ahead } }] } as CustomResourceDefinitionSpec,
        undefined,
      ),
    ]).toHaveLength(stepsOfExpressions + stepsUntilChecked + stepsOfCosts);
    expect(judged(ahead)).toEqual(judged(schema()));
    expect(judged(ahead).length).toBeGreaterThan(1);
  });
});
