import { expect, test, vi } from 'vitest';
import { startControllerCluster } from './controller-cluster.ts';

test('Pods that share a volume with other SELinux labels are warned, each of the other', async () => {
  await using cluster = await startControllerCluster({
    controllers: ['selinux-warning-controller'],
    featureGates: { SELinuxChangePolicy: true },
  });
  const { core } = cluster.client;
  const iscsi = { targetPortal: '10.0.0.1:3260', iqn: 'iqn.2001-04.com.example:storage', lun: 0 };
  for (const [name, level] of [
    ['a', 's0:c1,c2'],
    ['b', 's0:c8,c9'],
  ] as const)
    await core.v1.pods.create({
      metadata: { name, namespace: 'default' },
      spec: {
        securityContext: { seLinuxOptions: { level } },
        containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
        volumes: [{ name: 'v', iscsi }],
      },
    });
  await vi.waitFor(async () => {
    const { items } = await core.v1.events.namespace('default').list();
    const told = items.map(
      ({ type, reason, message, source }) => `${type} ${reason} [${source?.component}] ${message}`,
    );
    const shared = 'Normal SELinuxLabelConflict [selinux_warning] SELinuxLabel';
    const end = 'If both pods land on the same node, only one of them may access the volume.';
    const because = 'that uses the same volume as this pod with SELinuxLabel';
    expect(told.sort()).toEqual([
      `${shared} ":::s0:c1,c2" conflicts with pod b ${because} ":::s0:c8,c9". ${end}`,
      `${shared} ":::s0:c8,c9" conflicts with pod a ${because} ":::s0:c1,c2". ${end}`,
    ]);
  }, 5000);
});
