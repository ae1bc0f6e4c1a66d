import { Histogram } from 'prom-client';
import { perRegistry } from '../shared/per-registry.ts';

export const creationSkew = perRegistry(
  (registry) =>
    new Histogram({
      name: 'cronjob_controller_job_creation_skew_duration_seconds',
      help: 'Seconds from when a Job was due to when it was created.',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
      registers: [registry],
    }),
);
