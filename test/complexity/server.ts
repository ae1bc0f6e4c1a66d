/**
 * A whole server whose chain is called without a connection, with every resource and the objects that the cases change.
 */
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { type Handle, type MemoryAnswer, type MemoryRequest, sendInMemory } from '../support/memory-exchange.ts';
import { setup } from './cases.ts';
import { endpointSetup } from './endpoints.ts';

export class ComplexityServer implements AsyncDisposable {
  readonly #server: TestServer;
  readonly #handle: Handle;

  private constructor(server: TestServer) {
    this.#server = server;
    this.#handle = server.handle;
  }

  static async start(flags: readonly string[] = []): Promise<ComplexityServer> {
    const server = new ComplexityServer(
      await startTestServer({
        flags: [
          '--runtime-config=api/all=true',
          '--feature-gates=AllAlpha=true,AllBeta=true',
          '--authorization-mode=RBAC',
          ...flags,
        ],
        settled: true,
      }),
    );
    for (const request of [...setup, ...endpointSetup]) {
      const { status, body } = await server.send(request);
      if (status !== 201) throw new Error(`${request.target} was answered ${status}: ${body.toString()}`);
    }
    return server;
  }

  get url(): string {
    return this.#server.url;
  }

  get http(): TestServer {
    return this.#server;
  }

  /** As an administrator, unless the request says otherwise. */
  send(request: MemoryRequest): Promise<MemoryAnswer> {
    const { headers = [] } = request;
    const hasCaller = headers.some(([name]) => name === 'authorization');
    return sendInMemory(
      this.#handle,
      hasCaller ? request : { ...request, headers: [['authorization', 'Bearer admintoken'], ...headers] },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}
