/**
 * The `engine` field: comparators that must all hold for the version of this package. A missing part counts as 0, and a
 * pre-release counts as its release.
 */
type Version = readonly [number, number, number];

const compare = (a: Version, b: Version): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

const holds: { readonly [operator: string]: (order: number) => boolean } = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '=': (order) => order === 0,
};

function parse(text: string): Version {
  const [major = 0, minor = 0, patch = 0] = text.split(/[.-]/).slice(0, 3).map(Number);
  return [major, minor, patch];
}

/** Whether `version` is in `range`, which the manifest's schema has already checked for form. */
export function satisfies(version: string, range: string): boolean {
  return range.split(' ').every((comparator) => {
    const [, operator = '=', bound = ''] = /^(<=|>=|<|>|=)?(.*)$/.exec(comparator) ?? [];
    return holds[operator]?.(compare(parse(version), parse(bound))) ?? false;
  });
}
