/**
 * What kubelet 1.32.13 did with pods on a real containerd (`node-*.jsonl`), done again by the node agent on a private
 * containerd. Answers, statuses that lasted and events have to come out the same.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { differences } from '../../node/compare.ts';
import { namespace, type NodeCluster, startNodeCluster } from '../../node/node-cluster.ts';
import { type NodeCase, nodeCases } from '../../node/recording.ts';
import { play, unsupportedStep } from '../../node/replay.ts';
import { reasonToSkip } from '../../node/sandbox.ts';

/** Another one where a sandbox that runs is used, `ORCH_NODE_SANDBOX`. */
const subnet = process.env['ORCH_NODE_SUBNET'] ?? '10.97.';
const sections = [
  'lifecycle',
  'init',
  'probes',
  'hooks',
  'env',
  'volumes',
  'security',
  'resources',
  'network',
  'static',
  'images',
];

/** Why a case is not compared. */
const leftOut: Readonly<Record<string, string>> = {
  'scheduling-gate-none-fit': 'the scheduler is not part of this test',
  'sidecar-restarts': 'a container starts again when its back-off is over, not with the next look at its pod',
  tolerations: 'whether the refusal or the deletion by the taint is seen first depends on time',
};

/** What it records ends within the second that an evicted pod has, which it has only beside no others. */
const needsTheMachine = 'over-size-limit';

/** They stop the agent or change the node, which the others would notice. */
const isAlone = ({ id, steps }: NodeCase): boolean =>
  id === 'preempt-critical' || id === needsTheMachine || steps.some((step) => 'agent' in step || 'static' in step);

const reason = reasonToSkip();

describe.skipIf(reason !== undefined)(`Recordings of a node agent${reason === undefined ? '' : ` (${reason})`}`, () => {
  let cluster: NodeCluster;

  beforeAll(async () => {
    cluster = await startNodeCluster({ bridge: 'nsbv', subnet: `${subnet}0.0/16` });
    await cluster.client.core.v1.namespaces.create({ metadata: { name: namespace } });
    await cluster.startAgent();
  });

  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
  });

  const check = async (recorded: NodeCase): Promise<void> => {
    const options = {
      hostIP: cluster.hostIP,
      podPrefix: subnet,
      names: [
        [cluster.workDirectory, '<work>'],
        [cluster.rootDirectory, '<rootDir>'],
        [cluster.logDirectory, '<logDir>'],
        [cluster.registry, '<registry>'],
        ['https://kubernetes.default.svc.cluster.local', 'https://localhost:<port>'],
      ],
    } as const;
    const played = await play(recorded, cluster, (soFar) => differences(recorded, soFar, options).length === 0);
    expect(differences(recorded, played, options)).toEqual([]);
  };

  const cases = sections.flatMap((section) => nodeCases(section));
  const rows = cases.map((recorded) => ({
    name: `${recorded.section}, ${recorded.id}`,
    recorded,
    why: leftOut[recorded.id] ?? unsupportedStep(recorded),
  }));
  const timeout = 240_000;

  for (const { name, recorded, why } of rows.filter((row) => !isAlone(row.recorded)))
    test
      .skipIf(why !== undefined)
      .concurrent(`The agent does as recorded: ${name}`, { timeout }, () => check(recorded));

  for (const { name, recorded, why } of rows.filter((row) => isAlone(row.recorded)))
    test.skipIf(why !== undefined)(`The agent does as recorded, alone: ${name}`, { timeout }, () => check(recorded));
});
