import { KindRules } from '../../../../../test/support/kind-rules.ts';
import type { Job } from '../../../../api/gen/types/batch-v1.ts';

export const jobs = new KindRules<Job>('batch/v1', 'jobs');

export type Json = Record<string, unknown>;

export const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'busybox' }] } };

export const job = (spec: Json = {}, rest: Json = {}): Json => ({
  metadata: { name: 'work' },
  spec: { template, ...spec },
  ...rest,
});
