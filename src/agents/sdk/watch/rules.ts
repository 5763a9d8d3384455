/**
 * What is not watched. Git's rules, in the order of their precedence: the service's own `ignore`, then the `.gitignore`
 * files from the innermost folder to the workspace's root; the first one that has an opinion decides.
 */
import { basename, dirname, resolve } from 'node:path';
import ignore from 'ignore';
import { within } from './selection.ts';

/** The lines of one file, or of the service's `ignore`. */
interface RuleSet {
  /** Absolute folder that its patterns are relative to. */
  readonly folder: string;
  /** `path` is relative to `folder`, with `/` at the end of a folder. */
  judge(path: string): 'ignored' | 'kept' | 'no-opinion';
}

/** The rules that hold in one folder. */
export interface Rules {
  ignores(path: string, isFolder: boolean): boolean;
  /** Those of a folder in it that has a `.gitignore` with this text. */
  and(folder: string, text: string): Rules;
}

/** Never a service's source, and watched only where it is named. */
const never: ReadonlySet<string> = new Set(['.git', '.skein', 'skein.lock', 'node_modules', '.DS_Store']);
/** What editors write beside a file while it is open, and the test whether a folder can be written to. */
const ofEditors = /^(?:\.#.*|#.*#|.*~|\..*\.sw[a-z]|4913|.*___jb_(?:tmp|old)___)$/;

/** The rules where nothing but `lines`, relative to `folder`, and what is never watched holds. */
export function ownRules(lines: readonly string[], folder: string): Rules {
  return rulesOf(anchored(lines, folder), []);
}

function rulesOf(own: readonly RuleSet[], files: readonly RuleSet[]): Rules {
  return {
    ignores: (path, isFolder) => {
      for (const set of [...own, ...files]) {
        // Beside the service's folder its own patterns hold for names: `*.log` is meant wherever the service looks.
        const inside = within(set.folder, path) ?? (own.includes(set) ? basename(path) : '');
        const judgement = inside === '' ? 'no-opinion' : set.judge(isFolder ? `${inside}/` : inside);
        if (judgement !== 'no-opinion') return judgement === 'ignored';
      }
      const name = basename(path);
      return never.has(name) || ofEditors.test(name);
    },
    and: (folder, text) => rulesOf(own, [ruleSet(folder, text), ...files]),
  };
}

function ruleSet(folder: string, lines: string | readonly string[]): RuleSet {
  const rules = ignore({ ignorecase: false }).add(lines);
  return {
    folder,
    judge: (path) => {
      const { ignored, unignored } = rules.test(path);
      return ignored ? 'ignored' : unignored ? 'kept' : 'no-opinion';
    },
  };
}

/** Git has no patterns that lead out of a folder; `../shared/dist` is `/shared/dist` of the folder above. */
function anchored(lines: readonly string[], folder: string): readonly RuleSet[] {
  const sets = new Map<string, string[]>();
  for (const line of lines) {
    let anchor = folder;
    let pattern = line;
    const [, not = '', up] = /^(!?)\/?((?:\.\.?\/)+)/.exec(line) ?? [];
    if (up !== undefined) {
      pattern = `${not}/${line.replace(/^!?\/?(?:\.\.?\/)+/, '')}`;
      anchor = resolve(folder, up);
    }
    sets.set(anchor, [...(sets.get(anchor) ?? []), pattern]);
  }
  return [...sets].map(([anchor, patterns]) => ruleSet(anchor, patterns));
}

/**
 * The folders above `path` whose `.gitignore` files may speak of it, outermost first: from `top` on; none where it lies
 * elsewhere.
 */
export function foldersAbove(path: string, top: string): readonly string[] {
  const folders: string[] = [];
  if (within(top, path) === undefined) return folders;
  for (let at = path; at !== top; ) {
    at = dirname(at);
    folders.unshift(at);
  }
  return folders;
}
