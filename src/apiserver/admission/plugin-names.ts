/**
 * The names of all admission plugins, in execution order, which flags do not change, and which of them run unless told
 * otherwise.
 *
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#what-does-each-admission-controller-do
 *   | What each admission controller does}
 */
export interface PluginName {
  readonly name: string;
  /** On unless named in `--disable-admission-plugins`; the others need `--enable-admission-plugins`. */
  readonly default: boolean;
}

const plugin = (name: string, place: 'default' | 'optional'): PluginName => ({
  name,
  default: place === 'default',
});

export const pluginNames: readonly PluginName[] = [
  plugin('AlwaysAdmit', 'optional'),
  plugin('NamespaceAutoProvision', 'optional'),
  plugin('NamespaceLifecycle', 'default'),
  plugin('NamespaceExists', 'optional'),
  plugin('LimitPodHardAntiAffinityTopology', 'optional'),
  plugin('LimitRanger', 'default'),
  plugin('ServiceAccount', 'default'),
  plugin('NodeRestriction', 'optional'),
  plugin('TaintNodesByCondition', 'default'),
  plugin('AlwaysPullImages', 'optional'),
  plugin('ImagePolicyWebhook', 'optional'),
  plugin('PodSecurity', 'default'),
  plugin('PodNodeSelector', 'optional'),
  plugin('Priority', 'default'),
  plugin('DefaultTolerationSeconds', 'default'),
  plugin('PodTolerationRestriction', 'optional'),
  plugin('EventRateLimit', 'optional'),
  plugin('ExtendedResourceToleration', 'optional'),
  plugin('DefaultStorageClass', 'default'),
  plugin('StorageObjectInUseProtection', 'default'),
  plugin('OwnerReferencesPermissionEnforcement', 'optional'),
  plugin('PersistentVolumeClaimResize', 'default'),
  plugin('RuntimeClass', 'default'),
  plugin('CertificateApproval', 'default'),
  plugin('CertificateSigning', 'default'),
  plugin('ClusterTrustBundleAttest', 'default'),
  plugin('CertificateSubjectRestriction', 'default'),
  plugin('DefaultIngressClass', 'default'),
  plugin('DenyServiceExternalIPs', 'optional'),
  plugin('MutatingAdmissionPolicy', 'default'),
  plugin('MutatingAdmissionWebhook', 'default'),
  plugin('ValidatingAdmissionPolicy', 'default'),
  plugin('ValidatingAdmissionWebhook', 'default'),
  plugin('ResourceQuota', 'default'),
  plugin('AlwaysDeny', 'optional'),
];

/** Names of the plugins that run. */
export const runningPlugins = ({
  enable,
  disable,
}: {
  readonly enable: readonly string[];
  readonly disable: readonly string[];
}): ReadonlySet<string> =>
  new Set(
    pluginNames
      .filter(
        (candidate) => (candidate.default || enable.includes(candidate.name)) && !disable.includes(candidate.name),
      )
      .map(({ name }) => name),
  );
