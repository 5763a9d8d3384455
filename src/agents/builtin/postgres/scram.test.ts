import { expect, test } from 'vitest';
import { scramVerifier, verifies } from './scram.ts';

test('a verifier is what the server makes of the password (RFC 7677, example of chapter 3)', () => {
  const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64');
  expect(scramVerifier('pencil', salt)).toBe(
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:' +
      'wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
  );
});

test('it verifies its own password and no other', () => {
  const verifier = scramVerifier('pencil');
  expect(verifies(verifier, 'pencil')).toBe(true);
  expect(verifies(verifier, 'pencil ')).toBe(false);
  expect(verifies('md5 of something', 'pencil')).toBe(false);
  expect(scramVerifier('pencil')).not.toBe(verifier);
});
