import {
  validateClusterTrustBundle,
  validateClusterTrustBundleUpdate,
} from '../../../api/certificates/cluster-trust-bundles/validation.ts';
import type { ClusterTrustBundle } from '../../../api/gen/types/certificates-v1alpha1.ts';
import type { ResourceStrategy } from '../../strategy.ts';

export const clusterTrustBundleStrategy: ResourceStrategy<ClusterTrustBundle> = {
  validate: validateClusterTrustBundle,
  validateUpdate: validateClusterTrustBundleUpdate,
  allowUnconditionalUpdate: false,
};
