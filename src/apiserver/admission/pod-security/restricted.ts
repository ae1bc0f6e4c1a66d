/**
 * The restricted standard: hardening on top of baseline.
 * @see {@link https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted | Pod Security Standards:
 *   restricted}
 */
import { addedCapabilities, isProfileAllowed } from './baseline.ts';
import { named, namedContainers, one, quoted, setters } from './messages.ts';
import { type Check, containersWhere, type Finding, isAnywhere, type PodView, settingsOf, whoSet } from './check.ts';

type Run = Check['versions'][number]['run'];

/** What only Linux knows does not hold for Windows. */
const exceptWindows =
  (run: Run): Run =>
  (pod) =>
    pod.spec.os?.name === 'windows' ? undefined : run(pod);

function allowPrivilegeEscalation({ spec }: PodView): Finding | undefined {
  const names = containersWhere(spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  return names.length === 0
    ? undefined
    : {
        reason: 'allowPrivilegeEscalation != false',
        detail: `${namedContainers(names)} must set securityContext.allowPrivilegeEscalation=false`,
      };
}

const restrictedCapabilities = new Set(['NET_BIND_SERVICE']);

function capabilities(pod: PodView): Finding | undefined {
  const keeping = containersWhere(
    pod.spec,
    ({ securityContext }) => securityContext?.capabilities?.drop?.includes('ALL') !== true,
  );
  const added = addedCapabilities(pod, restrictedCapabilities);
  const details = [
    ...(keeping.length > 0 ? [`${namedContainers(keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(added.names.length > 0
      ? [
          `${namedContainers(added.names)} must not include ${quoted(added.capabilities)} in ` +
            'securityContext.capabilities.add',
        ]
      : []),
  ];
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
}

const allowedVolumes = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

/** The check knows no name for what came after it. */
function volumeType(volume: object): string {
  const type = Object.entries(volume).find(([key, value]) => key !== 'name' && value !== undefined)?.[0];
  return type === undefined || type === 'image' ? 'unknown' : type;
}

function restrictedVolumes({ spec }: PodView): Finding | undefined {
  const bad = (spec.volumes ?? []).filter((volume) => !allowedVolumes.has(volumeType(volume)));
  if (bad.length === 0) return undefined;
  const types = new Set(bad.map(volumeType));
  return {
    reason: 'restricted volume types',
    detail: [
      named(
        'volume',
        bad.map(({ name }) => name ?? ''),
      ),
      one(bad.length, 'uses', 'use'),
      one(types.size, 'restricted volume type', 'restricted volume types'),
      quoted(types),
    ].join(' '),
  };
}

function runAsNonRoot({ spec }: PodView): Finding | undefined {
  const ofPod = spec.securityContext?.runAsNonRoot;
  const refusing = containersWhere(spec, ({ securityContext }) => securityContext?.runAsNonRoot === false);
  const reason = 'runAsNonRoot != true';
  if (ofPod === false || refusing.length > 0)
    return { reason, detail: `${setters(ofPod === false, refusing)} must not set securityContext.runAsNonRoot=false` };
  const silent =
    ofPod === true ? [] : containersWhere(spec, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  return silent.length === 0
    ? undefined
    : { reason, detail: `pod or ${namedContainers(silent)} must set securityContext.runAsNonRoot=true` };
}

function runAsUser({ spec }: PodView): Finding | undefined {
  const isRoot = (user: number | bigint | undefined): boolean => user !== undefined && Number(user) === 0;
  const pod = isRoot(spec.securityContext?.runAsUser);
  const containers = containersWhere(spec, ({ securityContext }) => isRoot(securityContext?.runAsUser));
  return pod || containers.length > 0
    ? { reason: 'runAsUser=0', detail: `${setters(pod, containers)} must not set runAsUser=0` }
    : undefined;
}

function seccompProfile({ spec }: PodView): Finding | undefined {
  const reason = 'seccompProfile';
  const bad = settingsOf(spec, ({ seccompProfile }) => seccompProfile?.type, isProfileAllowed);
  if (isAnywhere(bad))
    return {
      reason,
      detail: `${whoSet(bad)} must not set securityContext.seccompProfile.type to ${quoted(bad.values)}`,
    };
  const silent =
    spec.securityContext?.seccompProfile !== undefined
      ? []
      : containersWhere(spec, ({ securityContext }) => securityContext?.seccompProfile === undefined);
  return silent.length === 0
    ? undefined
    : {
        reason,
        detail:
          `pod or ${namedContainers(silent)} must set securityContext.seccompProfile.type to ` +
          '"RuntimeDefault" or "Localhost"',
      };
}

const level = 'restricted';

/** In the order of their findings. */
export const restrictedChecks: readonly Check[] = [
  {
    id: 'allowPrivilegeEscalation',
    level,
    versions: [
      { from: 8, run: allowPrivilegeEscalation },
      { from: 25, run: exceptWindows(allowPrivilegeEscalation) },
    ],
  },
  {
    id: 'capabilities_restricted',
    level,
    overrides: 'capabilities_baseline',
    versions: [
      { from: 22, run: capabilities },
      { from: 25, run: exceptWindows(capabilities) },
    ],
  },
  { id: 'restrictedVolumes', level, overrides: 'hostPathVolumes', versions: [{ from: 0, run: restrictedVolumes }] },
  { id: 'runAsNonRoot', level, versions: [{ from: 0, run: runAsNonRoot }] },
  { id: 'runAsUser', level, versions: [{ from: 23, run: runAsUser }] },
  {
    id: 'seccompProfile_restricted',
    level,
    overrides: 'seccompProfile_baseline',
    versions: [
      { from: 19, run: seccompProfile },
      { from: 25, run: exceptWindows(seccompProfile) },
    ],
  },
];
