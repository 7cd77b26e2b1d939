package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/auth/client"
)

func TestStores(t *testing.T) {
	plain, err := client.NewFile(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := plain.Sealed([32]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	file, err := client.NewFile(filepath.Join(t.TempDir(), "new", "folder"))
	if err != nil {
		t.Fatal(err)
	}
	for name, store := range map[string]client.Store{"memory": &client.Memory{}, "file": file, "sealed": sealed} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			for _, value := range [][]byte{nil, []byte("a"), []byte("b"), nil, []byte("c"), nil} {
				given := bytes.Clone(value)
				if err := store.Set(ctx, "key", given); err != nil {
					t.Errorf("%q: %v", value, err)
				}
				clear(given)
				if got, err := store.Get(ctx, "key"); !bytes.Equal(got, value) || (got == nil) != (value == nil) || err != nil {
					t.Errorf("%q: got %q, %v", value, got, err)
				}
			}
			if got, err := store.Get(ctx, "other"); got != nil || err != nil {
				t.Errorf("another key: got %q, %v", got, err)
			}
			// Only one of many gets the lock.
			var inside atomic.Int32 // the race detector does not know the locks of files
			var wait sync.WaitGroup
			for range 10 {
				wait.Go(func() {
					unlock, err := store.Lock(ctx, "key")
					if err != nil {
						t.Error(err)
						return
					}
					defer unlock()
					if inside.Add(1) != 1 {
						t.Error("two have the lock")
					}
					if err := store.Set(ctx, "key", []byte("x")); err != nil {
						t.Error(err)
					}
					inside.Add(-1)
				})
			}
			wait.Wait()
			unlock, err := store.Lock(ctx, "key")
			if err != nil {
				t.Fatal(err)
			}
			defer unlock()
			ended, cancel := context.WithCancel(ctx)
			cancel()
			if _, err := store.Lock(ended, "key"); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestMemoryLockWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m client.Memory
		unlock, _ := m.Lock(t.Context(), "key")
		got := make(chan struct{})
		go func() {
			second, err := m.Lock(t.Context(), "key")
			if err == nil {
				second()
			}
			close(got)
		}()
		synctest.Wait()
		select {
		case <-got:
			t.Error("two have the lock")
		default:
		}
		unlock()
		<-got
	})
}

// The files of a store are those of the user alone.
func TestFileMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
	folder := filepath.Join(t.TempDir(), "store")
	store, err := client.NewFile(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Set(t.Context(), "key", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Error(info.Mode(), err)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	if len(files) != 1 {
		t.Error(files)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Error(file, info.Mode(), err)
		}
		os.Chmod(file, 0o640)
	}
	if _, err := store.Get(t.Context(), "key"); err == nil || !strings.Contains(err.Error(), "has mode -rw-r-----") {
		t.Errorf("got %v", err)
	}
}

// Variables of the processes of TestRotationInTwoProcesses.
const (
	folderVariable = "MCPGEN_TEST_STORE"
	serverVariable = "MCPGEN_TEST_SERVER"
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(folderVariable); folder != "" {
		if err := useStored(folder, os.Getenv(serverVariable)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// useStored sends a request with the token in a folder, when standard input ends.
func useStored(folder, server string) error {
	store, err := client.NewFile(folder)
	if err != nil {
		return err
	}
	transport, err := client.New(server, client.Options{Store: store, Flow: client.AuthorizationCode{Agent: nobody{}}})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	os.Stdin.Read(make([]byte, 1))
	got, err := call(context.Background(), transport.Client(), server, "")
	fmt.Println(got)
	return err
}

// nobody is a user who is not there.
type nobody struct{}

func (nobody) Authorize(context.Context, string, func(string) (string, error)) (string, error) {
	return "", errors.New("a user was asked")
}

// A refresh token is used once, although several processes need it at once: the authorization server would
// take the second use for theft.
func TestRotationInTwoProcesses(t *testing.T) {
	const processes = 4
	w := newWorld(t)
	folder := t.TempDir()
	store, err := client.NewFile(folder)
	if err != nil {
		t.Fatal(err)
	}
	got, err := call(t.Context(), w.transport(client.Options{Store: store}).Client(), w.url(), "")
	want(t, got, err, "200 ok access-1 body")
	for _, why := range []string{"refused", "ended"} {
		t.Run(why, func(t *testing.T) {
			w.revokeAccess()
			if why == "ended" {
				w.issue = func(_ url.Values, response map[string]any) { response["expires_in"] = 5 }
				if err := w.transport(client.Options{Store: store}).Login(t.Context()); err != nil {
					t.Fatal(err)
				}
				w.issue = nil
			}
			before := w.count("as grants by refresh_token")
			var wait sync.WaitGroup
			release := make(chan struct{})
			ready := make(chan struct{}, processes)
			for range processes {
				cmd := exec.CommandContext(t.Context(), os.Args[0])
				cmd.Env = append(os.Environ(), folderVariable+"="+folder, serverVariable+"="+w.url())
				in, _ := cmd.StdinPipe()
				out, _ := cmd.StdoutPipe()
				cmd.Stderr = os.Stderr
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				wait.Go(func() {
					line := make([]byte, len("ready\n"))
					out.Read(line)
					ready <- struct{}{}
					<-release
					in.Close()
					text := make([]byte, 1000)
					n, _ := out.Read(text)
					if err := cmd.Wait(); err != nil || !strings.HasPrefix(string(text[:n]), "200 ok access-") {
						t.Errorf("%v: %s", err, text[:n])
					}
				})
			}
			for range processes {
				<-ready
			}
			close(release)
			wait.Wait()
			if n := w.count("as grants by refresh_token") - before; n != 1 || w.reused {
				t.Errorf("%d refreshes, reuse %v", n, w.reused)
			}
		})
	}
}
