import { KindRules } from '../../../../../test/support/kind-rules.ts';
import type { Pod } from '../../../../api/gen/types/core-v1.ts';

export const pods = new KindRules<Pod>('v1', 'pods');

export type Json = Record<string, unknown>;

export const app = { name: 'app', image: 'nginx' };

export const pod = (spec: Json = {}, metadata: Json = {}): Json => ({
  metadata: { name: 'web', ...metadata },
  spec: { containers: [app], ...spec },
});

export const withContainer = (container: Json, spec: Json = {}): Json =>
  pod({ containers: [{ ...app, ...container }], ...spec });

export const withVolume = (volume: Json): Json => pod({ volumes: [{ name: 'v', ...volume }] });
