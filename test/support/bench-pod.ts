import type { JsonObject } from '../../src/machinery/value.ts';

/** A pod of about 2.5 kB of JSON, defaults included, like those of the load driver. */
export function benchPod(): JsonObject {
  const probe = {
    httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' },
    initialDelaySeconds: 5,
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  };
  return {
    metadata: {
      name: 'web-0',
      namespace: 'default',
      generateName: 'web-',
      labels: { app: 'web', tier: 'front', 'pod-template-hash': '6d4cf56db6', group: 'g17' },
      annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080', note: 'x'.repeat(300) },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'web-6d4cf56db6',
          uid: '4f6c7e40-6f4c-4a1b-9f1e-2d6f5c1b7a10',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      volumes: [
        { name: 'config', configMap: { name: 'web-config', defaultMode: 420 } },
        { name: 'data', emptyDir: {} },
      ],
      containers: ['app', 'sidecar'].map((name) => ({
        name,
        image: `registry.example.com/${name}:1.2.3`,
        args: ['--listen=:8080', '--log-level=info'],
        ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
        env: [
          { name: 'MODE', value: 'production' },
          { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
        ],
        resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
        volumeMounts: [
          { name: 'config', mountPath: '/etc/config' },
          { name: 'data', mountPath: '/data' },
        ],
        livenessProbe: probe,
        readinessProbe: probe,
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
      })),
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      serviceAccountName: 'default',
      serviceAccount: 'default',
      securityContext: {},
      schedulerName: 'default-scheduler',
      enableServiceLinks: true,
    },
    status: { phase: 'Pending', qosClass: 'Burstable' },
  };
}
