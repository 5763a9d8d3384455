import { describe, expect, test } from 'vitest';
import { junitSuites } from './junit.ts';
import { TapReader } from './tap.ts';

function tap(text: string): string[] {
  const reader = new TapReader();
  for (const line of text.split('\n')) reader.read(line);
  return reader
    .end()
    .map(({ name, outcome, message }) => `${outcome} ${name}${message ? `: ${message}` : ''}`);
}

describe('TAP', () => {
  test.each([
    ['passes and failures', '1..2\nok 1 - adds\nnot ok 2 - divides', ['passed adds', 'failed divides']],
    ['a plan at the end, no descriptions', 'ok\nok 2\n1..2', ['passed test 1', 'passed test 2']],
    [
      'skips, and tests still to do',
      '1..3\nok 1 a # SKIP no net\nnot ok 2 b # TODO later\nok 3 c # todo',
      ['skipped a: no net', 'skipped b: later', 'passed c'],
    ],
    ['what a failure says', '1..1\nnot ok 1 - a\n  ---\n  got: 1\n  ...\n# hint', ['failed a: got: 1\nhint']],
    [
      'subtests, summed up by their parent',
      '    ok 1 - inner\n    1..1\nok 1 - outer\n1..1',
      ['passed outer'],
    ],
    ['too few tests', '1..2\nok 1 a', ['passed a', 'failed plan: 2 tests were planned and 1 ran']],
    [
      'a run that was given up',
      '1..1\nok 1 a\nBail out! no database',
      ['passed a', 'failed bail out: Bail out! no database'],
    ],
    ['no TAP at all', 'hello', ['failed plan: the output holds no plan']],
  ])('%s', (_what, text, expected) => expect(tap(text)).toEqual(expected));
});

describe('JUnit', () => {
  test('suites and their cases', () => {
    const xml = `<?xml version="1.0"?><testsuites><testsuite name="s &amp; t"><!-- <testcase name="no"/> -->
      <testcase classname="C" name="a &lt;b&gt;" time="0.25" file="x.js"/>
      <testcase name="c"><failure message="want 1">got <![CDATA[<2>]]></failure></testcase>
      <testcase name="d"><skipped/></testcase><testcase name='e'><error/></testcase>
      <testsuite name="inner"><testcase name="f"></testcase></testsuite></testsuite></testsuites>`;
    expect(junitSuites(xml)).toEqual([
      {
        name: 's & t',
        cases: [
          { name: 'C a <b>', outcome: 'passed', durationMs: 250, file: 'x.js' },
          { name: 'c', outcome: 'failed', durationMs: 0, message: 'want 1\ngot\n<2>' },
          { name: 'd', outcome: 'skipped', durationMs: 0 },
          { name: 'e', outcome: 'failed', durationMs: 0 },
        ],
      },
      { name: 'inner', cases: [{ name: 'f', outcome: 'passed', durationMs: 0 }] },
    ]);
  });

  test.each(['', 'hello', '<testsuite><testcase></testsuite>', '<testsuite name="a"><testcase name="b"'])(
    'a report that is none is refused: %s',
    (xml) => expect(() => junitSuites(xml)).toThrow(/is not JUnit's XML/),
  );
});
