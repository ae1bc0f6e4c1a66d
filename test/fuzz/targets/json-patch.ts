import { decodeJsonPatch } from '../../../src/machinery/patch/json-patch-document.ts';
import { applyJsonPatch } from '../../../src/machinery/patch/json-patch.ts';
import { stringifyJson } from '../../../src/machinery/json/writer.ts';
import type { JsonValue } from '../../../src/machinery/value.ts';
import { pick, randomInt, randomJson, randomObject, type RandomSource } from '../../support/random.ts';
import { changed, expectWithin } from '../parts.ts';
import { applyPatch } from '../patches.ts';
import type { FuzzTarget } from '../target.ts';

const keys = [
  'a',
  'b',
  'c',
  'd~1e',
  'f~0g',
  '0',
  '1',
  '-',
  '-1',
  '10',
  'toString',
  '__proto__',
  'ü',
  '',
  '99999999999999999999',
  '+0',
];

/** Places that are there, and one more step from them. */
function pathsIn(value: JsonValue | undefined, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  const below = Object.entries(value).flatMap(([key, member]) =>
    pathsIn(member, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
  return [path, `${path}/${Array.isArray(value) ? '-' : 'new'}`, ...below];
}

function operation(random: RandomSource, paths: readonly string[]): object {
  const path = (): string =>
    random() < 0.9
      ? pick(random, paths)
      : Array.from({ length: randomInt(random, 5) }, () => `/${pick(random, keys)}`).join('');
  return {
    op: pick(random, [
      'add',
      'add',
      'remove',
      'replace',
      'move',
      'copy',
      'copy',
      ...(random() < 0.2 ? ['test', 'odd'] : []),
    ]),
    path: path(),
    from: path(),
    ...(random() < 0.8 ? { value: randomJson(random, 3) } : {}),
  };
}

export const target: FuzzTarget = {
  about: 'JSON patches: a list of the document and the patch',
  runs: 4_000,
  generate(random) {
    const document = randomObject(random, 4);
    const paths = pathsIn(document);
    const patch = Array.from({ length: 1 + randomInt(random, 4) }, () => operation(random, paths));
    return changed(random, Buffer.from(JSON.stringify([document, patch])));
  },
  check(input) {
    applyPatch(input, (document, patch) => {
      const { operations, problems } = decodeJsonPatch(patch, 'Warn');
      expectWithin(problems.join().length, 40 * input.length + 100, 'characters of problems');
      const result = applyJsonPatch(document, operations, { maxCopyBytes: 10_000 });
      expectWithin(stringifyJson(result).length, 12 * input.length + 20_000, 'characters of the result');
      return result;
    });
    // What is copied again and again is counted.
    applyPatch(input, (document, patch) =>
      applyJsonPatch(document, decodeJsonPatch(patch, 'Ignore').operations, { maxCopyBytes: 0 }),
    );
  },
};
