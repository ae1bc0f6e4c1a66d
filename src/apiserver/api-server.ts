/**
 * The API server: assembled by the functions in `assembly/`, each of which is given what the ones before it have made,
 * and owned here.
 */
import { type CleanupStack, withCleanupStack } from '../base/cleanup-stack.ts';
import type { RegistryCatalog } from '../registry/catalog.ts';
import { openAuditLog } from './assembly/audit-log.ts';
import { openDebugging, watchForStalls } from './assembly/debugging.ts';
import { openEncryption } from './assembly/encryption.ts';
import { createEndpoints } from './assembly/endpoints.ts';
import { createExtensions } from './assembly/extensions.ts';
import { createSharedDependencies } from './assembly/shared-dependencies.ts';
import { createObservedHealthChecks } from './assembly/health.ts';
import { createFairQueuing } from './assembly/flow-control.ts';
import { createLargeRequests } from './assembly/large-requests.ts';
import { createLoopback } from './assembly/loopback.ts';
import { createNonResources } from './assembly/non-resources.ts';
import { createHooks } from './assembly/post-start-hooks.ts';
import { createRequestHandler, type RequestHandler } from './assembly/request-handler.ts';
import { openNodeConnections } from './assembly/nodes.ts';
import { createResources } from './assembly/resources.ts';
import { openSecurity } from './assembly/security.ts';
import { createServingPort } from './assembly/serving-port.ts';
import { createShutdown } from './assembly/shutdown.ts';
import { openTracing } from './assembly/tracing.ts';
import { createResourceStorage } from './assembly/storage.ts';
import type { ApiServerConfig } from './config.ts';

export interface ApiServer extends AsyncDisposable {
  readonly port: number;
  /** Resolves when the bootstrap objects are there. */
  readonly bootstrapped: Promise<void>;
  /** Resolves when the server has made everything it makes at its start, which goes on while it is used. */
  readonly settled: Promise<void>;
  readonly catalog: RegistryCatalog;
  /** Sends a request that came by another way than the port through the whole chain. */
  readonly handle: RequestHandler;
  close(): Promise<void>;
}

/** Rejects with nothing left open; the stores are the caller's. */
export const startApiServer = (config: ApiServerConfig): Promise<ApiServer> =>
  withCleanupStack((cleanup) => start(config, cleanup));

/**
 * What is opened is closed in reverse, by a start that fails and at the end of the server. So the audit log is open
 * until the last connection has ended, connections end after the storages whose watches they carry, and what works
 * beside requests ends before anything that it needs.
 */
async function start(config: ApiServerConfig, cleanup: CleanupStack): Promise<ApiServer> {
  const dependencies = createSharedDependencies(config);
  const loopback = createLoopback(dependencies);
  const audit = openAuditLog(dependencies, loopback, cleanup);
  const tracer = await openTracing(dependencies, cleanup);
  const encryption = await openEncryption(dependencies, cleanup);
  const servingPort = createServingPort(dependencies, cleanup);
  const storage = createResourceStorage(dependencies, loopback, encryption, cleanup);
  const security = await openSecurity(dependencies, loopback, cleanup);
  const resources = createResources(dependencies, loopback, storage, security, cleanup);
  const largeRequests = createLargeRequests(dependencies, storage, security, resources, cleanup);
  const nodes = openNodeConnections(dependencies, resources, cleanup);
  const endpoints = createEndpoints(dependencies, loopback, security, resources, largeRequests, nodes.handlers);
  const extensions = createExtensions(dependencies, loopback, storage, resources, endpoints, servingPort, cleanup);
  const fairQueuing = createFairQueuing(dependencies);
  const background = { encryption, fairQueuing };
  const hooks = createHooks(dependencies, loopback, resources, extensions, servingPort, background, cleanup);
  const health = createObservedHealthChecks(dependencies, encryption, resources, hooks);
  const debug = await openDebugging(dependencies, cleanup);
  const pages = { debug, fairQueuing };
  const nonResources = createNonResources(dependencies, security, endpoints, extensions, health, servingPort, pages);
  const steps = { tracer, fairQueuing };
  const handle = createRequestHandler(dependencies, audit, security, endpoints, extensions, nonResources, steps);
  const close = createShutdown(dependencies, hooks, servingPort, cleanup);

  const { bootstrapped, settled } = hooks.postStartHooks;
  await servingPort.open(handle);
  hooks.postStartHooks.start();
  security.authorization.start();
  cleanup.add(watchForStalls(dependencies, debug, bootstrapped));
  return {
    port: servingPort.port,
    bootstrapped,
    settled,
    catalog: resources.registry,
    handle,
    close,
    [Symbol.asyncDispose]: close,
  };
}
