/** How often admission webhooks are asked, how long they take, and what they refuse. */
import type { Registry } from 'prom-client';
import { SeriesCounter } from '../../../server/metrics/series-counter.ts';
import { SeriesHistogram } from '../../../server/metrics/series-histogram.ts';
import type { ObserveConditions } from '../matching/metrics.ts';
import type { ObserveWebhook } from './observations.ts';

const buckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];

/** Codes that no webhook should use are counted as one. */
const maxCode = 600;

/** As upstream, exclusions and errors have other names for the phase than the rest. */
const phases = { admit: 'admit', validating: 'validate' } as const;

export function createWebhookMetrics(registry: Registry, observeConditions: ObserveConditions): ObserveWebhook {
  const durations = new SeriesHistogram({
    name: 'apiserver_admission_webhook_admission_duration_seconds',
    help: 'Time until an admission webhook has answered, in seconds.',
    buckets,
    registry,
  });
  const counter = (name: string, help: string): SeriesCounter =>
    new SeriesCounter({ name: `apiserver_admission_${name}`, help, registry });
  const requests = counter('webhook_request_total', 'Questions to admission webhooks, by the code of the answer.');
  const rejections = counter('webhook_rejection_count', 'Requests that were refused, by admission webhook and cause.');
  const failOpen = counter('webhook_fail_open_count', 'Failures of admission webhooks that were passed over.');
  const exclusions = counter('match_condition_exclusions_total', 'Requests that match conditions left out.');
  return (observation) => {
    const { name, type, operation } = observation;
    switch (observation.what) {
      case 'call': {
        const [code, rejected] = [codeText(observation.code), String(observation.rejected)];
        requests.series({ code, name, operation, rejected, type }).inc();
        return durations.series({ name, operation, rejected, type }).observe(observation.seconds);
      }
      case 'rejection': {
        const about = { error_type: observation.error, name, operation, rejection_code: codeText(observation.code) };
        return rejections.series({ ...about, type }).inc();
      }
      case 'failOpen':
        return failOpen.series({ name, type }).inc();
      case 'conditions': {
        const { failed, seconds, excluded } = observation;
        observeConditions({ kind: 'webhook', name, operation, type, failed, seconds });
        if (excluded) exclusions.series({ kind: 'webhook', name, operation, type: phases[type] }).inc();
      }
    }
  };
}

const codeText = (code: number): string => String(Math.min(code, maxCode));
