/** Reads JUnit's XML as test runners write it: suites, nested or not, with cases that failed, were skipped, or passed. */
import { AgentFailure, type TestCase, type TestSuite } from '../../sdk/index.ts';

/** Markup of XML: comments, instructions, CDATA, tags. Text between is what is left. */
const markup =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<!DOCTYPE[^>]*>|<(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/g;
const attribute = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

interface OpenCase {
  readonly attributes: ReadonlyMap<string, string>;
  outcome: TestCase['outcome'];
  message: string;
}

/** @throws {AgentFailure} REPORT_INVALID */
export function junitSuites(xml: string): TestSuite[] {
  const reader = new JUnitReader();
  let at = 0;
  for (const match of xml.matchAll(markup)) {
    reader.text(unescaped(xml.slice(at, match.index)));
    at = match.index + match[0].length;
    const [, characters, closing, name, attributes = '', empty] = match;
    if (characters !== undefined) reader.text(characters);
    if (name === undefined) continue;
    if (closing === '') reader.open(name, attributesOf(attributes));
    if (closing === '/' || empty === '/') reader.close(name);
  }
  if (/<[\w/]/.test(xml.slice(at))) throw invalid('it ends within a tag');
  return reader.end();
}

class JUnitReader {
  readonly #suites: { readonly name: string; readonly cases: TestCase[] }[] = [];
  readonly #path: string[] = [];
  readonly #open: { readonly name: string; readonly cases: TestCase[] }[] = [];
  #case: OpenCase | undefined;

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    this.#path.push(name);
    if (name === 'testsuite') {
      const suite = { name: attributes.get('name') ?? 'test', cases: [] };
      this.#open.push(suite);
      this.#suites.push(suite);
    } else if (name === 'testcase') {
      this.#case = { attributes, outcome: 'passed', message: '' };
    } else if (this.#case !== undefined && (name === 'failure' || name === 'error' || name === 'skipped')) {
      this.#case.outcome = name === 'skipped' ? 'skipped' : 'failed';
      this.#case.message += attributes.get('message') ?? '';
    }
  }

  text(text: string): void {
    const within = this.#path.at(-1);
    if (this.#case === undefined || (within !== 'failure' && within !== 'error' && within !== 'skipped'))
      return;
    if (text.trim() !== '') this.#case.message += `${this.#case.message === '' ? '' : '\n'}${text.trim()}`;
  }

  close(name: string): void {
    const opened = this.#path.pop();
    if (opened !== name) throw invalid(`</${name}> closes <${opened ?? 'nothing'}>`);
    if (name === 'testsuite') this.#open.pop();
    if (name === 'testcase') this.#endCase();
  }

  end(): TestSuite[] {
    const unclosed = this.#path.at(-1);
    if (unclosed !== undefined) throw invalid(`<${unclosed}> is not closed`);
    if (this.#suites.length === 0) throw invalid('it holds no test suite');
    return this.#suites.filter(({ cases }) => cases.length > 0);
  }

  #endCase(): void {
    const suite = this.#open.at(-1);
    if (this.#case === undefined || suite === undefined) throw invalid('a test case stands outside a suite');
    const { attributes, outcome, message } = this.#case;
    const seconds = Number(attributes.get('time') ?? 0);
    const file = attributes.get('file');
    suite.cases.push({
      name: [attributes.get('classname'), attributes.get('name')].filter((part) => part).join(' ') || 'test',
      outcome,
      ...(Number.isFinite(seconds) && { durationMs: seconds * 1000 }),
      ...(message !== '' && { message }),
      ...(file !== undefined && { file }),
    });
    this.#case = undefined;
  }
}

function attributesOf(written: string): ReadonlyMap<string, string> {
  return new Map(
    [...written.matchAll(attribute)].map(([, name = '', double, single]) => [
      name,
      unescaped(double ?? single ?? ''),
    ]),
  );
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/gi,
    (written, hex, decimal, name) => {
      if (name !== undefined) return entities[String(name).toLowerCase()] ?? written;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : written;
    },
  );
}

function invalid(why: string): AgentFailure {
  return new AgentFailure('REPORT_INVALID', `the report of the tests is not JUnit's XML: ${why}`, {
    remedy: 'Let the tests write a JUnit report, and name that file under `spec.test.report`.',
  });
}
