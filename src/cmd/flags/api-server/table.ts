/**
 * Every option of the API server, by section: how it is written, what it means unless given, and whether it has its
 * effect in this version. The names are those of our specification, with kube-apiserver's as aliases where they differ;
 * options that only kube-apiserver 1.32 has stand here too, because flag files that start it should start this server.
 *
 * Changing what is supported is changing one word here: `supported`, `unsupported` or `ignored`.
 */
import type { OptionsOf } from '../flag.ts';
import { debugging } from '../shared/debugging.ts';
import { logs } from '../shared/logs.ts';
import { metrics } from '../shared/metrics.ts';
import { program } from '../shared/program.ts';
import { apis } from './apis.ts';
import { audit, auditLog, auditWebhook } from './audit.ts';
import { authentication, serviceAccounts } from './authentication.ts';
import { admission, authorization } from './authorization.ts';
import { flowControl } from './flow-control.ts';
import { cloud, connections } from './connections.ts';
import { services, nodeAgent } from './services.ts';
import { serving } from './serving.ts';
import { storage } from './storage.ts';

export const apiServerFlags = {
  serving,
  authentication,
  serviceAccounts,
  authorization,
  admission,
  storage,
  services,
  nodeAgent,
  flowControl,
  apis,
  audit,
  auditLog,
  auditWebhook,
  logs,
  metrics,
  debugging,
  connections,
  cloud,
  program,
} as const;

export type ApiServerOptions = OptionsOf<typeof apiServerFlags>;
