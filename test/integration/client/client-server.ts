/** A server with a client of its administrator, for the tests of the client. */
import { type Client, type ClientOptions, createClient } from '../../../src/client/client.ts';
import type { ClientConfig } from '../../../src/client/client-config.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../../support/test-server.ts';

export interface ClientServer extends AsyncDisposable {
  readonly server: TestServer;
  readonly client: Client;
  readonly config: ClientConfig;
  /** Another client, closed with the server. */
  connect(options?: ClientOptions, config?: Partial<ClientConfig>): Client;
}

export async function startClientServer(options: TestServerOptions = {}): Promise<ClientServer> {
  const server = await startTestServer(options);
  const config: ClientConfig = {
    url: server.url,
    ca: server.ca,
    authorization: () => Promise.resolve('Bearer admintoken'),
  };
  const clients: Client[] = [];
  const connect = (more: ClientOptions = {}, other: Partial<ClientConfig> = {}): Client => {
    const client = createClient({ ...config, ...other }, { qps: 0, ...more });
    clients.push(client);
    return client;
  };
  return {
    server,
    config,
    client: connect(),
    connect,
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()));
      await server[Symbol.asyncDispose]();
    },
  };
}
