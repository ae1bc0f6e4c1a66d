import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { goldenCases } from '../../../test/support/golden.ts';
import { schemas } from '../../../test/support/schemas.ts';
import { hasShared, sharedPath } from '../../../test/support/shared.ts';
import { createCodecs } from '../codec/index.ts';
import type { JsonObject } from '../value.ts';
import { JsonBody } from './body.ts';
import { readYaml } from './yaml.ts';

const codecs = createCodecs(schemas);
const available = hasShared('golden');

interface Refusal {
  name: string;
  body: string;
  yaml: boolean;
  message: string;
}

/**
 * Requests that the reference server refused because their body did not decode, with the decoder's part of the message.
 */
function refusals(): Refusal[] {
  if (!available) return [];
  const files = readdirSync(sharedPath('golden')).filter((name) => name.endsWith('.jsonl'));
  return files.flatMap((file) =>
    goldenCases(file).flatMap(({ name, steps }) =>
      steps.flatMap(({ request, response }, step) => {
        const message = /^\w+ in version "[^"]+" cannot be handled as an? \w+: (.*)$/s.exec(
          messageOf(response.body),
        )?.[1];
        const type = request.contentType;
        if (
          message === undefined ||
          message.startsWith('converting') ||
          request.method === 'PATCH' ||
          !/json|yaml/.test(type)
        )
          return [];
        return [
          {
            name: `${file} ${name} ${step}`,
            body: typeof request.body === 'string' ? request.body : JSON.stringify(request.body),
            yaml: type.includes('yaml'),
            message,
          },
        ];
      }),
    ),
  );
}

const messageOf = (body: unknown): string =>
  typeof body === 'object' && body !== null ? String((body as JsonObject)['message']) : '';

/** As the server does with `fieldValidation=Strict`. */
function decodeStrictly({ body, yaml }: Refusal): string {
  const document = yaml ? readYaml(Buffer.from(body)) : new JsonBody(Buffer.from(body));
  const { apiVersion, kind } = document.typeMeta();
  const typeId = schemas.ofKind(apiVersion, kind);
  if (typeId === undefined) return 'custom';
  const { problems } = codecs.of(typeId).fromJson(document);
  return problems.length === 0 ? 'decoded' : `strict decoding error: ${problems.join(', ')}`;
}

function outcome(refusal: Refusal): string {
  try {
    return decodeStrictly(refusal);
  } catch (error) {
    return (error as Error).message;
  }
}

describe.skipIf(!available)('bodies that do not decode (golden)', () => {
  const cases = refusals();

  test('The recordings have more than 25 bodies that do not decode', () => {
    expect(cases.length).toBeGreaterThan(25);
  });

  test.each(cases)('Bodies that do not decode: $name', (refusal) => {
    const result = outcome(refusal);
    if (result !== 'custom') expect(result).toBe(refusal.message);
  });
});
