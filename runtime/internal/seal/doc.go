// Package seal protects a text that a server gives to a client and gets back later: the client can
// neither read nor change it, and can present it only where it belongs. It implements what
// "Server Requirements" in basic/patterns/mrtr of 2026-07-28 asks of requestState.
//
// A sealed text is base64url without padding of
//
//	version   1 byte, 1
//	key       4 bytes that name the key
//	salt      16 random bytes, which are also the id of the text
//	content   AES-256-GCM, with the bytes above as additional data
//
// The content begins with the time at which it expires, and digests of the principal and of the request
// it belongs to. Each text has an AES key of its own, derived from the key and the salt by HKDF with
// SHA-256, so the number of texts that a key can seal is not limited in practice.
//
// A server that sends a request to itself, as for a task, keeps the texts of the request instead of
// sealing them, see [Keeper].
package seal
