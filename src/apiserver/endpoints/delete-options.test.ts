import { describe, expect, test } from 'vitest';
import { codecs } from '../../api/codecs.ts';
import type { ApiRequest } from '../request/request.ts';
import type { EndpointContext } from './context.ts';
import { readDeleteOptions } from './delete-options.ts';
import type { ServedResource } from '../served/served-resource.ts';

interface Given {
  readonly query?: string;
  readonly body?: object | string;
  readonly silentDeletionWarning?: string;
}

function read({ query = '', body, silentDeletionWarning }: Given) {
  const warnings: string[] = [];
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const request = {
    query: new URLSearchParams(query),
    header: () => undefined,
    exchange: { readBody: async () => Buffer.from(text) },
    warn: (warning: string) => warnings.push(warning),
  } as unknown as ApiRequest;
  const context = { codecs, maxBodyBytes: 1_000_000 } as unknown as EndpointContext;
  const served = { store: { resource: { silentDeletionWarning } } } as unknown as ServedResource;
  return { options: readDeleteOptions(context, served, request), warnings };
}

describe('options of a DELETE', () => {
  test.each<{ name: string; given: Given; options: object }>([
    { name: 'are empty without query and body', given: {}, options: {} },
    {
      name: 'come from the query',
      given: { query: 'gracePeriodSeconds=5&propagationPolicy=Foreground&dryRun=All' },
      options: { gracePeriodSeconds: 5, propagationPolicy: 'Foreground', dryRun: ['All'] },
    },
    {
      name: 'have a flag from the query',
      given: { query: 'orphanDependents=true' },
      options: { orphanDependents: true },
    },
    {
      name: 'come from the body',
      given: { body: { gracePeriodSeconds: 7, preconditions: { uid: 'u' } } },
      options: { gracePeriodSeconds: 7, preconditions: { uid: 'u' } },
    },
    {
      name: 'come from the body alone when there is one',
      given: { body: { gracePeriodSeconds: 7 }, query: 'propagationPolicy=Orphan' },
      options: { gracePeriodSeconds: 7 },
    },
  ])('Options of a DELETE: $name', async ({ given, options }) => {
    expect(await read(given).options).toMatchObject(options);
    const { propagationPolicy } = await read(given).options;
    expect(propagationPolicy).toBe((options as { propagationPolicy?: string }).propagationPolicy);
  });

  test.each<{ name: string; given: Given; code: number; message: string }>([
    {
      name: 'a policy that there is not',
      given: { query: 'propagationPolicy=Never' },
      code: 422,
      message: 'propagationPolicy: Unsupported value: "Never": supported values: "Foreground", "Background", "Orphan"',
    },
    {
      name: 'a policy and its older form',
      given: { body: { propagationPolicy: 'Orphan', orphanDependents: true } },
      code: 422,
      message: 'orphanDependents and deletionPropagation cannot be both set',
    },
    {
      name: 'a dry run that there is not',
      given: { body: { dryRun: ['Some'] } },
      code: 422,
      message: 'dryRun: Unsupported value: []string{"Some"}',
    },
    {
      name: 'a period that is no number',
      given: { query: 'gracePeriodSeconds=x' },
      code: 400,
      message: 'invalid syntax',
    },
    {
      name: 'a body of another kind',
      given: { body: { kind: 'Pod', apiVersion: 'v1' } },
      code: 500,
      message: 'no kind "Pod" is registered for version "v1"',
    },
    { name: 'a body that is no JSON', given: { body: '{' }, code: 500, message: 'json parse error' },
  ])('Options of a DELETE are refused for $name', async ({ given, code, message }) => {
    await expect(read(given).options).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message) as string,
    });
  });

  test.each<{ name: string; query: string; warnings: string[] }>([
    { name: 'warn of a kind whose deletion says nothing', query: '', warnings: ['mind'] },
    { name: 'do not warn when a policy is named', query: 'propagationPolicy=Background', warnings: [] },
    { name: 'do not warn when its older form is', query: 'orphanDependents=false', warnings: [] },
  ])('Options of a DELETE: $name', async ({ query, warnings }) => {
    const under = read({ query, silentDeletionWarning: 'mind' });
    await under.options;
    expect(under.warnings).toEqual(warnings);
  });
});
