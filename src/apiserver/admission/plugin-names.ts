/**
 * The names of all admission plugins, in execution order, which flags do not change; which of them run unless told
 * otherwise, and which this server has.
 *
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#what-does-each-admission-controller-do
 *   | What each admission controller does}
 */
export interface PluginName {
  readonly name: string;
  /** On unless named in `--disable-admission-plugins`; the others need `--enable-admission-plugins`. */
  readonly default: boolean;
  readonly here: boolean;
}

const plugin = (name: string, place: 'default' | 'optional', here: 'here' | 'not here'): PluginName => ({
  name,
  default: place === 'default',
  here: here === 'here',
});

export const pluginNames: readonly PluginName[] = [
  plugin('AlwaysAdmit', 'optional', 'here'),
  plugin('NamespaceAutoProvision', 'optional', 'here'),
  plugin('NamespaceLifecycle', 'default', 'here'),
  plugin('NamespaceExists', 'optional', 'here'),
  plugin('LimitPodHardAntiAffinityTopology', 'optional', 'here'),
  plugin('LimitRanger', 'default', 'here'),
  plugin('ServiceAccount', 'default', 'here'),
  plugin('NodeRestriction', 'optional', 'here'),
  plugin('TaintNodesByCondition', 'default', 'here'),
  plugin('AlwaysPullImages', 'optional', 'here'),
  plugin('ImagePolicyWebhook', 'optional', 'here'),
  plugin('PodSecurity', 'default', 'here'),
  plugin('PodNodeSelector', 'optional', 'here'),
  plugin('Priority', 'default', 'here'),
  plugin('DefaultTolerationSeconds', 'default', 'here'),
  plugin('PodTolerationRestriction', 'optional', 'here'),
  plugin('EventRateLimit', 'optional', 'here'),
  plugin('ExtendedResourceToleration', 'optional', 'here'),
  plugin('DefaultStorageClass', 'default', 'here'),
  plugin('StorageObjectInUseProtection', 'default', 'here'),
  plugin('OwnerReferencesPermissionEnforcement', 'optional', 'here'),
  plugin('PersistentVolumeClaimResize', 'default', 'here'),
  plugin('RuntimeClass', 'default', 'here'),
  plugin('CertificateApproval', 'default', 'here'),
  plugin('CertificateSigning', 'default', 'here'),
  plugin('ClusterTrustBundleAttest', 'default', 'here'),
  plugin('CertificateSubjectRestriction', 'default', 'here'),
  plugin('DefaultIngressClass', 'default', 'here'),
  plugin('DenyServiceExternalIPs', 'optional', 'here'),
  plugin('MutatingAdmissionPolicy', 'default', 'here'),
  plugin('MutatingAdmissionWebhook', 'default', 'here'),
  plugin('ValidatingAdmissionPolicy', 'default', 'here'),
  plugin('ValidatingAdmissionWebhook', 'default', 'here'),
  plugin('ResourceQuota', 'default', 'here'),
  plugin('AlwaysDeny', 'optional', 'here'),
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
