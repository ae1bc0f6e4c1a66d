/**
 * What is remembered for the next time is bounded in bytes, and keeps no more of a request than the text that it is
 * about. Each row fills one of the caches with what clients can send.
 */
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { quantityOf } from '../../src/api/core/resources/quantities.ts';
import { evaluatePod } from '../../src/apiserver/admission/pod-security/evaluate.ts';
import { allMetrics, MetricRegistry } from '../../src/server/metrics/metric-registry.ts';
import { RequestMetrics } from '../../src/apiserver/metrics/request-metrics.ts';
import { parseAccept } from '../../src/apiserver/request/negotiation.ts';
import type { ApiResponse } from '../../src/server/exchange.ts';
import type { ApiRequest } from '../../src/apiserver/request/request.ts';
import { AnswerCache } from '../../src/auth/authorization/webhook/answer-cache.ts';
import { cachedTokens } from '../../src/auth/authentication/token-cache.ts';
import { createRestClientMetrics } from '../../src/server/metrics/rest-client-metrics.ts';
import { heapGrowth } from '../../src/base/testing/heap.ts';
import { envelopeHead } from '../../src/machinery/codec/envelope.ts';
import { typeMetaMembers } from '../../src/machinery/codec/json-literals.ts';
import { parseFieldsText } from '../../src/machinery/managed-fields/fields-v1.ts';
import { fieldElement, keyElement, valueElement } from '../../src/machinery/managed-fields/path-element.ts';
import { canonicalQuantity } from '../../src/machinery/quantity.ts';
import { regexCache } from '../../src/machinery/regex-cache.ts';
import { OwnValues } from '../../src/registry/generic/storage-codec.ts';
import { LabelIndex } from '../../src/storage/cache/label-index.ts';
import { OwnWrites } from '../../src/storage/cache/own-writes.ts';
import { createAttributesInterning } from '../../src/storage/attributes-interning.ts';
import type { StoredObject } from '../../src/storage/objects.ts';

const metrics = new RequestMetrics(new MetricRegistry(allMetrics), { knows: () => 'nothing' });
const request = (resource: string): ApiRequest =>
  ({
    info: {
      isResourceRequest: true,
      verb: 'get',
      group: '',
      version: 'v1',
      resource,
      subresource: '',
      namespace: '',
      name: '',
      path: '/',
    },
    query: new URLSearchParams(),
  }) as unknown as ApiRequest;
const answers = new AnswerCache<{ readonly reason: string }>(({ reason }) => reason.length);
const share = createAttributesInterning();
const attributes = (text: string) =>
  share(`/registry/pods/${text}`, { namespace: text, name: text, labels: new Map([[text, text]]), fields: new Map() });
const labels = new LabelIndex();
const ownValues = new OwnValues();
const ownWrites = new OwnWrites();
const tokens = cachedTokens({
  tokens: { name: 'own', authenticateToken: (token) => ({ user: { name: token, groups: [token] } }) },
  successTtlMs: 60_000,
  failureTtlMs: 0,
});
const calls = createRestClientMetrics(new Registry());
const stored = (i: number, bytes: number) =>
  ({
    key: `/registry/pods/p-${i}`,
    revision: i,
    bytes: Buffer.alloc(bytes),
    attributes: {},
    representations: undefined,
  }) as unknown as StoredObject;

/** Thirty characters, cut from a text of 2 MB. */
const pieceOf = (i: number): string =>
  (Buffer.alloc(2_000_000, 'x').toString('latin1') + String(i).padStart(30, 'a')).slice(-30);
const long = (i: number): string => Buffer.alloc(200_000, String(i).padStart(20, 'a')).toString('latin1');

const pieces: readonly { name: string; keep: (text: string, i: number) => unknown }[] = [
  { name: 'field of an object', keep: (text) => fieldElement(text).memberName },
  { name: 'key of a list', keep: (text) => keyElement([[text, text]]).memberName },
  { name: 'item of a set', keep: (text) => valueElement(text).memberName },
  {
    name: 'FieldsV1',
    keep: (_, i) =>
      parseFieldsText(`{"f:${pieceOf(i)}":{}}${Buffer.alloc(2_000_000, ' ').toString('latin1')}`.slice(0, 41)),
  },
  { name: 'quantity', keep: (_, i) => canonicalQuantity(pieceOf(i).replaceAll('a', '1').slice(-20)) },
  { name: 'quantity of an object', keep: (_, i) => quantityOf(pieceOf(i).replaceAll('a', '1').slice(-20)) },
  { name: 'kind in an envelope', keep: (text) => envelopeHead('v1', text) },
  { name: 'kind in JSON', keep: (text) => typeMetaMembers({ kind: text, apiVersion: 'v1' }) },
  { name: 'pattern', keep: (text) => regexCache.get(text) },
  { name: 'index attributes', keep: attributes },
  { name: 'label of a selector', keep: (text) => labels.find(new Map([[text, 'v']]), () => undefined) },
  { name: 'Accept header', keep: (text) => parseAccept(text) },
  {
    name: 'resource in a metric',
    keep: (text) => metrics.observe(request(text), { status: 404, headers: {} } as ApiResponse, 0.1, undefined),
  },
  { name: 'review of an authorization', keep: (text) => answers.set(text, { reason: '' }, 60_000) },
];

describe('memory that keeps a piece of a request does not keep the request', () => {
  test.each(pieces)('Memory that keeps a piece of a request does not keep the request: $name', ({ keep }) => {
    keep(pieceOf(999), 999); // what is made once
    const grown = heapGrowth(() => {
      for (let i = 0; i < 20; i++) keep(pieceOf(i), i);
    });
    expect(grown).toBeLessThan(10_000_000);
  });
});

const floods: readonly { name: string; count: number; keep: (i: number) => unknown }[] = [
  { name: 'fields of objects', count: 500, keep: (i) => fieldElement(long(i)).memberName },
  { name: 'keys of lists', count: 500, keep: (i) => keyElement([['name', long(i)]]).memberName },
  { name: 'FieldsV1', count: 500, keep: (i) => parseFieldsText(`{"f:${long(i)}":{}}`) },
  {
    name: 'FieldsV1 of many fields',
    count: 500,
    keep: (i) => parseFieldsText(`{${Array.from({ length: 500 }, (_, j) => `"f:${i}-${j}":{}`).join()}}`),
  },
  {
    name: 'kinds',
    count: 500,
    keep: (i) => [envelopeHead('v1', long(i)), typeMetaMembers({ kind: long(i), apiVersion: 'v1' })],
  },
  { name: 'index attributes', count: 500, keep: (i) => attributes(long(i)) && undefined },
  { name: 'labels of selectors', count: 500, keep: (i) => labels.find(new Map([[long(i), 'v']]), () => undefined) },
  { name: 'Accept headers', count: 500, keep: (i) => parseAccept(`${long(i)},${'text/plain,'.repeat(1000)}`) },
  {
    name: 'resources in metrics',
    count: 500,
    keep: (i) => metrics.observe(request(long(i)), { status: 404, headers: {} } as ApiResponse, 0.1, undefined),
  },
  { name: 'reviews of authorization', count: 500, keep: (i) => answers.set(long(i), { reason: '' }, 60_000) },
  { name: 'reasons of authorization', count: 500, keep: (i) => answers.set(String(i), { reason: long(i) }, 60_000) },
  { name: 'owners of tokens', count: 500, keep: (i) => tokens.authenticateToken(long(i), []) },
  {
    name: 'values that were just written',
    count: 200,
    keep: (i) => ownValues.add(`/registry/configmaps/c-${i}`, Buffer.alloc(1_000_000)),
  },
  { name: 'objects that were just written', count: 200, keep: (i) => ownWrites.add(stored(i, 1_000_000)) },
  {
    name: 'versions of the pod security standards',
    count: 200_000,
    keep: (i) => evaluatePod({ level: 'baseline', version: i }, { metadata: undefined, spec: { containers: [] } }),
  },
  { name: 'hosts of webhooks', count: 20_000, keep: (i) => calls.begins(`host-${i}.example`, 1) },
];

describe('memory for what clients send has an end', () => {
  test.each(floods)('Memory for what clients send has an end: $name', ({ count, keep }) => {
    keep(0);
    const grown = heapGrowth(() => {
      for (let i = 1; i <= count; i++) keep(i);
    });
    expect(grown).toBeLessThan(50_000_000);
  });
});
