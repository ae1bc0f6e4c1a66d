/**
 * The library: a control plane in the calling process, for test suites and for products that build on the API.
 *
 * ```ts
 * await using controlPlane = await createControlPlane();
 * // controlPlane.url, controlPlane.kubeconfig
 * ```
 */
import { startControlPlane } from './cmd/control-plane.ts';
import type { ControlPlane, ControlPlaneOptions } from './cmd/control-plane-types.ts';
import { dependencies } from './cmd/dependencies.ts';

export type { Logger } from './base/logger.ts';
export {
  type CloudCall,
  type CloudProvider,
  type CloudRoute,
  ImplementedElsewhereError,
  type LoadBalancers,
  type NewRoute,
  RetryLaterError,
  type Routes,
} from './controllers/cloud/provider.ts';
export type {
  ControlPlane,
  ControlPlaneOptions,
  KoaContext,
  KoaMiddleware,
  KoaOptions,
  KoaUser,
} from './cmd/control-plane-types.ts';

/**
 * Starts an API server on a free port of the loopback interface, with the embedded store and credentials of its own.
 * Several at once in one process share nothing.
 *
 * Rejects with a message that says what to do when the port or the data directory is taken or a flag is wrong.
 */
export const createControlPlane = (options: ControlPlaneOptions = {}): Promise<ControlPlane> =>
  startControlPlane({ controllers: controllersOfDeletion, ...options }, dependencies.startApiServer);

/** Without them a namespace that is deleted stays, and dependent objects stay without their owner. */
const controllersOfDeletion = ['namespace-controller', 'garbage-collector-controller'];
