/** Errors of the values of audit options. Those of a backend that is not used are not validated. */
import { modes } from '../../../apiserver/audit/backend.ts';
import { formats } from '../../../apiserver/audit/log-sink.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import type { Spelling } from '../shared/problems.ts';
import type { Check } from './check.ts';
import type { ApiServerOptions } from './table.ts';

type Problem = string | false;
type BackendOptions = ApiServerOptions['auditLog'] | ApiServerOptions['auditWebhook'];

/** The second is the specification's spelling: events are then written with it. */
export const auditVersions = ['audit.k8s.io/v1', 'audit.orch.io/v1'];

export const checkAudit: Check = ({ auditLog, auditWebhook }, spelled) => [
  ...(auditLog.path === undefined ? [] : [...checkBackend('log', auditLog, spelled), ...checkLog(auditLog, spelled)]),
  ...(auditWebhook.configFile === undefined ? [] : checkBackend('webhook', auditWebhook, spelled)),
];

function checkBackend(plugin: string, options: BackendOptions, spelled: Spelling): Problem[] {
  const { mode, version, truncateMaxEventSize: eventSize, truncateMaxBatchSize: batchSize } = options;
  return [
    ...((modes as readonly string[]).includes(mode)
      ? mode === 'batch'
        ? checkBatch(plugin, options)
        : []
      : [`invalid audit ${plugin} mode ${mode}, allowed modes are ${goQuote(modes.join(','))}`]),
    eventSize <= 0 && `invalid audit truncate ${plugin} max event size ${eventSize}, must be a positive number`,
    batchSize < eventSize &&
      `invalid audit truncate ${plugin} max batch size ${batchSize}, must be greater than max event size (` +
        `${eventSize})`,
    !auditVersions.includes(version) &&
      `${spelled(`audit-${plugin}-version`)}: invalid group version, allowed versions ` +
        `are ${auditVersions.map(goQuote).join(', ')}`,
  ];
}

function checkBatch(
  plugin: string,
  {
    batchBufferSize,
    batchMaxSize,
    batchMaxWaitMs,
    batchThrottleEnable,
    batchThrottleQps,
    batchThrottleBurst,
  }: BackendOptions,
): Problem[] {
  const positive = (value: number, what: string): Problem =>
    value <= 0 && `invalid audit batch ${plugin} ${what} ${value}, must be a positive number`;
  return [
    positive(batchBufferSize, 'buffer size'),
    positive(batchMaxSize, 'max batch size'),
    batchMaxWaitMs < 0 && `invalid audit batch ${plugin} max wait, must not be negative`,
    ...(batchThrottleEnable
      ? [positive(batchThrottleQps, 'throttle QPS'), positive(batchThrottleBurst, 'throttle burst')]
      : []),
  ];
}

function checkLog(
  { format, maxAgeDays, maxBackups, maxSizeMegabytes }: ApiServerOptions['auditLog'],
  spelled: Spelling,
): Problem[] {
  const natural = (value: number, flag: string): Problem =>
    value < 0 && `${spelled(flag)} ${value} can't be a negative number`;
  return [
    !(formats as readonly string[]).includes(format) &&
      `invalid audit log format ${format}, allowed formats are ${goQuote(formats.join(','))}`,
    natural(maxAgeDays, 'audit-log-maxage'),
    natural(maxBackups, 'audit-log-maxbackup'),
    natural(maxSizeMegabytes, 'audit-log-maxsize'),
  ];
}
