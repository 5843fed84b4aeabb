// capabilities.js — which families of texture formats the viewer's GPU takes, as WebGL says.
// @ts-check

/** In the order in which a server should prefer them: Mesa recompresses ETC2 and ASTC in software, so BC comes first.
 *  @type {[family: string, extension: string][]} */
export const FAMILIES = [
  ['s3tc', 'WEBGL_compressed_texture_s3tc'],
  ['rgtc', 'EXT_texture_compression_rgtc'],
  ['bptc', 'EXT_texture_compression_bptc'],
  ['etc2', 'WEBGL_compressed_texture_etc'],
  ['astc', 'WEBGL_compressed_texture_astc'],
];

/** The families that this context takes; it enables their extensions.
 *  @param {{getExtension(name: string): unknown}} gl @returns {string[]} */
export function enableFamilies(gl) {
  return FAMILIES.filter(([, extension]) => gl.getExtension(extension)).map(([family]) => family);
}
