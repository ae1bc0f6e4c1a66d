/** Controllers that reach their API server through a faulty proxy, on a clock that the test moves. */
import { FakeClock } from '../../../src/base/testing/fake-clock.ts';
import { type Client, createClient } from '../../../src/client/client.ts';
import { startControllers } from '../../../src/controllers/manager/manager.ts';
import {
  type ControllerManagerOptions,
  defaultControllerManagerOptions,
} from '../../../src/controllers/manager/options.ts';
import { openEmbeddedStore } from '../../../src/storage/embedded/open.ts';
import type { Store } from '../../../src/storage/interface.ts';
import { FaultyProxy } from '../../support/faulty-proxy.ts';
import { type ClientServer, startClientServer } from '../client/client-server.ts';

export interface FaultyCluster extends AsyncDisposable {
  readonly proxy: FaultyProxy;
  /** What the API server writes to. */
  readonly store: Store;
  readonly clock: FakeClock;
  /** Past the proxy. */
  readonly client: Client;
  /** Moves the clock in steps, each with what the server has to say. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** Moves the clock in steps until it is so; throws what it throws last after a quarter of an hour of the clock. */
  until(isSo: () => Promise<void>, stepMs?: number): Promise<void>;
  /** Ends the API server, and starts another one with the same data. */
  restartServer(): Promise<void>;
}

export interface FaultyClusterOptions {
  readonly controllers: readonly string[];
  readonly http1?: boolean;
  readonly options?: Partial<ControllerManagerOptions>;
}

const smallStepMs = 500;
const patienceMs = 900_000;

export async function startFaultyCluster({
  controllers,
  http1 = false,
  options = {},
}: FaultyClusterOptions): Promise<FaultyCluster> {
  const store = await openEmbeddedStore();
  const start = (): Promise<ClientServer> =>
    startClientServer({ store, settled: true, flags: ['--disable-admission-plugins=ServiceAccount'] });
  let server = await start();
  const proxy = await FaultyProxy.start({ target: () => new URL(server.server.url), http1 });
  const clock = new FakeClock();
  const startMs = Date.now();
  const wallTime = (): number => startMs + clock.now();
  const client = createClient({ ...server.config, url: proxy.url, ca: proxy.ca }, { qps: 0, clock });
  const direct = await FaultyProxy.start({ target: () => new URL(server.server.url) });
  const users = createClient({ ...server.config, url: direct.url, ca: direct.ca }, { qps: 0 });
  const generic = { ...defaultControllerManagerOptions.generic, controllers };
  const manager = startControllers({
    ...{ clientFor: () => client, clock, wallTime },
    options: { ...defaultControllerManagerOptions, ...options, generic },
  });
  /** A request to the server, so that what is under way goes on. */
  const turn = async (stepMs: number): Promise<void> => {
    await clock.advance(stepMs);
    await users.request({ method: 'GET', path: '/version' }).then((answer) => answer.end());
  };
  return {
    proxy,
    store,
    clock,
    client: users,
    async pass(ms, stepMs = smallStepMs) {
      for (const end = clock.now() + ms; clock.now() < end; ) await turn(stepMs);
    },
    async until(isSo, stepMs = smallStepMs) {
      for (const end = clock.now() + patienceMs; ; await turn(stepMs)) {
        try {
          return await isSo();
        } catch (error) {
          if (clock.now() >= end) throw error;
        }
      }
    },
    async restartServer() {
      await server[Symbol.asyncDispose]();
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      await manager.stop();
      await client.close();
      await users.close();
      await proxy[Symbol.asyncDispose]();
      await direct[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
