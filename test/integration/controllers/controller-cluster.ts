/** An API server with some of our controllers, and a client of its administrator. */
import type { Client } from '../../../src/client/client.ts';
import {
  type ControllerManager,
  type ControllerManagerConfig,
  startControllers,
} from '../../../src/controllers/manager/manager.ts';
import {
  type ControllerManagerOptions,
  defaultControllerManagerOptions,
} from '../../../src/controllers/manager/options.ts';
import { startClientServer } from '../client/client-server.ts';

export interface ControllerCluster extends AsyncDisposable {
  readonly client: Client;
  readonly manager: ControllerManager;
}

export interface ControllerClusterOptions
  extends Partial<Pick<ControllerManagerConfig, 'clock' | 'wallTime' | 'log' | 'metrics'>> {
  /** As `--controllers` has them. */
  readonly controllers: readonly string[];
  readonly options?: Partial<Omit<ControllerManagerOptions, 'generic'>>;
  readonly serverFlags?: readonly string[];
  readonly featureGates?: ControllerManagerOptions['generic']['featureGates'];
}

export async function startControllerCluster({
  controllers,
  options = {},
  serverFlags = [],
  featureGates = {},
  ...config
}: ControllerClusterOptions): Promise<ControllerCluster> {
  const server = await startClientServer({
    settled: true,
    flags: ['--disable-admission-plugins=ServiceAccount', ...serverFlags],
  });
  const generic = { ...defaultControllerManagerOptions.generic, controllers, featureGates };
  const manager = startControllers({
    ...config,
    clientFor: () => server.client,
    options: { ...defaultControllerManagerOptions, ...options, generic },
  });
  return {
    client: server.client,
    manager,
    async [Symbol.asyncDispose]() {
      await manager.stop();
      await server[Symbol.asyncDispose]();
    },
  };
}
