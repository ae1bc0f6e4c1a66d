/**
 * The API server: assembled by the functions in `assembly/`, each of which is given what the ones before it have made,
 * and owned here.
 */
import { type CleanupStack, withCleanupStack } from '../base/cleanup-stack.ts';
import type { RegistryCatalog } from '../registry/catalog.ts';
import { reportStallsFrom } from '../server/stall-detector/report-stalls.ts';
import { openAuditLog } from './assembly/audit-log.ts';
import { openEncryption } from './assembly/encryption.ts';
import { createEndpoints } from './assembly/endpoints.ts';
import { createExtensions } from './assembly/extensions.ts';
import { createFoundation } from './assembly/foundation.ts';
import { createObservedHealthChecks } from './assembly/health.ts';
import { createLargeRequests } from './assembly/large-requests.ts';
import { createLoopback } from './assembly/loopback.ts';
import { createNonResources } from './assembly/non-resources.ts';
import { createHooks } from './assembly/post-start-hooks.ts';
import { createRequestHandler, type RequestHandler } from './assembly/request-handler.ts';
import { createResources } from './assembly/resources.ts';
import { openSecurity } from './assembly/security.ts';
import { createServingPort } from './assembly/serving-port.ts';
import { createShutdown } from './assembly/shutdown.ts';
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
  const foundation = createFoundation(config);
  const loopback = createLoopback(foundation);
  const audit = openAuditLog(foundation, loopback, cleanup);
  const encryption = await openEncryption(foundation, cleanup);
  const servingPort = createServingPort(foundation, cleanup);
  const storage = createResourceStorage(foundation, loopback, encryption, cleanup);
  const security = await openSecurity(foundation, loopback, cleanup);
  const resources = createResources(foundation, loopback, storage, security);
  const largeRequests = createLargeRequests(foundation, storage, security, cleanup);
  const endpoints = createEndpoints(foundation, loopback, security, resources, largeRequests);
  const extensions = createExtensions(foundation, loopback, storage, resources, endpoints);
  const hooks = createHooks(foundation, loopback, resources, extensions, servingPort, cleanup);
  const health = createObservedHealthChecks(foundation, encryption, resources, hooks);
  const nonResources = createNonResources(foundation, security, endpoints, extensions, health, servingPort);
  const handle = createRequestHandler(foundation, audit, security, endpoints, extensions, nonResources);
  const close = createShutdown(foundation, hooks, servingPort, cleanup);

  const { bootstrapped, settled } = hooks.postStartHooks;
  await servingPort.open(handle);
  hooks.postStartHooks.start();
  security.authorization.start();
  cleanup.add(
    reportStallsFrom(bootstrapped, config.stalls, { log: config.log, registry: foundation.metrics.registry }),
  );
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
