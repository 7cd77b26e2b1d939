// Package keyring keeps tokens in a folder, encrypted by a key in the keyring of the system: the Keychain
// of macOS, the Credential Manager of Windows, or the Secret Service of Linux desktops. The tokens
// themselves are not in the keyring, because some keyrings hold at most 2560 bytes, and none supports
// compare-and-swap.
package keyring

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/zalando/go-keyring"

	"github.com/mcpgen/mcpgen/runtime/auth/client"
)

// Open returns a store in a folder. service names the program in the keyring. The first use of both makes
// the folder and the key. Without a keyring, as on most servers, Open returns an error.
func Open(ctx context.Context, folder, service string) (*client.File, error) {
	plain, err := client.NewFile(folder)
	if err != nil {
		return nil, err
	}
	// Two programs that both find no key would otherwise make two.
	unlock, err := plain.Lock(ctx, "key of "+service)
	if err != nil {
		return nil, err
	}
	defer unlock()
	key, err := keyOf(service, folder)
	if err != nil {
		return nil, fmt.Errorf("keyring of the system: %w", err)
	}
	return plain.Sealed(key)
}

// keyOf returns the key of a folder, which it makes if there is none.
func keyOf(service, folder string) (key [32]byte, err error) {
	text, err := keyring.Get(service, folder)
	if errors.Is(err, keyring.ErrNotFound) {
		rand.Read(key[:])
		return key, keyring.Set(service, folder, base64.StdEncoding.EncodeToString(key[:]))
	}
	if err != nil {
		return key, err
	}
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(bytes) != len(key) {
		return key, fmt.Errorf("the entry %q of %q is not a key", folder, service)
	}
	copy(key[:], bytes)
	return key, nil
}
