/**
 * What kubelet 1.32.13 answered at its port (`node-server.jsonl`), and by way of it (`node-streams.jsonl`), asked again
 * of the whole node agent on a private containerd.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { differences } from '../../node/compare.ts';
import { namespace, nodeName, type NodeCluster, startNodeCluster } from '../../node/node-cluster.ts';
import { type NodeCase, nodeCases } from '../../node/recording.ts';
import { play, unsupportedStep } from '../../node/replay.ts';
import { reasonToSkip } from '../../node/sandbox.ts';

/** Another one where a sandbox that runs is used, `ORCH_NODE_SANDBOX`. */
const subnet = process.env['ORCH_NODE_SUBNET'] ?? '10.94.';

/** Why a case is not compared. */
const leftOut: Readonly<Record<string, string>> = {
  'runtime-down': 'it takes a minute and a half; src/node-agent/node/runtime-health.test.ts has the rules',
  'runtime-restarted': 'it takes more than a minute; src/node-agent/node/runtime-health.test.ts has the rules',
};

/** They change the node or its runtime, which the others would notice, or show all pods. */
const alone = new Set(['server-open', 'node-cordon', 'runtime-down', 'runtime-restarted']);

const reason = reasonToSkip();

describe.skipIf(reason !== undefined)(`Recordings of a port${reason === undefined ? '' : ` (${reason})`}`, () => {
  let cluster: NodeCluster;

  beforeAll(async () => {
    cluster = await startNodeCluster({ bridge: 'nsbp', subnet: `${subnet}0.0/16`, isProgram: true });
    await cluster.client.core.v1.namespaces.create({ metadata: { name: namespace } });
    await cluster.startAgent();
  });

  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
  });

  /** What differs between machines, by the names that recordings have for it. */
  const ofMachine = async (): Promise<(readonly [string, string])[]> => {
    const {
      nodeInfo = {},
      capacity = {},
      allocatable = {},
    } = (await cluster.client.core.v1.nodes.get(nodeName)).status;
    const named = ['machineID', 'systemUUID', 'bootID', 'kernelVersion', 'osImage'] as const;
    return [
      [nodeInfo.kubeletVersion!, 'v1.32.13'],
      [nodeInfo.containerRuntimeVersion!, 'containerd://1.6.20'],
      ...named.map((name) => [nodeInfo[name]!, `<${name}>`] as const),
      ...['ephemeral-storage', 'memory'].flatMap((name) =>
        [capacity[name]!, allocatable[name]!].map((quantity) => [quantity, '<quantity>'] as const),
      ),
    ];
  };

  const check = async (original: NodeCase): Promise<void> => {
    const { machineID, systemUUID } = (await cluster.client.core.v1.nodes.get(nodeName)).status.nodeInfo ?? {};
    const text = JSON.stringify(original);
    // A machine without a UUID is told by its id.
    const recorded = JSON.parse(
      machineID === systemUUID ? text.replace('<systemUUID>', '<machineID>') : text,
    ) as NodeCase;
    const options = {
      hostIP: cluster.hostIP,
      podPrefix: subnet,
      names: [[cluster.workDirectory, '<work>'], [cluster.sandbox.directory, '<runtime>'], ...(await ofMachine())],
    } as const;
    const played = await play(recorded, cluster, (soFar) => differences(recorded, soFar, options).length === 0);
    expect(differences(recorded, played, options)).toEqual([]);
  };

  const rows = ['streams', 'server']
    .flatMap((section) => nodeCases(section))
    .map((recorded) => ({
      name: `${recorded.section}, ${recorded.id}`,
      recorded,
      why: leftOut[recorded.id] ?? unsupportedStep(recorded, true),
    }));
  const timeout = 240_000;

  for (const { name, recorded, why } of rows.filter((row) => !alone.has(row.recorded.id)))
    test
      .skipIf(why !== undefined)
      .concurrent(`The port answers as recorded: ${name}`, { timeout }, () => check(recorded));

  for (const { name, recorded, why } of rows.filter((row) => alone.has(row.recorded.id)))
    test.skipIf(why !== undefined)(`The port answers as recorded, alone: ${name}`, { timeout }, () => check(recorded));
});
