/**
 * The controllers that a section is about. A section is skipped as long as one of them does not exist, so that a new
 * controller brings its recordings with it.
 */
import { controllerTable } from '../../../src/controllers/manager/controller-table.ts';
import type { Section } from './sections.ts';

const needs: Readonly<Record<Section, readonly string[]>> = {
  'controllers-attach': ['persistentvolume-attach-detach-controller', 'persistentvolume-binder-controller'],
  'controllers-bootstrap': ['bootstrap-signer-controller', 'token-cleaner-controller'],
  'controllers-cronjob': ['cronjob-controller', 'job-controller'],
  'controllers-csr': ['certificatesigningrequest-approving-controller', 'certificatesigningrequest-signing-controller'],
  'controllers-daemonset': ['daemonset-controller', 'node-lifecycle-controller'],
  'controllers-deployment': ['deployment-controller', 'replicaset-controller'],
  'controllers-endpoints': ['endpoints-controller', 'endpointslice-controller', 'endpointslice-mirroring-controller'],
  'controllers-gc': ['garbage-collector-controller', 'pod-garbage-collector-controller'],
  'controllers-hpa': ['horizontal-pod-autoscaler-controller', 'deployment-controller'],
  'controllers-job': ['job-controller'],
  'controllers-misc': ['clusterrole-aggregation-controller', 'validatingadmissionpolicy-status-controller'],
  'controllers-namespace': ['namespace-controller'],
  'controllers-node': ['node-lifecycle-controller', 'taint-eviction-controller'],
  'controllers-pdb': ['disruption-controller'],
  'controllers-quota': ['resourcequota-controller'],
  'controllers-replicaset': ['replicaset-controller', 'replicationcontroller-controller'],
  'controllers-serviceaccount': [
    'serviceaccount-controller',
    'serviceaccount-token-controller',
    'root-ca-certificate-publisher-controller',
  ],
  'controllers-statefulset': ['statefulset-controller'],
  'controllers-volumes': [
    'persistentvolume-binder-controller',
    'persistentvolumeclaim-protection-controller',
    'persistentvolume-protection-controller',
  ],
  'scheduler-fit': ['scheduler'],
  'scheduler-nodes': ['scheduler'],
  'scheduler-pods': ['scheduler'],
  'scheduler-preemption': ['scheduler'],
  'scheduler-volumes': ['scheduler'],
};

const existing = new Set(controllerTable.filter(({ load }) => load !== undefined).map(({ name }) => name));

/** Why a section is skipped; undefined when it is not. */
export function notYet(section: Section, isReference: boolean): string | undefined {
  const missing = needs[section].filter((name) => (isReference ? name === 'scheduler' : !existing.has(name)));
  if (missing.length === 0) return undefined;
  return isReference ? 'the reference has no scheduler' : `not yet there: ${missing.join(', ')}`;
}
