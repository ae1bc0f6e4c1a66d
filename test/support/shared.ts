import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

/**
 * The folder with recorded answers and fixtures that some tests compare with. It is not part of the project:
 * `ORCH_SHARED` names it, or it lies beside the checkout. Tests skip with a reason where it is absent.
 */
export const sharedDir = process.env['ORCH_SHARED'] ?? fileURLToPath(new URL('../../../shared', import.meta.url));

export const sharedPath = (...parts: string[]): string => path.join(sharedDir, ...parts);

export const hasShared = (...parts: string[]): boolean => existsSync(sharedPath(...parts));
