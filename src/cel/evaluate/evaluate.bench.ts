/** What rules cost for each object, and what compiling them costs once. */
import { bench, describe } from 'vitest';
import { benchObject, benchRules, benchSchema } from '../../../test/support/bench-workload.ts';
import { boolType, dynType } from '../check/types.ts';
import { environment, type Program } from '../environment.ts';
import { adaptAny } from '../schema/json-values.ts';
import { compileRules } from '../schema/rules.ts';
import { type OpenApiSchema, schemaType } from '../schema/schema-type.ts';

const rules = benchRules.map((rule) => ({ rule }));
const schema: OpenApiSchema = { ...benchSchema };
const compiled = compileRules({ ...schema, 'x-kubernetes-validations': rules }, true)!;
const { adapt } = schemaType(schema, true)!;

describe(`three typical rules over an object of ${(JSON.stringify(benchObject).length / 1000).toFixed(1)} kB`, () => {
  bench('typed by a schema', () => {
    const self = adapt(benchObject);
    for (const { rule } of compiled) rule.program!.evaluate({ self });
  });

  const env = environment({ variables: { object: dynType } });
  const policies = benchRules.map((rule) => env.compile(rule.replaceAll('self.', 'object.'), boolType) as Program);
  bench('without types, as in an admission policy', () => {
    const object = adaptAny(benchObject);
    for (const policy of policies) policy.evaluate({ object });
  });
});

describe('compile and check', () => {
  bench('one rule against a schema', () => {
    compileRules({ ...schema, 'x-kubernetes-validations': [rules[0]!] }, true);
  });

  const env = environment({ variables: { object: dynType } });
  bench('one expression', () => {
    env.compile('object.spec.template.spec.containers.all(c, c.image.startsWith("registry.example.com/"))', boolType);
  });
});
