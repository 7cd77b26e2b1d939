package client

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/gofrs/flock"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// Store keeps tokens and registrations under keys, for any number of servers and authorization servers.
// Values hold secrets. All methods may be called concurrently.
type Store interface {
	// Get returns the value of a key, or nil if there is none.
	Get(ctx context.Context, key string) ([]byte, error)
	// Set replaces the value of a key, at once for all that read it, or deletes it if value is nil. It does not keep
	// value.
	Set(ctx context.Context, key string, value []byte) error
	// Lock acquires the lock of a key, which is exclusive within this process and among all others
	// that use the same storage. The lock is held until unlock is called; Get and Set do not need it.
	// It keeps two programs from using a refresh token twice, which authorization servers
	// treat as theft (OAuth 2.1, section 4.3.1).
	Lock(ctx context.Context, key string) (unlock func(), err error)
}

// Memory is a Store that lasts as long as the program. Its zero value is empty and ready for use.
type Memory struct {
	values sync.Map // of []byte
	locks  sync.Map // of channels with room for one element, which is there while the lock is held
}

// Get implements Store.
func (m *Memory) Get(_ context.Context, key string) ([]byte, error) {
	value, _ := m.values.Load(key)
	text, _ := value.([]byte)
	return bytes.Clone(text), nil
}

// Set implements Store.
func (m *Memory) Set(_ context.Context, key string, value []byte) error {
	if value == nil {
		m.values.Delete(key)
	} else {
		m.values.Store(key, bytes.Clone(value))
	}
	return nil
}

// Lock implements Store.
func (m *Memory) Lock(ctx context.Context, key string) (func(), error) {
	known, _ := m.locks.LoadOrStore(key, make(chan struct{}, 1))
	lock := known.(chan struct{})
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// File is a Store in a folder, with a file for each key. Only the user of the program can read the
// files. Writes are atomic, and any number of programs may use the folder.
type File struct {
	folder string
	seal   cipher.AEAD // encrypts the values; nil if they are not encrypted
}

// NewFile returns a store in a folder, and makes the folder if it does not exist.
func NewFile(folder string) (*File, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("token store: %w", err)
	}
	return &File{folder: folder}, nil
}

// Sealed returns a store in the same folder whose values are encrypted by AES-256-GCM. The key should be kept where
// the folder is not, as package keyring does.
func (f *File) Sealed(key [32]byte) (*File, error) {
	var seal cipher.AEAD
	block, err := aes.NewCipher(key[:])
	if err == nil {
		seal, err = cipher.NewGCMWithRandomNonce(block) // which is the beginning of the text
	}
	if err != nil {
		return nil, fmt.Errorf("token store: %w", err)
	}
	return &File{folder: f.folder, seal: seal}, nil
}

// ofStore makes an error one of the store.
func ofStore(err *error) {
	if *err != nil {
		*err = fmt.Errorf("token store: %w", *err)
	}
}

// path returns the file of a key. Keys hold URLs, so the name is a digest.
func (f *File) path(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(f.folder, hex.EncodeToString(sum[:16]))
}

// Get implements Store. It refuses a file that other users can read or write.
func (f *File) Get(_ context.Context, key string) (value []byte, err error) {
	defer ofStore(&err)
	path := f.path(key)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s has mode %v, so other users may know its secrets: delete it, or set its mode to 0600", path, info.Mode().Perm())
	}
	text, err := io.ReadAll(file)
	if err != nil || f.seal == nil {
		return text, err
	}
	if value, err = f.seal.Open(nil, nil, text, []byte(key)); err != nil {
		return nil, fmt.Errorf("%s is not encrypted, was encrypted by another key, or has changed: delete it and log in again", path)
	}
	return value, nil
}

// Set implements Store.
func (f *File) Set(_ context.Context, key string, value []byte) (err error) {
	defer ofStore(&err)
	if value == nil {
		if err := os.Remove(f.path(key)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if f.seal != nil {
		value = f.seal.Seal(nil, nil, value, []byte(key))
	}
	temporary, err := os.CreateTemp(f.folder, ".new-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = temporary.Write(value)
	err = errors.Join(err, temporary.Sync(), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), f.path(key))
	}
	if err != nil {
		os.Remove(temporary.Name())
	}
	return err
}

// Lock implements Store. The file of the lock stays: if it were removed, a program that waits for it and one that
// creates it again could both hold the lock.
func (f *File) Lock(ctx context.Context, key string) (func(), error) {
	path := f.path(key) + ".lock"
	l := flock.New(path, flock.SetPermissions(0o600))
	if _, err := l.TryLockContext(ctx, waits.LockedFile); err != nil {
		return nil, fmt.Errorf("token store: the lock %s: %w", path, err)
	}
	return func() { l.Unlock() }, nil
}
