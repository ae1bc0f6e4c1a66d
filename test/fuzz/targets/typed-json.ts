import assert from 'node:assert/strict';
import { codecs } from '../../../src/api/codecs.ts';
import { schemas } from '../../../src/api/schemas.ts';
import { pick } from '../../support/random.ts';
import { ValueGenerator } from '../../support/random-values.ts';
import { attempt, changed, expectWithin, joined, outcome, parts } from '../parts.ts';
import { structIds } from '../types.ts';
import type { FuzzTarget } from '../target.ts';

const isJson = (bytes: Buffer): boolean => {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
};

export const target: FuzzTarget = {
  about: 'JSON of every type: the name of a type, NUL, the JSON',
  runs: 2_000,
  generate(random) {
    const id = pick(random, structIds);
    const value = new ValueGenerator(schemas, random, (type) => codecs.of(type).empty()).struct(id, 2);
    return joined(id, changed(random, codecs.of(id).toJson(value)));
  },
  check(input) {
    const [id, json] = parts(input);
    const codec = codecs.of(structIds.includes(id) ? id : 'core/v1.Pod');
    const { value: decoded, refusal } = outcome(() => codec.fromJson(json), 'JsonSyntaxError', 'JsonTypeError');
    // A depth that JSON.parse takes is a syntax error here.
    if (!isJson(json)) assert.equal(refusal?.name, 'JsonSyntaxError');
    else if (json.length < 10_000) assert.notEqual(refusal?.name, 'JsonSyntaxError');
    if (decoded === undefined) return;
    expectWithin(decoded.problems.length, 100, 'problems');
    const again = attempt(() => codec.toJson(decoded.value), 'EncodeError');
    if (again === undefined) return;
    const { value, problems } = codec.fromJson(again);
    assert.deepEqual(problems, []);
    assert.equal(codec.toJson(value).toString(), again.toString());
  },
};
