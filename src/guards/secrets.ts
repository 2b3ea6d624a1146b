/**
 * Which fields look as if they ask for a secret (behaviour 46, case 26). It flags, it never blocks: the protocol forbids
 * servers to collect credentials by form, and a host may warn or decline. Read are the words of name, title and description.
 */
import type { FormField } from '../contract/handler.js';
import { stripUnsafe } from '../sanitise/text.js';

/** Single words, and phrases of words side by side or run together. Plurals are recognised; case, snake and camel do not matter. */
const vocabulary: readonly string[] = [
  'pass word',
  'passwd',
  'pwd',
  'pass phrase',
  'pass code',
  'pin',
  'otp',
  'totp',
  'mfa',
  '2 fa',
  'secret',
  'token',
  'api key',
  'access key',
  'secret key',
  'private key',
  'encryption key',
  'ssh key',
  'aws key',
  'credential',
  'cvv',
  'cvc',
  'card number',
  'credit card number',
  'iban',
  'ssn',
  'social security number',
  'seed phrase',
  'recovery phrase',
  'recovery code',
  'backup code',
  'verification code',
  'one time code',
  'one time password',
  'mnemonic',
  // The word for "password" where users are likely to meet it untranslated by their server.
  'contraseña',
  'contrasena',
  'passwort',
  'kennwort',
  'mot de passe',
  'senha',
  'пароль',
  '密码',
  '密碼',
  'パスワード',
  '비밀번호',
];

/** Scripts that write words without spaces are searched as text. */
const unspaced = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]/;
const spaced = vocabulary.filter((word) => !unspaced.test(word));
const expression = new RegExp(
  ` (?:${spaced.join('|').replaceAll(' ', ' ?')})s? |${vocabulary.filter((word) => unspaced.test(word)).join('|')}`,
);

export function suspectsSecret(name: string, { title, description }: Pick<FormField, 'title' | 'description'>): boolean {
  return [name, title, description].some((text) => text !== undefined && speaksOfSecret(text));
}

export function speaksOfSecret(text: string): boolean {
  return expression.test(words(text));
}

/** Long enough for any name or sentence; a description of 60 KB is not read to its end. */
const maxText = 4096;

/** `apiKey`, `API_KEY`, `api-key` and `apiKey2` all become ` api key `, the last with its number as a word of its own. */
function words(text: string): string {
  const split = stripUnsafe(text.slice(0, maxText))
    .text.normalize('NFC')
    .replace(/(\p{L})(?=\d)/gu, '$1 ')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ');
  return ` ${split} `.replaceAll('  ', ' ');
}
