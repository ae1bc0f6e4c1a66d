import { describe, expect, test } from 'vitest';
import { fieldErrorText } from '../../machinery/field-error.ts';
import { parseJson } from '../../machinery/json/reader.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { readStructural } from '../../machinery/structural/schema.ts';
import { runToEnd } from '../../machinery/cooperative-scheduling.ts';
import type { JsonObject, JsonValue } from '../../machinery/value.ts';
import { createRuleChecker, type RuleFindings } from './object-rules.ts';

const object = (spec: unknown): KubeObject =>
  parseJson(JSON.stringify({ apiVersion: 'a/v1', kind: 'K', metadata: { name: 'n' }, spec })) as KubeObject;

function judge(spec: JsonObject, value: unknown, old?: unknown): RuleFindings {
  const check = createRuleChecker(readStructural({ type: 'object', properties: { spec } }))!;
  return runToEnd(check(object(value), old === undefined ? undefined : object(old)));
}

const rules = (...list: JsonValue[]): JsonObject => ({ 'x-kubernetes-validations': list });
const texts = ({ errors }: RuleFindings): string[] => errors.map(fieldErrorText);
const numbers: JsonObject = { type: 'object', properties: { n: { type: 'integer' }, m: { type: 'integer' } } };

describe('rules in CEL', () => {
  test('Rules are compiled once, and each object is told of once', () => {
    const told: string[] = [];
    const observer = {
      rulesCompiled: () => void told.push('compiled'),
      rulesEvaluated: () => void told.push('evaluated'),
      compared: () => undefined,
    };
    const spec = { ...numbers, ...rules({ rule: 'self.n < 3' }, { rule: 'self.m < 3' }) };
    const check = createRuleChecker(readStructural({ type: 'object', properties: { spec } }), observer)!;
    for (const n of [1, 5]) runToEnd(check(object({ n, m: 1 }), undefined));
    expect(told).toEqual(['compiled', 'evaluated', 'evaluated']);
  });

  test('A schema without any has no checker', () => {
    expect(createRuleChecker(readStructural({ type: 'object', properties: { spec: numbers } }))).toBeUndefined();
  });

  test.each<{ name: string; spec: JsonObject; value: unknown; old?: unknown; errors: string[] }>([
    {
      name: 'the message',
      spec: { ...numbers, ...rules({ rule: 'self.n < 3', message: ' small ' }) },
      value: { n: 5 },
      errors: ['spec: Invalid value: "object": small'],
    },
    {
      name: 'the rule where there is no message',
      spec: { ...numbers, ...rules({ rule: 'self.n < 3' }) },
      value: { n: 5 },
      errors: ['spec: Invalid value: "object": failed rule: self.n < 3'],
    },
    {
      name: 'a message that is made, a reason, a field',
      spec: {
        ...numbers,
        ...rules({
          rule: 'self.n < 3',
          messageExpression: "'n was ' + string(self.n)",
          reason: 'FieldValueForbidden',
          fieldPath: '.n',
        }),
      },
      value: { n: 5 },
      errors: ['spec.n: Forbidden: n was 5'],
    },
    {
      name: 'a message that cannot be made',
      spec: { ...numbers, ...rules({ rule: 'self.n < 3', messageExpression: 'string(self.m)', message: 'fixed' }) },
      value: { n: 5 },
      errors: ['spec: Invalid value: "object": fixed'],
    },
    {
      name: 'an absent member',
      spec: { ...numbers, ...rules({ rule: 'self.n < self.m' }) },
      value: { n: 5 },
      errors: ['spec: Invalid value: "object": no such key: m evaluating rule: self.n < self.m'],
    },
    {
      name: 'values of maps',
      spec: {
        type: 'object',
        additionalProperties: { type: 'integer', ...rules({ rule: 'self > 0', message: 'positive' }) },
      },
      value: { a: 1, b: 0 },
      errors: ['spec[b]: Invalid value: "integer": positive'],
    },
    {
      name: 'items',
      spec: { type: 'array', items: { type: 'integer', ...rules({ rule: 'self > 0', message: 'positive' }) } },
      value: [1, 0],
      errors: ['spec[1]: Invalid value: "integer": positive'],
    },
    {
      name: 'a transition on create',
      spec: { ...numbers, ...rules({ rule: 'self.n >= oldSelf.n', message: 'grows' }) },
      value: { n: 1 },
      errors: [],
    },
    {
      name: 'a transition on update',
      spec: { ...numbers, ...rules({ rule: 'self.n >= oldSelf.n', message: 'grows' }) },
      value: { n: 1 },
      old: { n: 2 },
      errors: ['spec: Invalid value: "object": grows'],
    },
    {
      name: 'transitions of items found by their keys',
      old: [
        { k: 'b', v: 2 },
        { k: 'a', v: 1 },
      ],
      value: [
        { k: 'a', v: 1 },
        { k: 'b', v: 1 },
      ],
      errors: ['spec[1].v: Invalid value: "integer": grows'],
      spec: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: {
          type: 'object',
          properties: {
            k: { type: 'string' },
            v: { type: 'integer', ...rules({ rule: 'self >= oldSelf', message: 'grows' }) },
          },
        },
      },
    },
    {
      name: 'a rule that does not compile',
      spec: { ...numbers, ...rules({ rule: 'self.none' }) },
      value: { n: 1 },
      errors: [
        expect.stringContaining(
          'spec: Invalid value: "object": rule compile error: compilation failed: ERROR: <input>:1:5: ' +
            "undefined field 'none'",
        ) as string,
      ],
    },
  ])('CRD validation rules in CEL: $name', ({ spec, value, old, errors }) => {
    expect(texts(judge(spec, value, old))).toEqual(errors);
  });

  test('What has not changed is let be, and told', () => {
    const spec = {
      ...numbers,
      properties: {
        ...(numbers['properties'] as JsonObject),
        n: { type: 'integer', ...rules({ rule: 'self < 3', message: 'small' }) },
      },
    };
    const findings = judge(spec, { n: 5, m: 2 }, { n: 5, m: 1 });
    expect(texts(findings)).toEqual([]);
    expect(findings.tolerated.map(fieldErrorText)).toEqual(['spec.n: Invalid value: "integer": small']);
  });

  test('An expensive CEL rule is stopped', () => {
    const spec: JsonObject = {
      type: 'array',
      items: { type: 'integer' },
      ...rules({ rule: 'self.all(a, self.all(b, self.all(c, a + b + c >= 0)))', message: 'sums' }, { rule: 'false' }),
    };
    const errors = texts(
      judge(
        spec,
        Array.from({ length: 300 }, (_, i) => i),
      ),
    );
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain('no further validation rules will be run');
  });
});
