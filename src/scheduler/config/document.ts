/** The document `KubeSchedulerConfiguration` as it is written: nothing filled in, and values not judged. */
import type { NodeAffinity, TopologySpreadConstraint } from '../../api/gen/types/core-v1.ts';
import { readConfigurationDocument } from '../../machinery/configuration-document.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import type { ExtensionPoint } from '../framework/extension-point.ts';
import { extensionPointNames } from '../framework/extension-point.ts';
import { readShape, type Shape } from '../../machinery/document-shape.ts';

export interface PluginSetDocument {
  readonly enabled?: readonly { readonly name?: string; readonly weight?: number }[];
  readonly disabled?: readonly { readonly name?: string }[];
}

export type PluginsDocument = Readonly<Partial<Record<ExtensionPoint | 'multiPoint', PluginSetDocument>>>;

export interface ProfileDocument {
  readonly schedulerName?: string;
  readonly percentageOfNodesToScore?: number;
  readonly plugins?: PluginsDocument;
  readonly pluginConfig?: readonly { readonly name?: string; readonly args?: unknown }[];
}

export interface ExtenderDocument {
  readonly urlPrefix?: string;
  readonly filterVerb?: string;
  readonly preemptVerb?: string;
  readonly prioritizeVerb?: string;
  readonly weight?: number;
  readonly bindVerb?: string;
  readonly enableHTTPS?: boolean;
  readonly tlsConfig?: {
    readonly insecure?: boolean;
    readonly serverName?: string;
    readonly certFile?: string;
    readonly keyFile?: string;
    readonly caFile?: string;
    readonly certData?: string;
    readonly keyData?: string;
    readonly caData?: string;
  };
  /** Milliseconds. */
  readonly httpTimeout?: number;
  readonly nodeCacheCapable?: boolean;
  readonly managedResources?: readonly { readonly name?: string; readonly ignoredByScheduler?: boolean }[];
  readonly ignorable?: boolean;
}

export interface SchedulerDocument {
  readonly parallelism?: number;
  readonly leaderElection?: {
    readonly leaderElect?: boolean;
    /** Milliseconds. */
    readonly leaseDuration?: number;
    readonly renewDeadline?: number;
    readonly retryPeriod?: number;
    readonly resourceLock?: string;
    readonly resourceName?: string;
    readonly resourceNamespace?: string;
  };
  readonly clientConnection?: {
    readonly kubeconfig?: string;
    readonly acceptContentTypes?: string;
    readonly contentType?: string;
    readonly qps?: number;
    readonly burst?: number;
  };
  readonly enableProfiling?: boolean;
  readonly enableContentionProfiling?: boolean;
  readonly percentageOfNodesToScore?: number;
  readonly podInitialBackoffSeconds?: number;
  readonly podMaxBackoffSeconds?: number;
  readonly profiles?: readonly ProfileDocument[];
  readonly extenders?: readonly ExtenderDocument[];
  readonly delayCacheUntilActive?: boolean;
}

const pluginSet: Shape = {
  enabled: [{ name: 'string', weight: 'integer' }],
  disabled: [{ name: 'string', weight: 'integer' }],
};

const profile: Shape = {
  schedulerName: 'string',
  percentageOfNodesToScore: 'integer',
  plugins: Object.fromEntries([...extensionPointNames, 'multiPoint'].map((point) => [point, pluginSet])),
  pluginConfig: [{ name: 'string', args: 'any' }],
};

const extender: Shape = {
  urlPrefix: 'string',
  filterVerb: 'string',
  preemptVerb: 'string',
  prioritizeVerb: 'string',
  weight: 'integer',
  bindVerb: 'string',
  enableHTTPS: 'boolean',
  tlsConfig: {
    insecure: 'boolean',
    serverName: 'string',
    certFile: 'string',
    keyFile: 'string',
    caFile: 'string',
    certData: 'string',
    keyData: 'string',
    caData: 'string',
  },
  httpTimeout: 'duration',
  nodeCacheCapable: 'boolean',
  managedResources: [{ name: 'string', ignoredByScheduler: 'boolean' }],
  ignorable: 'boolean',
};

const shape: Shape = {
  parallelism: 'integer',
  leaderElection: {
    leaderElect: 'boolean',
    leaseDuration: 'duration',
    renewDeadline: 'duration',
    retryPeriod: 'duration',
    resourceLock: 'string',
    resourceName: 'string',
    resourceNamespace: 'string',
  },
  clientConnection: {
    kubeconfig: 'string',
    acceptContentTypes: 'string',
    contentType: 'string',
    qps: 'number',
    burst: 'integer',
  },
  enableProfiling: 'boolean',
  enableContentionProfiling: 'boolean',
  percentageOfNodesToScore: 'integer',
  podInitialBackoffSeconds: 'integer',
  podMaxBackoffSeconds: 'integer',
  profiles: [profile],
  extenders: [extender],
  delayCacheUntilActive: 'boolean',
};

/** Ours is the specification's spelling of the other. */
export const apiVersions = ['kubescheduler.config.k8s.io/v1', 'kubescheduler.config.orch.io/v1'];

/** Throws an Error that names each field that is wrong, unknown or given twice. */
export const readDocument = (text: string): SchedulerDocument =>
  readConfigurationDocument(
    text,
    { apiVersions, kind: 'KubeSchedulerConfiguration' },
    (members, errors) => readShape(members, shape, FieldPath.root, errors) as SchedulerDocument,
  );

/** Arguments as they are written, by plugin. */
export interface ArgsDocuments {
  readonly DefaultPreemption: { minCandidateNodesPercentage?: number; minCandidateNodesAbsolute?: number };
  readonly InterPodAffinity: { hardPodAffinityWeight?: number; ignorePreferredTermsOfExistingPods?: boolean };
  readonly NodeAffinity: { addedAffinity?: NodeAffinity };
  readonly NodeResourcesBalancedAllocation: { resources?: readonly ResourceDocument[] };
  readonly NodeResourcesFit: {
    ignoredResources?: readonly string[];
    ignoredResourceGroups?: readonly string[];
    scoringStrategy?: {
      type?: string;
      resources?: readonly ResourceDocument[];
      requestedToCapacityRatio?: { shape?: readonly ShapePointDocument[] };
    };
  };
  readonly PodTopologySpread: { defaultConstraints?: readonly TopologySpreadConstraint[]; defaultingType?: string };
  readonly VolumeBinding: { bindTimeoutSeconds?: number; shape?: readonly ShapePointDocument[] };
}

export interface ResourceDocument {
  readonly name?: string;
  readonly weight?: number;
}

export interface ShapePointDocument {
  readonly utilization?: number;
  readonly score?: number;
}

const resources: Shape = [{ name: 'string', weight: 'integer' }];
const points: Shape = [{ utilization: 'integer', score: 'integer' }];

export const argsShapes: Readonly<Record<keyof ArgsDocuments, Shape>> = {
  DefaultPreemption: { minCandidateNodesPercentage: 'integer', minCandidateNodesAbsolute: 'integer' },
  InterPodAffinity: { hardPodAffinityWeight: 'integer', ignorePreferredTermsOfExistingPods: 'boolean' },
  NodeAffinity: { addedAffinity: 'any' },
  NodeResourcesBalancedAllocation: { resources },
  NodeResourcesFit: {
    ignoredResources: ['string'],
    ignoredResourceGroups: ['string'],
    scoringStrategy: { type: 'string', resources, requestedToCapacityRatio: { shape: points } },
  },
  PodTopologySpread: {
    defaultConstraints: [
      {
        maxSkew: 'integer',
        topologyKey: 'string',
        whenUnsatisfiable: 'string',
        labelSelector: 'any',
        minDomains: 'integer',
        nodeAffinityPolicy: 'string',
        nodeTaintsPolicy: 'string',
        matchLabelKeys: ['string'],
      },
    ],
    defaultingType: 'string',
  },
  VolumeBinding: { bindTimeoutSeconds: 'integer', shape: points },
};
