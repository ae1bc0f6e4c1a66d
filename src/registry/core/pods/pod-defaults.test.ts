import { describe, expect, it } from 'vitest';
import { pods, pod, withContainer } from './testing/pods.ts';
import { withVolume } from './testing/pods.ts';

describe('defaults of a pod', () => {
  it('Defaults of a pod fill in how it is run', () => {
    expect(pods.create(pod()).object.spec).toEqual({
      containers: [
        {
          name: 'app',
          image: 'nginx',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'Always',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
      enableServiceLinks: true,
    });
  });

  it.each([
    { image: 'nginx', policy: 'Always' },
    { image: 'nginx:latest', policy: 'Always' },
    { image: 'nginx:1.27', policy: 'IfNotPresent' },
    { image: 'registry:5000/nginx', policy: 'Always' },
    { image: 'nginx@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', policy: 'IfNotPresent' },
  ])('Pull $image $policy', ({ image, policy }) => {
    expect(pods.create(withContainer({ image })).object.spec.containers![0]!.imagePullPolicy).toBe(policy);
  });

  it.each([
    {
      name: 'requests from limits',
      container: { resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '100m' } } },
      expected: { resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '100m', memory: '1Gi' } } },
    },
    {
      name: 'the rest of a probe',
      container: { livenessProbe: { httpGet: { port: 80 } } },
      expected: {
        livenessProbe: {
          httpGet: { path: '/', port: 80, scheme: 'HTTP' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
      },
    },
    {
      name: 'the protocol of ports',
      container: { ports: [{ containerPort: 80 }] },
      expected: { ports: [{ containerPort: 80, protocol: 'TCP' }] },
    },
    {
      name: 'the version of field references',
      container: { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
      expected: { env: [{ name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }] },
    },
  ])('Defaults of a pod fill in $name', ({ container, expected }) => {
    expect(pods.create(withContainer(container)).object.spec.containers![0]).toMatchObject(expected);
  });

  it.each([
    { name: 'nothing', volume: {}, expected: { emptyDir: {} } },
    {
      name: 'a secret',
      volume: { secret: { secretName: 's' } },
      expected: { secret: { secretName: 's', defaultMode: 420 } },
    },
    { name: 'a host path', volume: { hostPath: { path: '/a' } }, expected: { hostPath: { path: '/a', type: '' } } },
    {
      name: 'tokens',
      volume: { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      expected: {
        projected: { sources: [{ serviceAccountToken: { expirationSeconds: 3600, path: 't' } }], defaultMode: 420 },
      },
    },
    {
      name: 'an image',
      volume: { iscsi: { targetPortal: '10.0.0.1', iqn: 'iqn.2001-04.com.example:a', lun: 0 } },
      expected: {
        iscsi: { targetPortal: '10.0.0.1', iqn: 'iqn.2001-04.com.example:a', lun: 0, iscsiInterface: 'default' },
      },
    },
  ])('Defaults of a pod for a volume of $name', ({ volume, expected }) => {
    expect(pods.create(withVolume(volume)).object.spec.volumes).toEqual([{ name: 'v', ...expected }]);
  });

  it('Defaults of a pod open the ports of containers in the network of the host there', () => {
    expect(
      pods.create(withContainer({ ports: [{ containerPort: 80 }] }, { hostNetwork: true })).object.spec.containers![0]!
        .ports,
    ).toEqual([{ hostPort: 80, containerPort: 80, protocol: 'TCP' }]);
  });
});
