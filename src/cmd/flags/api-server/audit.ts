import { bool, duration, file, float, int, optionalText, section, text } from '../flag.ts';
import type { Flag } from '../flag.ts';

interface BackendDefaults {
  readonly mode: string;
  readonly maxSize: number;
  readonly maxWait: string;
  readonly throttleEnable: boolean;
  readonly throttleQps: number;
  readonly throttleBurst: number;
}

/** The flags that both backends have, under `--audit-log-` and `--audit-webhook-`. */
function backendFlags(backend: 'log' | 'webhook', defaults: BackendDefaults) {
  const name = (flag: string): string => `audit-${backend}-${flag}`;
  return {
    mode: text(name('mode'), 'supported', {
      default: defaults.mode,
      help:
        'blocking: responses wait for their event. blocking-strict: and fail without it. batch: events are ' +
        'collected and written later.',
    }),
    version: text(name('version'), 'supported', {
      default: 'audit.k8s.io/v1',
      help: 'Group and version of the events written.',
    }),
    batchBufferSize: int(name('batch-buffer-size'), 'supported', {
      default: 10000,
      help: 'How many events wait at most, in mode batch.',
    }),
    batchMaxSize: int(name('batch-max-size'), 'supported', {
      default: defaults.maxSize,
      help: 'How many events make a batch at most.',
    }),
    batchMaxWaitMs: duration(name('batch-max-wait'), 'supported', {
      default: defaults.maxWait,
      help: 'How long a batch waits until it is full.',
    }),
    batchThrottleEnable: bool(name('batch-throttle-enable'), 'supported', {
      default: defaults.throttleEnable,
      help: 'Limit the rate of batches.',
    }),
    batchThrottleQps: float(name('batch-throttle-qps'), 'supported', {
      default: defaults.throttleQps,
      help: 'Batches per second on average.',
    }),
    batchThrottleBurst: int(name('batch-throttle-burst'), 'supported', {
      default: defaults.throttleBurst,
      help: 'Batches at once after a quiet time.',
    }),
    truncateEnabled: bool(name('truncate-enabled'), 'supported', {
      help: 'Shorten events and batches that are too large.',
    }),
    truncateMaxBatchSize: int(name('truncate-max-batch-size'), 'supported', {
      default: 10485760,
      help: 'Bytes of a batch; a larger one is split.',
    }),
    truncateMaxEventSize: int(name('truncate-max-event-size'), 'supported', {
      default: 102400,
      help:
        'Bytes of an event; of a larger one request and response are left out, and if that is not enough ' +
        'the event.',
    }),
  } satisfies Record<string, Flag>;
}

export const audit = section('Audit', {
  policyFile: file('audit-policy-file', 'supported', {
    help: 'Policy document: which requests are recorded, and how much of each.',
  }),
});

export const auditLog = section('Audit log', {
  path: optionalText('audit-log-path', 'supported', { help: "File for audit events; '-' for standard output." }),
  format: text('audit-log-format', 'supported', {
    default: 'json',
    help: 'json, or legacy for a line of text per event.',
  }),
  compress: bool('audit-log-compress', 'supported', { help: 'Compress rotated files with gzip.' }),
  maxAgeDays: int('audit-log-maxage', 'supported', {
    help: 'Days after which rotated files are deleted. 0 keeps them.',
  }),
  maxBackups: int('audit-log-maxbackup', 'supported', { help: 'How many rotated files are kept. 0 keeps all.' }),
  maxSizeMegabytes: int('audit-log-maxsize', 'supported', {
    help: 'Megabytes after which the file is rotated. 0 means 100.',
  }),
  ...backendFlags('log', {
    mode: 'blocking',
    maxSize: 1,
    maxWait: '0',
    throttleEnable: false,
    throttleQps: 0,
    throttleBurst: 0,
  }),
});

export const auditWebhook = section('Audit webhook', {
  configFile: file('audit-webhook-config-file', 'supported', {
    help: 'Connection to the service that takes audit events, in kubeconfig format.',
  }),
  initialBackoffMs: duration('audit-webhook-initial-backoff', 'supported', {
    default: '10s',
    help: 'How long to wait after the first failed call before the next.',
  }),
  ...backendFlags('webhook', {
    mode: 'batch',
    maxSize: 400,
    maxWait: '30s',
    throttleEnable: true,
    throttleQps: 10,
    throttleBurst: 15,
  }),
});
