/**
 * The work that one request causes grows no faster than its length.
 *
 * The cases come from the schema of the API (`test/complexity/`). Here a sample of them is run, and those that once
 * were slower; `npm run bench -- complexity` runs all of them.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answeredCases, type Case, storedCases } from '../complexity/cases.ts';
import { endpointCases } from '../complexity/endpoints.ts';
import { largestExponent, measureGrowth } from '../complexity/growth.ts';
import { ComplexityServer } from '../complexity/server.ts';
import { WorkCounter } from '../complexity/work-counter.ts';

/** Bytes of the largest request of a case. */
const size = 32_000;
const sampleSize = 150;

let server: ComplexityServer;
let counter: WorkCounter;
beforeAll(async () => {
  server = await ComplexityServer.start();
  counter = await WorkCounter.open();
});
afterAll(async () => {
  await counter[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const all = [...storedCases(), ...answeredCases(), ...endpointCases()];
const named = new Map(all.map((one) => [one.name, one]));

/** In an order that has nothing to do with their names, but is the same each time. */
const seed = process.env['ORCH_COMPLEXITY_SEED'] ?? '1';
const rank = ({ name }: Case): string =>
  createHash('sha256')
    .update(seed + name)
    .digest('hex');
const sample = all
  .map((one) => ({ one, rank: rank(one) }))
  .sort((a, b) => (a.rank < b.rank ? -1 : 1))
  .slice(0, sampleSize)
  .map(({ one }) => one);

/** Each took more than linear time once. */
const onceSlow = [
  'v1 pods spec.initContainers[].ports[] equal create json',
  'v1 pods spec.initContainers[].ports[] equal apply yaml',
  'v1 pods spec.initContainers[].env[] wrong create json',
  'v1 pods spec.initContainers[].env[] equal create json',
  'v1 pods spec.topologySpreadConstraints[] equal create json',
  'v1 pods spec.hostAliases[] equal create json',
  'v1 pods spec.imagePullSecrets[] equal create protobuf',
  'v1 pods spec.resources.claims[] different create json',
  'v1 pods spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[] equal create json',
  'v1 persistentvolumes spec.nodeAffinity.required.nodeSelectorTerms[].matchExpressions[] warned create json',
  'v1 resourcequotas spec.scopes[] equal create json',
  'v1 configmaps metadata.labels{} wrong create json',
  'v1 configmaps metadata.finalizers[] different apply json',
  'role: a product of rights',
  'schema: list keys',
  'header: impersonated extra, one name',
  'header: impersonated extra, many names',
  'query of a list: label selector of bad names',
];

async function expectLinear(one: Case): Promise<void> {
  const growth = await measureGrowth(server, counter, one, size);
  if (growth === undefined) return;
  expect(growth.exponent, `the exponent of growth; what grew most: ${growth.grown}`).toBeLessThanOrEqual(
    largestExponent,
  );
}

describe('requests that once took more than linear work', () => {
  test.each(onceSlow)('Requests that once took more than linear work: %s is linear', async (name) => {
    const one = named.get(name);
    if (one === undefined) throw new Error('there is no such case');
    await expectLinear(one);
  });
});

describe('a sample of what the schema allows', () => {
  test.each(sample)('A sample of what the schema allows: $name is linear', expectLinear);
});
