import { describe, expect, test } from 'vitest';
import { renderError, SkeinError, SkeinFaults } from '../errors/index.ts';
import { describeError, restoreError } from './error-document.ts';
import { errorTables, reportError } from './report-error.ts';

const one = new SkeinError('SK1010', 'unknown key', {
  place: { file: '/w/workspace.skein.yaml', line: 3, column: 2, source: '  nmae: x' },
  cause: new Error('outer', { cause: new Error('inner') }),
});
const two = new SkeinError('SK1401', 'it broke', {
  place: { service: 'shop/api', phase: 'start' },
  lastLines: ['boom'],
});

describe('an error as data', () => {
  test.each([[one], [two], [new SkeinFaults([one, two])]])(
    'comes back so that it reads the same: %s',
    (error) => {
      const restored = restoreError(JSON.parse(JSON.stringify(describeError(error, errorTables))));
      expect(renderError(restored)).toBe(renderError(error, errorTables));
    },
  );

  test('U-3 a stack is shown with --verbose only', () => {
    const bug = new TypeError('x is undefined');
    const quiet = reportError(bug, { json: false, verbose: false });
    expect(quiet).toMatchObject({
      status: 1,
      text: expect.stringMatching(/^error SK1599: .*x is undefined\n {2}to do: .*--verbose/),
    });
    expect(quiet.text).not.toContain('error-document.test');
    expect(reportError(bug, { json: false, verbose: true }).text).toContain('error-document.test');
  });

  test('U-2 with --json stderr has one document with every fault', () => {
    const { text, status } = reportError(new SkeinFaults([one, one]), { json: true, verbose: false });
    expect(JSON.parse(text).errors).toHaveLength(2);
    expect(status).toBe(2);
  });
});
