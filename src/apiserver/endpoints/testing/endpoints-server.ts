/** The endpoints of core, apps and policy over an embedded store, without filters and admission. */
import { onTestFinished } from 'vitest';
import { testNow } from '../../../../test/support/kind-rules.ts';
import { sendInMemory } from '../../../../test/support/memory-exchange.ts';
import type { Clock } from '../../../base/clock.ts';
import { codecs } from '../../../api/codecs.ts';
import { findGroupVersion } from '../../../api/resources.ts';
import { schemas } from '../../../api/schemas.ts';
import { createFieldManager } from '../../../machinery/managed-fields/field-manager.ts';
import { createJsonEncoder } from '../../../machinery/managed-fields/json-encoder.ts';
import { createStrategicMerge } from '../../../machinery/patch/strategic-merge.ts';
import { isStatusError } from '../../../machinery/status.ts';
import { type AdmissionPlugin, createAdmissionChain } from '../../../registry/admission.ts';
import type { RegistryCatalog } from '../../../registry/catalog.ts';
import { createDirectCatalog } from '../../../registry/testing/direct-catalog.ts';
import { openEmbeddedStore } from '../../../storage/embedded/open.ts';
import type { ApiResponse, Exchange } from '../../../server/exchange.ts';
import { Encoder } from '../../representation/encoder.ts';
import { ApiRequest } from '../../request/request.ts';
import { parseRequestInfo } from '../../request/request-info.ts';
import { ServedApis } from '../../served-apis.ts';
import { defaultMaxBodyBytes, type EndpointContext } from '../context.ts';
import { createRouter } from '../router.ts';
import { serveResource, type ServedParts } from '../subresource-endpoints.ts';

export type Json = Record<string, unknown>;

export interface Answer {
  readonly status: number;
  /** Of a Status that is an error. */
  readonly reason?: string;
  readonly message?: string;
  readonly body: Json;
  readonly text: string;
  readonly warnings: readonly string[];
}

export interface EndpointsServer {
  readonly registry: RegistryCatalog;
  /** The answer itself, as it goes to a transport. */
  handle(exchange: Exchange): Promise<ApiResponse>;
  send(method: string, target: string, body?: unknown, contentType?: string, accept?: string): Promise<Answer>;
  /** The same for a request that must succeed. */
  done(method: string, target: string, body?: unknown, contentType?: string): Promise<Json>;
}

const apiVersions = ['v1', 'apps/v1', 'policy/v1'];

export interface EndpointsOptions
  extends Partial<Pick<ServedParts, 'store' | 'authentication'>>,
    Partial<Pick<EndpointContext, 'featureEnabled' | 'watchEvents'>> {
  /** Of bookmarks. */
  readonly clock?: Clock;
}

export async function startEndpoints(
  plugins: readonly AdmissionPlugin[] = [],
  { clock, featureEnabled, watchEvents, ...more }: EndpointsOptions = {},
): Promise<EndpointsServer> {
  const store = await openEmbeddedStore();
  onTestFinished(() => store[Symbol.asyncDispose]());
  const groupVersions = apiVersions.map((apiVersion) => findGroupVersion(apiVersion)!);
  const admission = createAdmissionChain(plugins);
  const registry = createDirectCatalog(store, apiVersions, { admission, ...(clock === undefined ? {} : { clock }) });
  const context: EndpointContext = {
    codecs,
    schemas,
    admission,
    authorizer: { authorize: () => Promise.resolve({ decision: 'allow', reason: '' }) } as never,
    encoder: new Encoder(1024 * 1024),
    fieldManager: createFieldManager({ schemas }),
    strategicMerge: createStrategicMerge(schemas),
    toEncodedJson: createJsonEncoder(schemas),
    now: () => testNow,
    featureEnabled: featureEnabled ?? (() => false),
    deprecatedUse: () => undefined,
    watchEvents: watchEvents ?? (() => () => undefined),
    allowPrivileged: true,
    minRequestTimeoutSeconds: 1800,
    deleteCollectionWorkers: 1,
    maxBodyBytes: defaultMaxBodyBytes,
  };
  const parts = { registry, store, authentication: {}, connections: new Map(), ...more } as unknown as ServedParts;
  const resources = new Map(
    [...registry.entries].map(([apiVersion, entries]) => [
      apiVersion,
      new Map([...entries].map(([name, entry]) => [name, serveResource(context, entry, parts)])),
    ]),
  );
  const router = createRouter(context, new ServedApis({ groupVersions, resources }));

  const requestOf = (exchange: Exchange): ApiRequest => {
    const { method, target } = exchange;
    const [path = '', query = ''] = target.split('?');
    const parameters = new URLSearchParams(query);
    const request = new ApiRequest(exchange, path, parameters, 'audit-id', 0);
    request.info = parseRequestInfo(method, path, parameters);
    request.user = { name: 'tester', groups: [] };
    return request;
  };
  const send: EndpointsServer['send'] = async (method, target, body, contentType, accept) => {
    let warnings: readonly string[] = [];
    try {
      const { status, body: bytes } = await sendInMemory(
        async (exchange) => {
          const request = requestOf(exchange);
          const answer = await router(request);
          warnings = [...request.warnings.texts];
          return answer;
        },
        {
          method,
          target,
          headers: [
            ...(contentType === undefined ? [] : [['content-type', contentType] as const]),
            ...(accept === undefined ? [] : [['accept', accept] as const]),
          ],
          body: Buffer.from(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)),
        },
      );
      const text = bytes.toString();
      return { status, body: text.startsWith('{') ? firstJson(text) : {}, text, warnings };
    } catch (error) {
      if (!isStatusError(error)) throw error;
      const { code, reason, message } = error;
      return { status: code, reason, message, body: {}, text: '', warnings };
    }
  };
  return {
    registry,
    handle: (exchange) => router(requestOf(exchange)),
    send,
    async done(...request) {
      const { status, message, body } = await send(...request);
      if (status >= 300) throw new Error(`${request[0]} ${request[1]} was answered ${status}: ${message}`);
      return body;
    },
  };
}

/** Of a stream the first line. */
const firstJson = (text: string): Json => JSON.parse(text.split('\n', 1)[0]!) as Json;
