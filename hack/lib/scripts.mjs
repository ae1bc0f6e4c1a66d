/** Turns the modules of a bundle into scripts, whose compiled code can be kept (`bin/load-bundle.js` runs them). */
import path from 'node:path';
import { transform } from 'esbuild';

/**
 * @param {import('esbuild').OutputFile[]} modules with their source maps inline, and names that contain their hash
 * @param {string} target
 * @returns {Promise<{ path: string, contents: string }[]>} each script, and its source map
 */
export const toScripts = async (modules, target) =>
  (
    await Promise.all(
      modules.map(async (module) => {
        const { code, map } = await transform(module.text, {
          sourcefile: path.basename(module.path),
          format: 'cjs',
          platform: 'node',
          target,
          supported: { 'dynamic-import': false },
          define: { 'import.meta.url': 'scriptUrl' },
          sourcemap: 'external',
          sourcesContent: false,
          logLevel: 'warning',
        });
        const name = path.basename(module.path);
        const script = `(function (exports, require, module, scriptUrl) {${code}\n})`;
        return [
          { path: `${module.path}.map`, contents: map },
          { path: module.path, contents: `${script}\n//# sourceMappingURL=${name}.map\n` },
        ];
      }),
    )
  ).flat();

/** The module that is imported: it has the names of the script's exports. */
export const moduleOf = (script, names) => `import { load } from '../bin/load-bundle.js';
${names.length === 0 ? '' : `export const { ${names.join(', ')} } = `}load(${JSON.stringify(script)});
`;
