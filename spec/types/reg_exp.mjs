// SPDX-License-Identifier: MIT
// Patterns of documents for ajv, which ends with an exception at one that ECMAScript's flag u
// refuses. The rules take an escape that says nothing, such as \:, for the character; other
// patterns that are not of ECMA-262 they do not check.
export const regExp = pattern => {
  const plain = pattern.replace(/\\([^\w\\^$.*+?()[\]{}|/-])/g, '$1');
  for (const one of [pattern, plain, plain.replace(/\\-/g, '\\x2d')]) {
    try {
      return new RegExp(one, 'u');
    } catch {
      continue;
    }
  }
  return /(?:)/u;
};
regExp.code = 'regExp';
