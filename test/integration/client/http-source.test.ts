/** The HTTP source of informers, against a server. */
import { Agent, fetch } from 'undici';
import { HttpSource } from '../../../src/client/http-source.ts';
import type { HttpFetch } from '../../../src/client/http-fetch.ts';
import type { KubeObject } from '../../../src/machinery/object-meta.ts';
import { describeSourceContract, type SourceFixture } from '../../../src/reconcile/testing/source-contract.ts';
import { startTestServer, type Answer } from '../../support/test-server.ts';

interface Resource {
  readonly collection: string;
  readonly namespace: string;
  /** What an object of it needs beside its metadata. */
  readonly content?: object;
}

async function open(
  { collection, namespace, content }: Resource,
  pageSize: number,
): Promise<SourceFixture<KubeObject>> {
  const server = await startTestServer();
  const dispatcher = new Agent({ connect: { ca: server.ca, servername: 'localhost' } });
  const connections = new Set<AbortController>();
  const send: HttpFetch = (path, { headers, signal }) => {
    const connection = new AbortController();
    connections.add(connection);
    return fetch(server.url + path, {
      dispatcher,
      headers: { ...headers, authorization: 'Bearer admintoken' },
      signal: AbortSignal.any([signal, connection.signal]),
    });
  };
  const versionIn = (answer: Answer): string => {
    if (answer.status >= 300) throw new Error(answer.text);
    return answer.json<KubeObject>().metadata!.resourceVersion!;
  };
  const patch = async (name: string, body: object): Promise<string> => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    return versionIn(await server.send('PATCH', `${collection}/${name}`, { body, headers }));
  };
  // What the server has seen before is forgotten; the resource has not been used yet.
  const { revision } = await server.store.get('/');
  await server.store.compact(revision);
  let updates = 0;
  return {
    source: new HttpSource({ fetch: send, path: collection, pageSize }),
    namespace,
    create: async (name, labels = {}) =>
      versionIn(await server.send('POST', collection, { body: { metadata: { name, labels }, ...content } })),
    update: (name) => patch(name, { metadata: { annotations: { update: String(++updates) } } }),
    async remove(name) {
      // The answer of a deletion does not tell its version: that of the next write is one later.
      await server.send('DELETE', `${collection}/${name}`);
      return versionIn(await server.send('GET', collection));
    },
    expiredVersion: () => Promise.resolve('1'),
    breakWatches() {
      for (const connection of connections) connection.abort(new Error('the connection broke'));
      connections.clear();
    },
    async [Symbol.asyncDispose]() {
      await dispatcher.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

const secrets: Resource = { collection: '/api/v1/namespaces/default/secrets', namespace: 'default' };
const classes: Resource = {
  collection: '/apis/storage.k8s.io/v1/storageclasses',
  namespace: '',
  content: { provisioner: 'example.com/none' },
};

describeSourceContract('an API server over HTTP, in pages of 2', () => open(secrets, 2));
describeSourceContract('an API server over HTTP, in one page', () => open(secrets, 500));
describeSourceContract('an API server over HTTP, of a cluster-wide resource', () => open(classes, 500));
