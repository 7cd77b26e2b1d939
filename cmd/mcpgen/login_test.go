//go:build !bootstrap

package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inFront starts a verb that listens and passes requests on. It returns its address, and a function that ends
// it and returns what it has printed.
func inFront(t *testing.T, args ...string) (front string, end func() string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	lines, stderr := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append(args, "--listen", "127.0.0.1:0"), strings.NewReader(""), io.Discard, stderr)
		stderr.Close()
	}()
	var printed strings.Builder
	log := bufio.NewScanner(lines)
	for front == "" && log.Scan() {
		printed.WriteString(log.Text() + "\n")
		if rest, ok := strings.CutPrefix(log.Text(), "mcpgen "+args[0]+": http"); ok {
			front = "http" + strings.Fields(rest)[0]
		}
	}
	if front == "" {
		t.Fatalf("%s does not listen: exit code %d\n%s", args[0], <-ended, &printed)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		io.Copy(&printed, lines)
	}()
	return front, func() string {
		cancel()
		<-ended
		<-read
		return printed.String()
	}
}

// TestProxyAddsToken forwards to a server that demands a token, which no recording has.
func TestProxyAddsToken(t *testing.T) {
	target := serveLogin(t)
	folder := t.TempDir()
	token, record := filepath.Join(folder, "token"), filepath.Join(folder, "record")
	if err := os.WriteFile(token, []byte("good\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(folderVariable, folder)
	front, end := inFront(t, "proxy", "--url", target, "--token-file", token, "--record", record)
	got, err := (&origin{url: front}).fetch(t.Context(), t.Output())
	if string(got) != oneSecret || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, oneSecret)
	}
	end()
	if text, err := os.ReadFile(record); err != nil || strings.Contains(string(text), "good") || !strings.Contains(string(text), "tools/list") {
		t.Errorf("recording: %v\n%s", err, text)
	}
}

// TestLoginInFront has the verbs that pass requests on log in, through the browser of TestMain, once for both.
// Their clients have no token.
func TestLoginInFront(t *testing.T) {
	t.Setenv("DISPLAY", ":0") // for the browser
	for _, verb := range []string{"proxy", "bridge"} {
		t.Run(verb, func(t *testing.T) {
			target := serveLogin(t)
			t.Setenv(folderVariable, t.TempDir())
			for i, asks := range []bool{true, false} {
				front, end := inFront(t, verb, "--url", target, "--login")
				got, err := (&origin{url: front}).fetch(t.Context(), t.Output())
				if string(got) != oneSecret || err != nil {
					t.Errorf("got %s, %v, want %s", got, err, oneSecret)
				}
				printed := end()
				if asked := strings.Contains(printed, "To log in, open this URL"); asked != asks || strings.Contains(printed, "good") {
					t.Errorf("run %d printed:\n%s", i, printed)
				}
			}
			resp, err := http.Get(strings.TrimSuffix(target, "/mcp") + "/log")
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			log, err := io.ReadAll(resp.Body)
			if want := "authorize registered read\ntoken authorization_code\n"; string(log) != want || err != nil {
				t.Errorf("the authorization server saw %q, %v, want %q", log, err, want)
			}
		})
	}
}

// TestBridgeAdvises checks that a bridge without a login says on standard error, once, how to get one.
func TestBridgeAdvises(t *testing.T) {
	t.Setenv(folderVariable, t.TempDir())
	front, end := inFront(t, "bridge", "--url", serveLogin(t))
	for range 2 {
		if got, err := (&origin{url: front}).fetch(t.Context(), t.Output()); err == nil || !strings.Contains(err.Error(), "401") {
			t.Errorf("got %s, %v, want an error with 401", got, err)
		}
	}
	if printed := end(); strings.Count(printed, askForAccess) != 1 {
		t.Errorf("printed:\n%s", printed)
	}
}

// TestLoginThatEnds ends a login whose browser does not come back. The program says what it waits for, and how to
// begin again; a logout then forgets the registration.
func TestLoginThatEnds(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv(folderVariable, t.TempDir())
	target := serveLogin(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	lines, stderr := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"auth", "login", target}, strings.NewReader(""), io.Discard, stderr)
		stderr.Close()
	}()
	var printed strings.Builder
	for log := bufio.NewScanner(lines); log.Scan(); {
		printed.WriteString(log.Text() + "\n")
		if strings.HasPrefix(log.Text(), "Waiting for the browser to come to http://127.0.0.1:") {
			cancel()
		}
	}
	if code := <-ended; code == 0 || !strings.Contains(printed.String(), "mcpgen auth logout "+target+" makes the next login register mcpgen anew") {
		t.Errorf("exit code %d, printed:\n%s", code, &printed)
	}
	for _, want := range []string{target + ": logged out\n", ""} { // there is nothing to forget the second time
		var out strings.Builder
		code := run(t.Context(), []string{"auth", "logout", target}, strings.NewReader(""), &out, io.Discard)
		if out.String() != want || (code == 0) != (want != "") {
			t.Errorf("logout: exit code %d, printed %q, want %q", code, &out, want)
		}
	}
}
