import { expect, test } from 'vitest';
import { codecs } from '../api/codecs.ts';
import { createClient } from './client.ts';
import type { Transport } from './transport/message.ts';

const typeMeta = { apiVersion: 'v1', kind: 'ConfigMap' };
const managedFields = [{ manager: 'm', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } }];
const object = { metadata: { name: 'a', managedFields }, data: { b: 'c' } };

const answers = {
  protobuf: {
    contentType: 'application/vnd.kubernetes.protobuf',
    body: codecs.of('core/v1.ConfigMap').encodeEnvelope(object, typeMeta),
  },
  JSON: { contentType: 'application/json', body: Buffer.from(JSON.stringify({ ...typeMeta, ...object })) },
};

const rows = Object.entries(answers).flatMap(([name, answer]) => [
  { name: `come in ${name}`, answer, options: {}, expected: managedFields },
  { name: `are left out of ${name}`, answer, options: { dropManagedFields: true }, expected: undefined },
]);

test.each(rows)('The managed fields of an answer $name', async ({ answer, options, expected }) => {
  const transport: Transport = {
    send: () =>
      Promise.resolve({
        status: 200,
        headers: new Map([['content-type', answer.contentType]]),
        body: (async function* () {
          yield answer.body;
        })(),
      }),
    close: () => Promise.resolve(),
  };
  const client = createClient({ url: 'http://127.0.0.1:1' }, { transport, ...options });
  const { metadata, data } = await client.core.v1.configmaps.namespace('n').get('a');
  expect(data).toEqual({ b: 'c' });
  expect(metadata.managedFields).toEqual(expected);
});
