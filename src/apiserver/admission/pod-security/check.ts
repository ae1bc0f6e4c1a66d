/** What the checks of the standards share: what they see of a pod, and what they find in it. */
import type { PodSpec } from '../../../api/gen/types/core-v1.ts';
import { type AnyContainer, visitContainers } from '../../../api/core/pods/container-list.ts';
import type { ObjectMeta } from '../../../machinery/object-meta.ts';
import { setters } from './messages.ts';

/** A pod, or the template of one. */
export interface PodView {
  readonly metadata: ObjectMeta | undefined;
  readonly spec: PodSpec;
}

export interface Finding {
  readonly reason: string;
  readonly detail?: string;
}

export interface Check {
  readonly id: string;
  readonly level: 'baseline' | 'restricted';
  /** A baseline check that it makes needless. */
  readonly overrides?: string;
  /** From a minor version of the standard up to the next entry; there is no check before the first. */
  readonly versions: readonly { readonly from: number; readonly run: (pod: PodView) => Finding | undefined }[];
}

/** Names of the containers for which the test holds: init containers, containers, ephemeral containers. */
export function containersWhere(spec: PodSpec, test: (container: AnyContainer) => boolean): string[] {
  const names: string[] = [];
  visitContainers(spec, (container) => {
    if (test(container)) names.push(container.name ?? '');
  });
  return names;
}

export interface Settings {
  readonly pod: boolean;
  readonly containers: readonly string[];
  readonly values: ReadonlySet<string>;
}

/** Where a setting that pods and containers share has a value that is not allowed. */
export function settingsOf(
  spec: PodSpec,
  read: (
    context: NonNullable<PodSpec['securityContext']> | NonNullable<AnyContainer['securityContext']>,
  ) => string | undefined,
  isAllowed: (value: string) => boolean,
): Settings {
  const values = new Set<string>();
  const isBad = (context: Parameters<typeof read>[0] | undefined): boolean => {
    const value = context === undefined ? undefined : read(context);
    if (value === undefined || isAllowed(value)) return false;
    values.add(value);
    return true;
  };
  const pod = isBad(spec.securityContext);
  return { pod, containers: containersWhere(spec, ({ securityContext }) => isBad(securityContext)), values };
}

export const isAnywhere = ({ pod, containers }: Settings): boolean => pod || containers.length > 0;

export const whoSet = ({ pod, containers }: Settings): string => setters(pod, containers);

export const annotationsOf = ({ metadata }: PodView): [string, string][] => Object.entries(metadata?.annotations ?? {});
