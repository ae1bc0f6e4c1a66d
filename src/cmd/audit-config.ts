/**
 * From the audit options to what is recorded and where: reads the files they name, and makes sure that the log can be
 * written.
 */
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileReports } from '../base/file-reports.ts';
import type { Logger } from '../base/logger.ts';
import { makeDirectories } from '../base/make-directories.ts';
import { createPrivateFile } from '../base/private-files.ts';
import type { AuditConfig, BackendOptions } from '../apiserver/audit/create-trail.ts';
import type { Mode } from '../apiserver/audit/backend.ts';
import type { LogSinkOptions } from '../apiserver/audit/log-sink.ts';
import { readAuditPolicy } from '../apiserver/audit/policy-file.ts';
import type { WebhookSinkOptions } from '../apiserver/audit/webhook-sink.ts';
import { readWebhookKubeconfig } from '../client/kubeconfig/webhook-kubeconfig.ts';
import type { ApiServerOptions } from './flags/api-server/table.ts';
import { describeFileError } from '../base/file-error.ts';
import { readFlagFile } from './read-file.ts';
import { UserError } from './user-error.ts';

/** Undefined where nothing is recorded. Throws {@link UserError}. */
export async function readAuditConfig(
  { audit, auditLog, auditWebhook }: Pick<ApiServerOptions, 'audit' | 'auditLog' | 'auditWebhook'>,
  { log, reports }: { readonly log: Logger; readonly reports?: FileReports },
): Promise<AuditConfig | undefined> {
  const text = await readFlagFile('audit-policy-file', audit.policyFile);
  const hasBackend = auditLog.path !== undefined || auditWebhook.configFile !== undefined;
  if (text === undefined || !hasBackend) {
    if (text !== undefined || hasBackend)
      log.info({}, 'nothing is recorded for audit: that takes a policy file and a place to write to');
    return undefined;
  }
  const policy = readPolicy(text, audit.policyFile!, log);
  return {
    policy,
    ...(auditLog.path === undefined
      ? {}
      : { log: { ...(await logSink(auditLog, auditLog.path)), ...backendOptions(auditLog) } }),
    ...(auditWebhook.configFile === undefined
      ? {}
      : {
          webhook: {
            ...(await webhookSink(auditWebhook, auditWebhook.configFile, reports)),
            ...backendOptions(auditWebhook),
          },
        }),
  };
}

function readPolicy(text: string, path: string, log: Logger): AuditConfig['policy'] {
  try {
    const { policy, warnings } = readAuditPolicy(text);
    for (const warning of warnings) log.warn({ file: path }, warning);
    return policy;
  } catch (error) {
    throw new UserError(`--audit-policy-file: ${path}: ${(error as Error).message}`, { cause: error });
  }
}

const bytesPerMegabyte = 1024 * 1024;
const defaultMaxMegabytes = 100;

async function logSink(
  { format, version, maxSizeMegabytes, maxAgeDays, maxBackups, compress }: ApiServerOptions['auditLog'],
  path: string,
): Promise<LogSinkOptions> {
  if (path !== '-') await ensureFile(path);
  const maxBytes = (maxSizeMegabytes || defaultMaxMegabytes) * bytesPerMegabyte;
  return {
    format: format as LogSinkOptions['format'],
    apiVersion: version,
    file: path === '-' ? undefined : { path, maxBytes, maxAgeDays, maxBackups, compress },
  };
}

/** A log that cannot be written should keep the server from starting rather than from recording. */
async function ensureFile(path: string): Promise<void> {
  try {
    await makeDirectories(dirname(path), 0o700);
    await createPrivateFile(path);
    await (await open(path, 'a')).close();
  } catch (error) {
    throw new UserError(`--audit-log-path: open ${path}: ${describeFileError(error)}`, { cause: error });
  }
}

async function webhookSink(
  { version, initialBackoffMs }: ApiServerOptions['auditWebhook'],
  path: string,
  reports: FileReports | undefined,
): Promise<WebhookSinkOptions> {
  try {
    return { connection: await readWebhookKubeconfig(path, { reports }), apiVersion: version, initialBackoffMs };
  } catch (error) {
    throw new UserError(`--audit-webhook-config-file: ${path}: ${describeFileError(error)}`, { cause: error });
  }
}

function backendOptions(options: ApiServerOptions['auditLog'] | ApiServerOptions['auditWebhook']): BackendOptions {
  return {
    mode: options.mode as Mode,
    batch: {
      bufferSize: options.batchBufferSize,
      maxBatchSize: options.batchMaxSize,
      maxWaitMs: options.batchMaxWaitMs,
      throttle: options.batchThrottleEnable
        ? { perSecond: options.batchThrottleQps, burst: options.batchThrottleBurst }
        : undefined,
    },
    truncate: options.truncateEnabled
      ? { maxEventBytes: options.truncateMaxEventSize, maxBatchBytes: options.truncateMaxBatchSize }
      : undefined,
  };
}
