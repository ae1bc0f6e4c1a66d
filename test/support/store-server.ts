/** A control plane over a store that the test has in its hands, and what it logs as its own faults. */
import { startControlPlane } from '../../src/cmd/control-plane.ts';
import type { ControlPlane } from '../../src/cmd/control-plane-types.ts';
import { startApiServer } from '../../src/apiserver/api-server.ts';
import { serverConfig } from '../../src/cmd/start-api-server.ts';
import type { Store } from '../../src/storage/interface.ts';
import { ApiClient } from './api-client.ts';

export interface StoreServer extends AsyncDisposable {
  readonly controlPlane: ControlPlane;
  readonly client: ApiClient;
  /** Errors that were logged: requests that failed for a reason of the server's own. */
  readonly faults: { readonly message: string; readonly error: unknown }[];
}

/** Closing it leaves the store open. */
export async function startOnStore(store: Store, flags: readonly string[] = []): Promise<StoreServer> {
  const faults: { message: string; error: unknown }[] = [];
  const nothing = (): void => undefined;
  const log = {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: (details: object, message: string) =>
      void faults.push({ message, error: (details as { err?: unknown }).err }),
  };
  const controlPlane = await startControlPlane(
    { flags: ['--endpoint-reconciler-type=none', ...flags], log },
    async (config) => {
      const server = await startApiServer(serverConfig(config, { main: store, overrides: new Map() }));
      return {
        url: `https://127.0.0.1:${server.port}`,
        ready: server.bootstrapped,
        handle: server.handle,
        close: () => server.close(),
      };
    },
  );
  const client = new ApiClient(controlPlane.kubeconfig);
  // The default roles come after what a control plane waits for.
  while ((await client.send('GET', '/readyz')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
  return {
    controlPlane,
    client,
    faults,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await controlPlane.close();
    },
  };
}
