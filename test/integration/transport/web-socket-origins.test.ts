/**
 * A browser shows its client certificate to every page that opens a WebSocket, and adds the page's `Origin`. A page of
 * another origin must not act as the user of the browser (RFC 6455, section 10.2).
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type ApiUsers, startApiUsers } from '../../support/api-users.ts';
import {
  apiService,
  apiServicesPath,
  createFrontProxyFiles,
  ExtensionBackend,
  type FrontProxyFiles,
  localService,
  valuesOf,
} from '../../support/extension-backend.ts';
import { Openssl, type OpensslPair } from '../../support/openssl.ts';

const group = 'agg.example.com';
const paths = {
  'a watch': '/api/v1/namespaces/default/configmaps?watch=true',
  'an aggregated API': `/apis/${group}/v1/namespaces/default/things/one/portforward`,
} as const;
const listed = 'https://ui.example.com';

let openssl: Openssl;
let files: FrontProxyFiles;
let users: ApiUsers;
let backend: ExtensionBackend;
let ca: string;
/** Of `jane` in the group `devs`, which may do everything here. */
let jane: OpensslPair;
beforeAll(async () => {
  openssl = await Openssl.open();
  const authority = await openssl.authority('client-ca');
  jane = await openssl.issue({ subject: '/O=devs/CN=jane', issuer: authority });
  files = await createFrontProxyFiles();
  const clientCa = await openssl.file('client-ca.crt', authority.certificate);
  const flags = [
    '--authorization-mode=RBAC',
    `--client-ca-file=${clientCa}`,
    `--cors-allowed-origins=^${listed.replaceAll('.', '\\.')}$`,
  ];
  users = await startApiUsers({}, [...flags, ...files.flags]);
  const kubeconfig = await readFile(users.kubeconfigPath, 'utf8');
  ca = Buffer.from(/certificate-authority-data: (\S+)/.exec(kubeconfig)![1]!, 'base64').toString();
  const rbac = 'rbac.authorization.k8s.io';
  await users.create(`/apis/${rbac}/v1/clusterrolebindings`, {
    metadata: { name: 'devs' },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: rbac, kind: 'Group', name: 'devs' }],
  });
  await users.create('/api/v1/namespaces/default/configmaps', { metadata: { name: 'seen' } });
  await users.create('/api/v1/namespaces/default/services', localService);
  backend = await ExtensionBackend.start({ files, http2: false });
  const server = new WebSocketServer({ noServer: true });
  backend.upgrade = (message: IncomingMessage, socket, head) =>
    server.handleUpgrade(message, socket, head, (webSocket) => webSocket.send('from the backend'));
  await users.create(apiServicesPath, apiService({ port: backend.port, spec: { caBundle: files.caBundle } }));
  await users.until('admin', 'GET', `/apis/${group}/v1`, ({ status }) => status === 200);
});
afterAll(async () => {
  await backend[Symbol.asyncDispose]();
  await users[Symbol.asyncDispose]();
  await files[Symbol.asyncDispose]();
  await openssl[Symbol.asyncDispose]();
});
beforeEach(() => void backend.received.splice(0));

/** As a browser does it for a page. @returns the first message; rejects when the WebSocket is not opened */
async function firstMessage(path: string, origin: string): Promise<string> {
  const client = new WebSocket(users.url.replace('https:', 'wss:') + path, {
    ca,
    cert: jane.certificate,
    key: jane.key,
    origin,
  });
  onTestFinished(() => client.terminate());
  const [message] = (await once(client, 'message')) as [Buffer];
  return String(message);
}

describe.each(['a watch', 'an aggregated API'] as const)(
  'a WebSocket for %s, with the client certificate of a browser',
  (what) => {
    const expected = what === 'a watch' ? /^\{"type":"ADDED".*"name":"seen"/ : /^from the backend$/;
    const upgrades = (): string[][] =>
      backend.received
        .filter(({ target }) => target === paths[what])
        .map((request) => valuesOf(request, 'x-remote-user'));

    test.each([
      { name: 'another host', origin: 'https://evil.example.com' },
      { name: 'a host that begins like a listed one', origin: `${listed}.evil.example.com` },
      { name: 'the same host without TLS', origin: 'http://127.0.0.1' },
      { name: 'an origin that is opaque', origin: 'null' },
    ])(
      'A WebSocket with a client certificate is refused for a page of $name, and goes to no other server',
      async ({ origin }) => {
        await expect(firstMessage(paths[what], origin)).rejects.toThrow('Unexpected server response: 403');
        expect(upgrades()).toEqual([]);
      },
    );

    test.each([
      { name: 'of the host that is asked', origin: () => users.url },
      { name: 'of a listed origin', origin: () => listed },
    ])('A WebSocket with a client certificate is opened for a page $name', async ({ origin }) => {
      expect(await firstMessage(paths[what], origin())).toMatch(expected);
      expect(upgrades()).toEqual(what === 'a watch' ? [] : [['jane']]);
    });
  },
);
