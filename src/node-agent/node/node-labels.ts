/** The labels that an operator gives a node. */
import { allowedToNodes, isForbiddenToNodes } from '../../api/core/nodes/own-labels.ts';
import { isLabelValue, isQualifiedName } from '../../machinery/formats/names.ts';

type Labels = Readonly<Record<string, string>>;

/** What is wrong with the labels of `--node-labels`. */
export function nodeLabelProblems(labels: Labels): string[] {
  const forbidden = Object.keys(labels).filter(isForbiddenToNodes).sort();
  const { domains, labels: allowed } = allowedToNodes;
  return [
    ...(forbidden.length === 0
      ? []
      : [
          `unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [${forbidden.join(' ')}]\n` +
            "--node-labels in the 'kubernetes.io' namespace must begin with an allowed prefix " +
            `(${domains.join(', ')}) or be in the specifically allowed set (${[...allowed].sort().join(', ')})`,
        ]),
    ...Object.entries(labels).flatMap(([name, value]) => [
      ...isQualifiedName(name).map((why) => `invalid label key "${name}" in --node-labels: ${why}`),
      ...isLabelValue(value).map((why) => `invalid value "${value}" of label ${name} in --node-labels: ${why}`),
    ]),
  ];
}
