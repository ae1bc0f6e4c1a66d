/** A whole API server on an embedded store that the test can look into, and the requests of two users. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startControlPlane } from '../../src/cmd/control-plane.ts';
import { startApiServer } from '../../src/apiserver/api-server.ts';
import { serverConfig } from '../../src/cmd/start-api-server.ts';
import type { Logger } from '../../src/base/logger.ts';
import type { Store } from '../../src/storage/interface.ts';
import { openEmbeddedStore } from '../../src/storage/embedded/open.ts';
import type { LargeRequestLimits } from '../../src/apiserver/large-requests/limits.ts';
import { Client } from '../conformance/golden/client.ts';
import type { Handle } from './memory-exchange.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly text: string;
  readonly bytes: Buffer;
  /** The text as JSON. */
  json<T>(): T;
}

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly kubeconfigPath: string;
  /** PEM */
  readonly ca: string;
  /** What the server writes to, without what the test put around it. */
  readonly store: Store;
  /** The chain of the server, for requests without a connection. */
  readonly handle: Handle;
  /** As an administrator unless `user` is `alice`, a user in no group of the system. */
  send(
    method: string,
    path: string,
    options?: {
      readonly body?: unknown;
      readonly user?: 'admin' | 'alice';
      readonly headers?: Readonly<Record<string, string>>;
    },
  ): Promise<Answer>;
}

export interface TestServerOptions {
  /** What an earlier server has left; it stays open. Without it the data is new, and goes with the server. */
  readonly store?: Store;
  /** Whether to wait for what the server makes in the background too. */
  readonly settled?: boolean;
  readonly flags?: readonly string[];
  /** Silent when absent. */
  readonly log?: Logger;
  /** Of the machine that the server takes itself to be on. */
  readonly hostname?: string;
  /** For writes with large bodies. */
  readonly largeRequests?: Partial<LargeRequestLimits>;
  /** Puts something around the store. */
  readonly wrap?: (store: Store) => Store;
}

export async function startTestServer({
  flags = [],
  wrap = (store) => store,
  settled = false,
  store: given,
  log,
  largeRequests,
  hostname,
}: TestServerOptions = {}): Promise<TestServer> {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-server-'));
  const tokens = path.join(directory, 'tokens.csv');
  await writeFile(tokens, 'admintoken,admin,1,"system:masters"\nalicetoken,alice,2,"devs"\n');
  const store = given ?? (await openEmbeddedStore());
  let handle: Handle | undefined;
  const controlPlane = await startControlPlane(
    { flags: [`--token-auth-file=${tokens}`, ...flags], ...(log === undefined ? {} : { log }) },
    async (config) => {
      const server = await startApiServer({
        ...serverConfig(config, { main: wrap(store), overrides: new Map() }),
        ...(largeRequests === undefined ? {} : { largeRequests }),
        hostname,
      });
      ({ handle } = server);
      return {
        url: `https://127.0.0.1:${server.port}`,
        ready: settled ? server.settled : server.bootstrapped,
        handle: server.handle,
        close: () => server.close(),
      };
    },
  );
  const ca = Buffer.from(/certificate-authority-data: (\S+)/.exec(controlPlane.kubeconfig)![1]!, 'base64').toString();
  const client = new Client(Number(new URL(controlPlane.url).port), ca);
  return {
    url: controlPlane.url,
    kubeconfigPath: controlPlane.kubeconfigPath,
    ca,
    store,
    handle: handle!,
    async send(method, target, { body, user = 'admin', headers = {} } = {}) {
      const response = await client.send({
        method,
        path: target,
        headers: {
          authorization: `Bearer ${user}token`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)) }),
      });
      const text = response.body.toString();
      return {
        status: response.status,
        headers: response.headers,
        text,
        bytes: response.body,
        json: <T>() => JSON.parse(text) as T,
      };
    },
    async [Symbol.asyncDispose]() {
      client.close();
      await controlPlane.close();
      if (given === undefined) await store[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}
