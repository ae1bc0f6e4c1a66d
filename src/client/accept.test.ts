import { expect, test } from 'vitest';
import { createClient } from './client.ts';
import type { Transport } from './transport/message.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';
const json = 'application/json';

test.each([
  {
    name: 'as they are sent when nothing is said',
    contentType: protobuf,
    accept: undefined,
    asked: `${protobuf},${json}`,
  },
  { name: 'as they are sent when an empty text is said', contentType: json, accept: '', asked: json },
  { name: 'as JSON beside protobuf that is sent', contentType: protobuf, accept: json, asked: json },
  { name: 'as protobuf beside JSON that is sent', contentType: json, accept: protobuf, asked: `${protobuf},${json}` },
])('Built-in types are asked for $name', async ({ contentType, accept, asked }) => {
  const seen: { accept?: string | undefined; sent?: string | undefined } = {};
  const transport: Transport = {
    send({ headers }) {
      const all = new Map(headers);
      seen.accept = all.get('accept');
      seen.sent = all.get('content-type');
      return Promise.reject(new Error('seen'));
    },
    close: () => Promise.resolve(),
  };
  const acceptContentTypes = accept === undefined ? {} : { acceptContentTypes: accept };
  const client = createClient({ url: 'http://127.0.0.1:1' }, { contentType, ...acceptContentTypes, transport });
  await expect(client.core.v1.configmaps.create({ metadata: { name: 'm', namespace: 'n' } })).rejects.toThrow('seen');
  expect(seen).toEqual({ accept: asked, sent: contentType });
});
