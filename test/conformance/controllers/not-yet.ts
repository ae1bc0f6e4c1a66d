/**
 * What a case is about that does not exist yet: such a case is skipped, so that a new controller brings its recordings
 * with it. What it needs beside that, such as the garbage collector after a deletion, is not here: it fails until then.
 */
import { controllerTable } from '../../../src/controllers/manager/controller-table.ts';
import { pluginPoints } from '../../../src/scheduler/plugins/registry.ts';
import type { Section } from './sections.ts';

interface Need {
  /** Part of the ids of the cases; all of the section when absent. */
  readonly cases?: RegExp;
  /** Names of controllers, or of plugins of the scheduler. */
  readonly parts: readonly string[];
}

const all = (...parts: readonly string[]): Need => ({ parts });
const only = (cases: RegExp, ...parts: readonly string[]): Need => ({ cases, parts });

const needs: Readonly<Record<Section, readonly Need[]>> = {
  'controllers-attach': [all('persistentvolume-attach-detach-controller', 'persistentvolume-binder-controller')],
  'controllers-bootstrap': [all('bootstrap-signer-controller')],
  'controllers-cronjob': [all('cronjob-controller')],
  'controllers-csr': [
    all('certificatesigningrequest-approving-controller', 'certificatesigningrequest-signing-controller'),
  ],
  'controllers-daemonset': [all('daemonset-controller')],
  'controllers-deployment': [all('deployment-controller', 'replicaset-controller')],
  'controllers-endpoints': [
    all('endpoints-controller', 'endpointslice-controller'),
    only(/mirroring/, 'endpointslice-mirroring-controller'),
  ],
  'controllers-gc': [
    only(/^pod gc/, 'pod-garbage-collector-controller'),
    only(/^(?!pod gc)/, 'garbage-collector-controller'),
  ],
  'controllers-hpa': [all('horizontal-pod-autoscaler-controller', 'deployment-controller')],
  'controllers-job': [all('job-controller')],
  'controllers-misc': [
    only(/policy/, 'validatingadmissionpolicy-status-controller'),
    only(/^(?!policy)/, 'clusterrole-aggregation-controller'),
  ],
  'controllers-namespace': [all('namespace-controller')],
  'controllers-node': [all('node-lifecycle-controller', 'taint-eviction-controller')],
  'controllers-pdb': [all('disruption-controller')],
  'controllers-quota': [all('resourcequota-controller'), only(/^storage$/, 'persistentvolume-binder-controller')],
  'controllers-replicaset': [all('replicaset-controller', 'replicationcontroller-controller')],
  'controllers-serviceaccount': [
    all('serviceaccount-controller', 'serviceaccount-token-controller', 'root-ca-certificate-publisher-controller'),
  ],
  'controllers-statefulset': [all('statefulset-controller'), only(/claim/, 'persistentvolume-binder-controller')],
  'controllers-volumes': [
    all(
      'persistentvolume-binder-controller',
      'persistentvolumeclaim-protection-controller',
      'persistentvolume-protection-controller',
    ),
    only(/ephemeral/, 'ephemeral-volume-controller'),
  ],
  'scheduler-fit': [all('NodeResourcesFit')],
  'scheduler-nodes': [all('NodeAffinity')],
  'scheduler-pods': [only(/affinity/, 'InterPodAffinity'), only(/^spread|topology/, 'PodTopologySpread')],
  'scheduler-preemption': [all('DefaultPreemption')],
  'scheduler-volumes': [
    all('VolumeBinding'),
    // In all others volumes are bound, or become available.
    only(/^(?!unbound immediate|wait for first consumer without)/, 'persistentvolume-binder-controller'),
    only(/ephemeral/, 'ephemeral-volume-controller'),
  ],
};

const controllers = new Set(controllerTable.filter(({ load }) => load !== undefined).map(({ name }) => name));

const exists = (part: string): boolean => controllers.has(part) || pluginPoints(part) !== undefined;

/** Why a case is skipped; undefined when it is not. */
export function notYet(section: Section, id: string, isReference: boolean): string | undefined {
  if (isReference) return section.startsWith('scheduler-') ? 'the reference has no scheduler' : undefined;
  const parts = needs[section].filter(({ cases }) => cases?.test(id) !== false).flatMap((need) => need.parts);
  const missing = parts.filter((part) => !exists(part));
  return missing.length === 0 ? undefined : `there is no ${missing.join(', ')} yet`;
}
