import { codecs } from '../../../src/api/codecs.ts';
import { schemas } from '../../../src/api/schemas.ts';
import { stringifyJson } from '../../../src/machinery/json/writer.ts';
import { createStrategicMerge, decodeStrategicMergePatch } from '../../../src/machinery/patch/strategic-merge.ts';
import type { JsonObject, JsonValue } from '../../../src/machinery/value.ts';
import { pick, randomInt, type RandomSource } from '../../support/random.ts';
import { ValueGenerator } from '../../support/random-values.ts';
import { changed, expectWithin } from '../parts.ts';
import { applyPatch } from '../patches.ts';
import type { FuzzTarget } from '../target.ts';

const merge = createStrategicMerge(schemas);
const typeId = 'core/v1.Pod';

const object = (random: RandomSource): JsonObject =>
  JSON.parse(
    codecs
      .of(typeId)
      .toJson(new ValueGenerator(schemas, random, (id) => codecs.of(id).empty()).struct(typeId, 3))
      .toString(),
  ) as JsonObject;

/** Directives where they may stand, and where they may not. */
function direct(random: RandomSource, value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return random() < 0.05 ? null : value;
  if (Array.isArray(value))
    return [
      ...value.map((item) => direct(random, item) ?? null),
      ...(random() < 0.15 ? [{ $patch: pick(random, ['replace', 'delete', 'merge', 'odd', 5]) }] : []),
    ];
  const members = Object.entries(value).map(([key, member]): [string, JsonValue | undefined] => [
    key,
    direct(random, member),
  ]);
  const more = members.flatMap(([key, member]): [string, JsonValue | undefined][] => {
    if (random() > 0.15) return [];
    const list = Array.isArray(member) ? member : [member ?? null];
    return [
      [
        `${pick(random, ['$setElementOrder/', '$deleteFromPrimitiveList/', '$setElementOrder', '$odd/'])}${key}`,
        list.slice(0, randomInt(random, 4)),
      ],
    ];
  });
  if (random() < 0.1)
    more.push(
      ['$retainKeys', members.slice(0, 2).map(([key]) => key)],
      ['$patch', pick(random, ['replace', 'delete', 'merge', 'odd', 5])],
    );
  return Object.fromEntries([...members, ...more]);
}

export const target: FuzzTarget = {
  about: 'strategic merge patches of pods: a list of the document and the patch',
  runs: 1_500,
  generate: (random) => changed(random, Buffer.from(JSON.stringify([object(random), direct(random, object(random))]))),
  check(input) {
    const result = applyPatch(input, (document, patch) =>
      merge.apply(document, decodeStrategicMergePatch(patch), typeId),
    );
    if (result !== undefined) expectWithin(stringifyJson(result).length, 6 * input.length, 'characters of the result');
  },
};
