import { describe, expect, test } from 'vitest';
import type { APIService, APIServiceSpec } from '../../api/gen/types/apiregistration-v1.ts';
import { type RemoteApi, remoteApiOf } from './remote-api.ts';

const apiService = (spec: Partial<APIServiceSpec>, status: object = {}): APIService =>
  ({
    metadata: { name: 'v1.metrics.example.com' },
    spec: { group: 'metrics.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 15, ...spec },
    status,
  }) as APIService;

const service = { namespace: 'default', name: 'metrics' };
const condition = (status: string): object => ({ conditions: [{ type: 'Available', status }] });

describe('an APIService', () => {
  test.each([
    { name: 'without a service is answered here', object: apiService({}) },
    { name: 'of the core group is answered here, with a service too', object: apiService({ group: '', service }) },
  ])('An APIService: $name', ({ object }) => expect(remoteApiOf(object)).toBeUndefined());

  test.each<{ name: string; object: APIService; expected: Partial<RemoteApi> }>([
    {
      name: 'has the names, priorities and service',
      object: apiService({ service: { ...service, port: 8443 } }),
      expected: {
        name: 'v1.metrics.example.com',
        apiVersion: 'metrics.example.com/v1',
        groupPriority: 100,
        versionPriority: 15,
        service: { ...service, port: 8443 },
      },
    },
    {
      name: 'has port 443, and the authorities of the system, when it names none',
      object: apiService({ service }),
      expected: { service: { ...service, port: 443 }, ca: undefined, skipVerify: false },
    },
    {
      name: 'has its authorities as PEM',
      object: apiService({ service, caBundle: Buffer.from('PEM').toString('base64') }),
      expected: { ca: 'PEM' },
    },
    {
      name: 'may want no verification',
      object: apiService({ service, insecureSkipTLSVerify: true }),
      expected: { skipVerify: true },
    },
    {
      name: 'is not available before it was checked',
      object: apiService({ service }),
      expected: { isAvailable: false },
    },
    {
      name: 'is available by its condition',
      object: apiService({ service }, condition('True')),
      expected: { isAvailable: true },
    },
    {
      name: 'is not available while that is unknown',
      object: apiService({ service }, condition('Unknown')),
      expected: { isAvailable: false },
    },
  ])('An APIService: $name', ({ object, expected }) => expect(remoteApiOf(object)).toMatchObject(expected));
});
