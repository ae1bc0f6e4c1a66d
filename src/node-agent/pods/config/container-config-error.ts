/** Why a container cannot be made as its pod says; the status shows it with the reason `CreateContainerConfigError`. */
export class ContainerConfigError extends Error {
  override readonly name = 'ContainerConfigError';
}
