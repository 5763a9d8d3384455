/** What is secret (C-2), and how it is kept out of what is shown. */
export { MASK, SecretMask } from './mask.ts';
export { isCredentialKey, isSecret, isSecretConfiguration, soleKey } from './secret.ts';
