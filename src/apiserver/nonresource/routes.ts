/** The table of routes for everything that is no resource: discovery, version, health, metrics, OpenAPI, OpenID. */
import { Router } from '@koa/router';
import Koa from 'koa';
import type { Registry } from 'prom-client';
import type { VersionInfo } from '../../base/version.ts';
import { type HealthChecks, healthEndpoints, type HealthLog } from '../../server/health.ts';
import { type Verbosity, verbosityRoutes } from '../../server/koa/debug-routes.ts';
import { serveHealthMetrics, serveMetrics, serveNotFound, serveVersion } from '../../server/koa/documents.ts';
import { healthRoutes } from '../../server/koa/health-routes.ts';
import { profileRoutes } from '../../server/koa/profile-routes.ts';
import { zpagePaths, type ZpagesOptions, zpageRoutes } from '../../server/koa/zpages-routes.ts';
import type { ContentionProfile } from '../../server/profiling/contention-profile.ts';
import { send } from '../../server/koa/send.ts';
import type { ServingState } from '../../server/koa/state.ts';
import { groupsOf } from '../discovery/documents.ts';
import { methodNotAllowed } from '../request/request-errors.ts';
import { json, parseAccept, routeNotAcceptable } from '../request/negotiation.ts';
import type { ApiRequest, Handler } from '../request/request.ts';
import type { FlowControl } from '../flow-control/flow-control.ts';
import type { ServedApis } from '../served-apis.ts';
import { flowControlRoutes } from './flow-control-routes.ts';
import { coreVersions, groupOrVersion, groups, pathList, versionOfCore } from './discovery.ts';

export interface NonResourceOptions {
  readonly served: ServedApis;
  readonly version: VersionInfo;
  readonly health: HealthChecks;
  readonly registry: Registry;
  readonly log: HealthLog;
  /** `host:port` that `/api` tells clients. */
  readonly serverAddress: () => string;
  readonly debug: DebugPages;
  /** Told of each document of aggregated discovery that is made. */
  readonly aggregated?: () => void;
  /** Undefined: requests are counted only. */
  readonly flowControl: FlowControl | undefined;
  /** By route: OpenAPI, OpenID. */
  readonly documents: ReadonlyMap<string, Handler>;
}

/** What the server shows of its own process. */
export interface DebugPages {
  /** `--profiling` */
  readonly profiling: boolean;
  readonly contention: ContentionProfile | undefined;
  readonly verbosity: Verbosity;
  readonly zpages: ZpagesOptions;
}

/** What is known of a request once the chain let it through. */
export interface RequestState extends ServingState {
  readonly request: ApiRequest;
}

type Context = Koa.ParameterizedContext<RequestState>;

export function createApplication(options: NonResourceOptions): Koa<RequestState> {
  const { served, version, health, registry, log, serverAddress, documents } = options;
  const router = new Router<RequestState>({ sensitive: true });
  router.all('/version', onlyGet, inJson, serveVersion(version));
  router.all('/metrics', onlyGet, serveMetrics(registry));
  router.all('/metrics/slis', onlyGet, serveHealthMetrics(registry));
  router.all('/api', onlyGet, answered(coreVersions(served, serverAddress, options.aggregated)));
  router.all('/api/*version', answered(versionOfCore(served)));
  router.all('/apis', whenKnown(served), onlyGet, answered(groups(served, options.aggregated)));
  router.all('/apis/*path', whenKnown(served), answered(groupOrVersion(served)));
  for (const [path, handler] of documents) router.all(path, answered(handler));
  router.all('/index.html', answered(pathList(() => shownPaths(options))));

  const root = new Router<RequestState>({ sensitive: true, strict: true });
  root.all('/', answered(pathList(() => shownPaths(options))));

  const app = new Koa<RequestState>();
  const { profiling, contention, verbosity, zpages } = options.debug;
  app.use(healthRoutes<RequestState>(health, log).routes());
  app.use(router.routes());
  app.use(zpageRoutes<RequestState>(zpages).routes());
  if (profiling) {
    app.use(profileRoutes<RequestState>(contention).routes());
    app.use(verbosityRoutes<RequestState>(verbosity).routes());
  }
  if (options.flowControl !== undefined) app.use(flowControlRoutes<RequestState>(options.flowControl).routes());
  app.use(root.routes());
  app.use(serveNotFound);
  return app;
}

/** Documents of the API are answers as those about resources are. */
const answered =
  (handler: Handler) =>
  async (ctx: Context): Promise<void> =>
    send(ctx, await handler(ctx.state.request));

const onlyGet = (ctx: Context, next: Koa.Next): Promise<unknown> => {
  if (ctx.method !== 'GET') throw methodNotAllowed();
  return next();
};

const inJson = (ctx: Context, next: Koa.Next): Promise<unknown> => {
  const accept = ctx.state.request.header('accept') ?? '';
  if (accept !== '' && !parseAccept(accept).some(({ type }) => type === '*/*' || type === json))
    throw routeNotAcceptable([json]);
  return next();
};

/** Custom resources and other servers are among the groups. */
const whenKnown =
  (served: ServedApis) =>
  async (_: Context, next: Koa.Next): Promise<unknown> => {
    await served.known();
    return next();
  };

/** Everything that can be asked for. */
function shownPaths({ served, health, documents, debug }: NonResourceOptions): string[] {
  const checks = healthEndpoints.flatMap((endpoint) => [
    `/${endpoint}`,
    ...health[endpoint].map(({ name }) => `/${endpoint}/${name}`),
  ]);
  const groupPaths = groupsOf(served).map((group) => `/apis/${group}`);
  const versions = served.groupVersions.map(({ group, apiVersion }) =>
    group === '' ? `/api/${apiVersion}` : `/apis/${apiVersion}`,
  );
  const plain = [...documents.keys()].filter((path) => !path.includes('*'));
  return [
    ...new Set([
      '/api',
      '/apis',
      '/version',
      '/metrics',
      '/metrics/slis',
      ...zpagePaths(debug.zpages),
      ...groupPaths,
      ...versions,
      ...checks,
      ...plain,
    ]),
  ].sort();
}
