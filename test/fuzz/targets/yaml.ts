import assert from 'node:assert/strict';
import { parseJson } from '../../../src/machinery/json/reader.ts';
import { stringifyJson } from '../../../src/machinery/json/writer.ts';
import { convertYaml, parseYaml, writeYaml } from '../../../src/machinery/json/yaml.ts';
import { attempt, expectWithin } from '../parts.ts';
import type { FuzzTarget } from '../target.ts';
import { yamlText } from '../yaml-text.ts';

/** Characters that one step of the conversion reads, at least. */
const stepLength = 16 * 1024;
/** Of text that aliases may repeat. */
const aliased = 3 * 1024 * 1024;

function convert(input: Buffer): Buffer | undefined {
  const steps = convertYaml(input);
  for (let count = 1; ; count++) {
    expectWithin(count, input.length / stepLength + 200, 'steps');
    const step = steps.next();
    if (step.done === true) return step.value.json;
  }
}

export const target: FuzzTarget = {
  about: 'YAML documents',
  runs: 3_000,
  generate: yamlText,
  check(input) {
    const json = attempt(() => convert(input), 'YamlError');
    const value = attempt(() => parseYaml(input).value, 'YamlError');
    if (json === undefined) return;
    expectWithin(json.length, 20 * input.length + aliased, 'bytes of JSON');
    const read = attempt(() => parseJson(json), 'JsonSyntaxError', 'JsonTypeError');
    if (value === undefined || read === undefined) return;
    // JSON has no integers beyond int64.
    assert.equal(stringifyJson(parseJson(stringifyJson(value))), stringifyJson(read));
    assert.equal(stringifyJson(parseYaml(writeYaml(value)).value), stringifyJson(value));
  },
};
