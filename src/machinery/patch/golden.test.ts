import { describe, expect, test } from 'vitest';
import { answeredObject, goldenCases, hasGolden, type GoldenStep } from '../../../test/support/golden.ts';
import { schemas } from '../../../test/support/schemas.ts';
import type { StatusError } from '../status.ts';
import { goQuote } from '../go-quote.ts';
import { createJsonEncoder } from '../managed-fields/index.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';
import { decodeJsonPatch } from './json-patch-document.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch, decodeMergePatch } from './merge-patch.ts';
import { createStrategicMerge, decodeStrategicMergePatch } from './strategic-merge.ts';
import { patchedText, patchText } from './texts.ts';

/**
 * The recorded patches of the reference server, applied to the recorded object before each. What the server does
 * besides patching (defaults, allocation, versions, validation) is left out of the comparison.
 */
const decidedElsewhere: Readonly<Record<string, string>> = {
  'merge-lists-replaced, step 3': 'admission adds tolerations',
  'strategic-atomic-lists, step 2': 'admission adds tolerations',
  'patch-status, step 1': 'the status subresource ignores spec',
  'patch-status, step 4': 'the status subresource ignores labels',
  'csr-create, step 3': 'the approval subresource sets times',
  'unknown-json-patch, step 1': 'decoding drops unknown members',
  'unknown-json-patch, step 2': 'decoding drops unknown members',
  'unknown-strategic-patch, step 1': 'decoding drops unknown members',
  'unknown-strategic-patch, step 2': 'decoding drops unknown members',
  'warnings-pod-security, step 3': 'admission and defaults add members',
};

describe.skipIf(!hasGolden)('recorded patches (skipped where the recordings are absent)', () => {
  const strategic = createStrategicMerge(schemas);
  const toJsonForm = createJsonEncoder(schemas);

  const patchers: Record<string, (current: JsonObject, body: JsonValue) => JsonValue> = {
    'application/json-patch+json': (current, body) => applyJsonPatch(current, decodeJsonPatch(body, 'Warn').operations),
    'application/merge-patch+json': (current, body) => applyMergePatch(current, decodeMergePatch(body, 'Warn')),
    'application/strategic-merge-patch+json': (current, body) =>
      strategic.apply(
        current,
        decodeStrategicMergePatch(body),
        schemas.ofKind(current['apiVersion'] as string, current['kind'] as string)!,
      ),
  };
  const files = hasGolden
    ? [
        'protocol-patches.jsonl',
        'protocol-subresources.jsonl',
        'protocol-validation.jsonl',
        'kinds-pod.jsonl',
        'kinds-workloads.jsonl',
      ]
    : [];
  const patches = files.flatMap((file) => goldenCases(file)).flatMap(({ name, steps }) => patchSteps(name, steps));

  test.each(patches)('Recorded patches: $title', ({ current, step }) => {
    const { request, response } = step;
    const patch = patchers[request.contentType]!;
    const answer = response.body as JsonObject;
    const shown = shownText(answer);
    if (shown !== undefined)
      expect(goQuote(unescaped(textOf(step, patch(inJsonForm(current), request.body!))))).toBe(shown);
    else if (response.status === 200)
      expect(server(answer)).toMatchObject(server(withoutNulls(patch(current, request.body!)) as JsonObject));
    else
      expect(statusOf(() => patch(current, request.body!))).toMatchObject({
        code: answer['code'],
        message: answer['message'],
        reason: answer['reason'] ?? '',
      });
  });

  /** As the server would encode it: the order of members shows in messages. */
  function inJsonForm(object: JsonObject): JsonObject {
    return toJsonForm(object, schemas.ofKind(object['apiVersion'] as string, object['kind'] as string)!);
  }

  /** Steps that patch an object whose state is known, where the answer is the patch's own. */
  function patchSteps(name: string, steps: readonly GoldenStep[]) {
    let current: JsonObject | undefined;
    const found: { title: string; current: JsonObject; step: GoldenStep }[] = [];
    steps.forEach((step, index) => {
      const { request, response } = step;
      const isPatch = request.method === 'PATCH' && request.contentType in patchers && typeof request.body === 'object';
      const title = `${name}, step ${index}`;
      if (isPatch && current !== undefined && isAnsweredByPatch(step) && !(title in decidedElsewhere)) {
        found.push({ title: `${title}: ${request.contentType} ${response.status}`, current, step });
      }
      current = answeredObject(step) ?? current;
    });
    return found;
  }
});

/** Other steps are answered after patching: by decoding, validation, identity or version checks. */
function isAnsweredByPatch({ request, response }: GoldenStep): boolean {
  const message = (response.body as JsonObject | undefined)?.['message'];
  if (request.path.includes('/scale')) return false;
  if (response.status === 200) return true;
  return (
    typeof message === 'string' &&
    /^(the server rejected|error decoding patch|invalid patch format|Invalid JSON|map: | "" is invalid: patch: )/.test(
      message,
    )
  );
}

/** The quoted value in `"" is invalid: patch: Invalid value: "…": …`. */
const shownText = (answer: JsonObject): string | undefined =>
  / "" is invalid: patch: Invalid value: ("(?:[^"\\]|\\.)*")/.exec(String(answer['message'] ?? ''))?.[1];

const textOf = ({ request }: GoldenStep, patched: JsonValue): string =>
  request.contentType.startsWith('application/strategic')
    ? patchText(request.body as JsonObject)
    : patchedText(patched);

/** Placeholders of the recording stand for texts without HTML. */
const unescaped = (text: string): string => text.replaceAll('\\u003c', '<').replaceAll('\\u003e', '>');

function statusOf(run: () => unknown): StatusError {
  try {
    run();
  } catch (error) {
    return error as StatusError;
  }
  throw new Error('did not throw');
}

/** Without what the server owns, and without what is empty: typed objects do not tell it from absent. */
function server(object: JsonObject): JsonObject {
  const { metadata, status: _status, ...rest } = object;
  const {
    resourceVersion: _,
    managedFields: __,
    generation: ___,
    creationTimestamp: ____,
    ...meta
  } = metadata as JsonObject;
  return withoutEmpty({ ...rest, metadata: meta }) as JsonObject;
}

function withoutEmpty(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => withoutEmpty(item) ?? null);
  if (!isObject(value)) return value === '' ? undefined : value;
  const members = Object.entries(value)
    .map(([key, member]) => [key, withoutEmpty(member!)] as const)
    .filter(([, member]) => member !== undefined);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null && member !== undefined)
      .map(([key, member]) => [key, withoutNulls(member!)]),
  );
}
