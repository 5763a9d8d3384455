/** Reads the Test Anything Protocol (https://testanything.org/tap-version-14-specification.html), its top level alone. */
import type { TestCase } from '../../sdk/index.ts';

const point = /^(not )?ok\b(?:\s+(\d+))?(?:\s+(?:-\s+)?(.*))?$/;
const plan = /^1\.\.(\d+)/;
const directive = /(?:^|\s)#\s*(skip|todo)\b\S*\s*(.*)$/i;

/** Line by line; subtests are indented and summed up by their parent's own line. */
export class TapReader {
  readonly #cases: TestCase[] = [];
  #planned: number | undefined;
  #bailedOut: string | undefined;
  /** Diagnostics that follow a failed point. */
  #notes: string[] | undefined;

  read(line: string): void {
    const planned = plan.exec(line)?.[1];
    if (planned !== undefined) this.#planned = Number(planned);
    else if (line.startsWith('Bail out!')) this.#bailedOut = line;
    else if (!this.#readPoint(line)) this.#readNote(line);
  }

  /** What was read; a broken plan or a bail-out is a failed case of its own. */
  end(): readonly TestCase[] {
    this.#closeNotes();
    const cases = [...this.#cases];
    if (this.#bailedOut !== undefined)
      cases.push({ name: 'bail out', outcome: 'failed', message: this.#bailedOut });
    const { length } = this.#cases;
    if (this.#planned === undefined || this.#planned !== length) {
      const message =
        this.#planned === undefined
          ? 'the output holds no plan'
          : `${this.#planned} tests were planned and ${length} ran`;
      cases.push({ name: 'plan', outcome: 'failed', message });
    }
    return cases;
  }

  #readPoint(line: string): boolean {
    const match = point.exec(line);
    if (match === null) return false;
    this.#closeNotes();
    const [, not, number, description = ''] = match;
    const [, word, reason = ''] = directive.exec(description) ?? [];
    const name = description.replace(directive, '').trim() || `test ${number ?? this.#cases.length + 1}`;
    // A test that is still to do may fail.
    if (word !== undefined && (word.toLowerCase() === 'skip' || not !== undefined))
      this.#cases.push({ name, outcome: 'skipped', message: reason });
    else this.#cases.push({ name, outcome: not === undefined ? 'passed' : 'failed' });
    this.#notes = not === undefined ? undefined : [];
    return true;
  }

  #readNote(line: string): void {
    if (/^(\s*---|\s*\.\.\.)\s*$/.test(line)) return;
    if (/^\s|^#/.test(line)) this.#notes?.push(line.replace(/^#?\s*/, ''));
  }

  #closeNotes(): void {
    const last = this.#cases.at(-1);
    if (last?.outcome === 'failed' && this.#notes !== undefined && this.#notes.length > 0)
      this.#cases[this.#cases.length - 1] = { ...last, message: this.#notes.join('\n') };
    this.#notes = undefined;
  }
}
