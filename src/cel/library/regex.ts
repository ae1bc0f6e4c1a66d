/**
 * Parts of texts. @see {@link https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-regex-library | Kubernetes
 * regex library}
 */
import { type Library, memberOverload } from '../check/declarations.ts';
import * as estimates from '../cost/call-estimates.ts';
import { matches } from '../cost/sizes.ts';
import { ArrayList, CelError, type Value } from '../values/values.ts';
import { pattern } from './patterns.ts';
import { I, S, strings } from './signatures.ts';

function find(text: string, expression: string): Value {
  const compiled = pattern(expression);
  return compiled instanceof CelError ? compiled : (compiled.find(text) ?? '');
}

function findAll(text: string, expression: string, limit: number | bigint = -1): Value {
  const compiled = pattern(expression);
  return compiled instanceof CelError
    ? compiled
    : new ArrayList(compiled.findAll(text, limit < 0 ? -1 : Number(limit)));
}

const searching = { cost: matches as (...args: Value[]) => number, estimate: estimates.finds };

export const regex: Library = {
  functions: [
    { name: 'find', overloads: [memberOverload('string_find_string', [S, S], S, find, searching)] },
    {
      name: 'findAll',
      overloads: [
        memberOverload('string_find_all_string', [S, S], strings, findAll, searching),
        memberOverload('string_find_all_string_int', [S, S, I], strings, findAll, searching),
      ],
    },
  ],
};
