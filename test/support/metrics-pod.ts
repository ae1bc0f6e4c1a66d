export const pods = '/api/v1/namespaces/default/pods';

export const pod = (name: string, privileged = false): object => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', securityContext: { privileged } }] },
});
