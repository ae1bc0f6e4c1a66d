/**
 * What the record of a request costs: `npx vitest bench --run --project unit src/apiserver/filters`.
 *
 * An iteration is a hundred requests, so a row's mean is to be divided by that. The rows with a log write real events
 * into a real file, in mode batch; no event may be lost, or the figure would be of something else.
 */
import { createTransport } from '../../client/transport.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, bench, describe } from 'vitest';
import type { PolicyRule } from '../../api/gen/types/audit-v1.ts';
import { silentLogger } from '../../base/logger.ts';
import { createAuditTrail } from '../audit/create-trail.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { compose } from '../../server/middleware.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { type ApiResponse, type Exchange } from '../../server/exchange.ts';
import { ApiRequest, type Filter, type Handler } from '../request/request.ts';
import { recordRefused, recordRequests } from './audit.ts';

const requests = 100;
const options = { time: 2_000, warmupTime: 500 };
const directory = mkdtempSync(path.join(tmpdir(), 'orch-bench-'));
const trails: AuditTrail[] = [];
afterAll(async () => {
  await Promise.all(trails.map((trail) => trail.close()));
  rmSync(directory, { recursive: true });
});

const headers: Readonly<Record<string, string>> = {
  'user-agent': 'kubectl/v1.32.0 (linux/amd64) kubernetes/70d3cc9',
  accept: 'application/json',
};
const target = '/api/v1/namespaces/default/pods/web-7d4b9c6f5-x2x9z?resourceVersion=0';
const user = { name: 'system:node:node-17', groups: ['system:nodes', 'system:authenticated'] };

/** Two events for each request. Rules before the one that matches, as policies have them. */
const rules: PolicyRule[] = [
  {
    level: 'None',
    users: ['system:kube-proxy'],
    verbs: ['watch'],
    resources: [{ resources: ['endpoints', 'services', 'services/status'] }],
  },
  {
    level: 'None',
    userGroups: ['system:nodes'],
    verbs: ['get'],
    resources: [{ resources: ['nodes', 'nodes/status'] }],
  },
  { level: 'None', nonResourceURLs: ['/healthz*', '/version', '/swagger*'] },
  { level: 'None', resources: [{ resources: ['events'] }] },
  {
    level: 'Request',
    users: ['kubelet', 'system:node-problem-detector'],
    verbs: ['update', 'patch'],
    resources: [{ resources: ['nodes/status', 'pods/status'] }],
  },
  {
    level: 'Metadata',
    resources: [
      { resources: ['secrets', 'configmaps', 'serviceaccounts/token'] },
      { group: 'authentication.k8s.io', resources: ['tokenreviews'] },
    ],
  },
  { level: 'Metadata' },
];

const nothing = (): void => undefined;
const counters = {
  event: nothing,
  level: nothing,
  rejected: nothing,
  lost: () => {
    throw new Error('an event was lost');
  },
};

function openTrail(name: string, more: readonly PolicyRule[] = []): AuditTrail {
  const trail = createAuditTrail(
    {
      policy: { metadata: {}, rules: [...more, ...rules] },
      log: {
        format: 'json',
        apiVersion: 'audit.k8s.io/v1',
        file: {
          path: path.join(directory, name),
          maxBytes: 100 * 1024 * 1024,
          maxAgeDays: 0,
          maxBackups: 1,
          compress: false,
        },
        mode: 'batch',
        batch: { bufferSize: 1_000_000, maxBatchSize: 1, maxWaitMs: 0, throttle: undefined },
        truncate: undefined,
      },
    },
    { counters, webhooks: { connect: createTransport }, log: silentLogger },
  )!;
  trails.push(trail);
  return trail;
}

const exchange: Exchange = {
  method: 'GET',
  target,
  httpVersion: '2.0',
  remoteAddress: '192.0.2.17',
  header: (name) => headers[name],
  headerValues: () => [],
  headerNames: () => Object.keys(headers),
  readBody: () => Promise.resolve(Buffer.alloc(0)),
  bodyStream: () => undefined,
  peerCertificate: () => undefined,
  onClose: () => undefined,
};
const url = new URL(target, 'https://host');
const info = parseRequestInfo('GET', url.pathname, url.searchParams);
const ok: ApiResponse = { status: 200, headers: {} };

const authenticate: Filter = async (request, next) => {
  request.user = user;
  return next();
};
const authorize: Filter = async (request, next) => {
  request.annotate('authorization.k8s.io/decision', 'allow');
  request.annotate(
    'authorization.k8s.io/reason',
    'RBAC: allowed by ClusterRoleBinding "system:node" of ClusterRole "system:node"',
  );
  return next();
};
const endpoint: Handler = () => Promise.resolve(ok);

function row(name: string, handle: Handler): void {
  bench(
    name,
    async () => {
      for (let i = 0; i < requests; i++) {
        const request = new ApiRequest(
          exchange,
          url.pathname,
          url.searchParams,
          'b2a1c1a0-6f3e-4a60-9a34-ad9b0a1c2d3e',
          performance.now(),
        );
        request.info = info;
        await handle(request);
      }
      await turn();
    },
    options,
  );
}

describe('a hundred requests', () => {
  row('without audit', compose([authenticate, authorize], endpoint));
  const none = openTrail('none.log', [{ level: 'None' }]);
  row(
    'that the policy does not want',
    compose([recordRefused(none), authenticate, recordRequests(none), authorize], endpoint),
  );
  const metadata = openTrail('metadata.log');
  row(
    'at level Metadata, mode batch',
    compose([recordRefused(metadata), authenticate, recordRequests(metadata), authorize], endpoint),
  );
});
