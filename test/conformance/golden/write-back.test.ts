/**
 * Each object of the recordings, made, read, and sent back: an update that changes nothing writes nothing, whatever the
 * object has, and neither does a configuration that is applied again. In between it lay in the store, where it looks
 * different from what a client sends.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasShared, sharedPath } from '../../support/shared.ts';
import type { PlainResponse } from './client.ts';
import type { RecordedStep } from './recording.ts';
import { joined } from '../../support/patterns.ts';
import { type GoldenServer, startGoldenServer } from './server.ts';

interface Made {
  readonly name: string;
  readonly path: string;
  readonly body: Record<string, unknown>;
}

/**
 * A strategic patch tells ports apart by their number alone, and cannot look into data without a type; upstream
 * neither.
 */
const notStrategic = /^(Service node-port-same-number-two-protocols|ControllerRevision .*)$/;

/**
 * What is added to a list or takes away from one is another object; members without a type are no configuration; and a
 * topology counts as a change before it is dropped.
 */
const notApplied = joined(
  /^(Node pod-cidr-mismatch|Service headless-no-selector-v6)$/,
  /|^((Pod|Deployment) unknown-field-warns|EndpointSlice (rich|topology-many))$/,
);

/** Bodies that could be created, of kinds that have a name to be replaced by. */
function recordedObjects(): Made[] {
  const files = readdirSync(sharedPath('golden')).filter((file) => file.startsWith('kinds-'));
  return files.flatMap((file) =>
    readFileSync(sharedPath('golden', file), 'utf8')
      .trimEnd()
      .split('\n')
      .flatMap((line) => {
        const { kind, name, steps } = JSON.parse(line) as { kind: string; name: string; steps: RecordedStep[] };
        const { request, response } = steps[0]!;
        const { path, body } = request as { path: string; body?: Record<string, unknown> };
        const object = response.body as { metadata?: { name?: string } } | undefined;
        // Addresses of a node are compared when it is changed; definitions go at their own time, and the next of a name
        // would meet them.
        if (kind === 'CustomResourceDefinition' || (kind === 'Node' && name === 'address-duplicate')) return [];
        const isPlain =
          request.method === 'POST' &&
          response.status === 201 &&
          !path.includes('?') &&
          object?.metadata?.name !== undefined;
        return isPlain &&
          body !== undefined &&
          !/\$\(|<\w/.test(JSON.stringify(body)) &&
          !/\/(token|binding|eviction)$/.test(path) &&
          kind !== 'CustomResource'
          ? [{ name: `${kind} ${name}`, path, body }]
          : [];
      }),
  );
}

describe.skipIf(!hasShared('golden'))(
  'an object that is sent back as it was read is not written (skipped where the recordings are absent)',
  () => {
    let server: GoldenServer;
    beforeAll(async () => {
      server = await startGoldenServer('embedded');
    });
    afterAll(() => server.close());

    const send = async (
      method: string,
      path: string,
      body?: unknown,
      patch = 'merge',
    ): Promise<{
      readonly status: number;
      readonly object: { readonly metadata: { readonly name: string; resourceVersion?: string } };
    }> => {
      const headers = {
        authorization: 'Bearer admintoken',
        'content-type':
          method === 'PATCH' ? `application/${patch}-patch+${patch === 'apply' ? 'yaml' : 'json'}` : 'application/json',
      };
      const { status, body: answer }: PlainResponse = await server.client.send({
        method,
        path,
        headers,
        ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
      });
      return { status, object: JSON.parse(answer.toString()) as never };
    };

    test.each(hasShared('golden') ? recordedObjects() : [])('Written back: $name', async ({ name, path, body }) => {
      const made = await send('POST', path, body);
      expect(made).toMatchObject({ status: 201 });
      const item = `${path}/${made.object.metadata.name}`;
      try {
        const { object } = await send('GET', item);
        expect(await send('PUT', item, object)).toEqual({ status: 200, object });
        const { resourceVersion: _, ...metadata } = object.metadata;
        expect((await send('GET', item)).object.metadata).toEqual(object.metadata);
        expect(await send('PATCH', item, { ...object, metadata })).toEqual({ status: 200, object });
        if (!notStrategic.test(name))
          expect(await send('PATCH', item, { ...object, metadata }, 'strategic-merge')).toEqual({
            status: 200,
            object,
          });
        const status = await send('PUT', `${item}/status`, object);
        if (status.status !== 404) expect(status).toEqual({ status: 200, object });
        if (notApplied.test(name)) return;
        const configuration = {
          ...body,
          metadata: { ...(body['metadata'] as object), name: made.object.metadata.name },
        };
        const applied = await send('PATCH', `${item}?fieldManager=applier&force=true`, configuration, 'apply');
        expect(applied).toMatchObject({ status: 200 });
        expect(await send('PATCH', `${item}?fieldManager=applier&force=true`, configuration, 'apply')).toEqual(applied);
      } finally {
        await send('PATCH', item, { metadata: { finalizers: null } });
        await send('DELETE', `${item}?gracePeriodSeconds=0&propagationPolicy=Background`);
        if (path === '/api/v1/namespaces')
          await send('PUT', `${item}/finalize`, { metadata: { name: made.object.metadata.name }, spec: {} });
      }
    });
  },
);
