package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/natsmcp/embedded"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// build builds both commands into a folder.
func build(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir+string(filepath.Separator), ".", "./proxy").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// run starts a command, which ends with the test.
func run(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name, args...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.Process.Kill() == nil {
			_ = cmd.Wait() // the error says that it was killed
		}
		if t.Failed() {
			t.Logf("%s %q:\n%s", name, args, log.String())
		}
	})
	return cmd
}

// freeAddress returns an address at which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprint("localhost:", l.Addr().(*net.TCPAddr).Port) // a name that -hosts allows
}

// caller is a session of a client and the ids of its tasks.
type caller struct {
	*runtime.Session
	binding runtime.Binding
	opts    tasks.ClientOptions
	created chan string
}

// connect connects a client of a revision as soon as the server can be reached.
func connect(t *testing.T, url, revision string) caller {
	t.Helper()
	methods := map[string][]runtime.Method{mcp20251125.Revision: mcp20251125.Methods, mcp20260728.Revision: mcp20260728.Methods}[revision]
	c := caller{binding: runtime.Handlers{}.Bind(revision, methods), created: make(chan string, 10)}
	c.opts.Created = func(_ context.Context, id string) { c.created <- id }
	client := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, tasks.ExtendClient(c.binding, c.opts))
	for {
		transport, err := streamable.NewTransport(url, streamable.ClientOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Session, err = client.Connect(t.Context(), transport); err == nil {
			t.Cleanup(func() { _ = c.Close() }) // its replica may be dead
			return c
		}
		if e, refused := errors.AsType[*streamable.StatusError](err); refused && e.Status/100 == 4 {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// call calls a tool until the answer is not lost.
func (c caller) call(t *testing.T, tool, arguments string) string {
	t.Helper()
	for {
		var result wire.Object
		err := c.Call(t.Context(), "tools/call", wire.Object(`{"name":"`+tool+`","arguments":`+arguments+`}`), &result)
		if _, lost := errors.AsType[*runtime.LostError](err); lost {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		return string(result)
	}
}

// service is a service of the compose file.
type service struct {
	Command []string
	Image   string
	Build   any
	Ports   []string
	Secrets []string
	Depends []string `yaml:"depends_on"`
}

// readCompose reads the compose file, and checks that what services name is there.
func readCompose(t *testing.T) map[string]service {
	t.Helper()
	text, err := os.ReadFile("compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services         map[string]service
		Volumes, Secrets map[string]any
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for name, s := range file.Services {
		if (s.Image == "") == (s.Build == nil) {
			t.Errorf("service %s has the image %q and the build %v, want one of them", name, s.Image, s.Build)
		}
		for _, need := range s.Depends {
			if _, ok := file.Services[need]; !ok {
				t.Errorf("service %s depends on %s, which is none", name, need)
			}
		}
		for _, secret := range s.Secrets {
			if _, ok := file.Secrets[secret]; !ok {
				t.Errorf("service %s has the secret %s, which is none", name, secret)
			}
		}
	}
	return file.Services
}

// TestCompose runs the commands of the compose file as processes, with other addresses. Clients of both eras
// reach all replicas, and go on when one of them is killed.
func TestCompose(t *testing.T) {
	services := readCompose(t)
	bin := build(t)
	nats, err := embedded.Start(t.Context(), embedded.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Unsynced: true})
	if err != nil {
		t.Fatal(err)
	}
	defer nats.Close()
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, bytes.Repeat([]byte("k"), 32), 0o600); err != nil {
		t.Fatal(err)
	}
	replace := []string{"nats://nats:4222", nats.URL(), "/run/secrets/key", key}
	address := map[string]string{}
	for name := range services {
		address[name] = freeAddress(t)
		replace = append(replace, "http://"+name+":8080", "http://"+address[name])
	}
	var replicas []string
	processes := map[string]*exec.Cmd{}
	for name, s := range services {
		if s.Image != "" {
			continue // NATS, which is in this process
		}
		command := strings.Replace(strings.Join(s.Command, "\n"), "\n:8080\n", "\n"+address[name]+"\n", 1)
		args := strings.Split(strings.NewReplacer(replace...).Replace(command), "\n")
		processes[name] = run(t, filepath.Join(bin, filepath.Base(args[0])), args[1:]...)
		if name != "proxy" {
			replicas = append(replicas, name)
		}
	}
	if len(replicas) != 3 || !slices.Equal(services["proxy"].Ports, []string{"127.0.0.1:8080:8080"}) {
		t.Fatalf("the compose file has the replicas %q and the ports %q", replicas, services["proxy"].Ports)
	}
	for _, name := range replicas { // until all of them serve
		connect(t, "http://"+address[name]+"/mcp", mcp20260728.Revision)
	}
	url := "http://" + address["proxy"] + "/mcp"
	clients := []caller{connect(t, url, mcp20260728.Revision), connect(t, url, mcp20251125.Revision)}
	for _, c := range clients {
		heard := map[string]bool{}
		for len(heard) < len(replicas) {
			said := c.call(t, "greet", `{"name":"Ann"}`)
			for _, name := range replicas {
				if strings.Contains(said, "Hello, Ann! This is "+name+".") {
					heard[name] = true
				}
			}
		}
	}

	// A replica dies while it digs.
	var dug atomic.Pointer[string]
	done := make(chan struct{})
	go func() {
		defer close(done)
		var result wire.Object
		err := clients[0].Call(t.Context(), "tools/call", wire.Object(`{"name":"dig","arguments":{"seconds":1}}`), &result)
		if _, lost := errors.AsType[*runtime.LostError](err); err != nil && !lost {
			t.Error(err)
		}
		dug.Store(new(string(result)))
	}()
	id := <-clients[0].created
	processes[replicas[0]].Process.Kill()
	<-done
	if said := *dug.Load(); !strings.Contains(said, "The hole is dug") {
		if err := tasks.Resume(t.Context(), clients[0], clients[0].binding, clients[0].opts, id, new(wire.Object)); err != nil {
			t.Errorf("the task of a replica that may have died: %q, %v", said, err)
		}
	}
	for _, c := range clients {
		for i := range 10 {
			if said := c.call(t, "greet", fmt.Sprintf(`{"name":"n%d"}`, i)); !strings.Contains(said, fmt.Sprint("Hello, n", i)) {
				t.Errorf("after a replica was killed: %s", said)
			}
		}
	}
}

// TestState checks that a server with a state of its own, and no NATS server beside it, goes on after it was
// killed: with its tasks and its sessions.
func TestState(t *testing.T) {
	bin, address, state := build(t), freeAddress(t), filepath.Join(t.TempDir(), "state")
	url := "http://" + address + "/mcp"
	start := func() *exec.Cmd {
		return run(t, filepath.Join(bin, "replicas"), "-http", address, "-state", state, "-name", "only")
	}
	process := start()
	c := connect(t, url, mcp20260728.Revision)
	session := connect(t, url, mcp20251125.Revision)
	if said := session.call(t, "greet", `{"name":"Ann"}`); !strings.Contains(said, "Hello, Ann! This is only.") {
		t.Error(said)
	}
	go c.Call(t.Context(), "tools/call", wire.Object(`{"name":"dig","arguments":{"seconds":1}}`), nil)
	id := <-c.created
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = process.Wait() // the error says that it was killed
	start()
	again := connect(t, url, mcp20260728.Revision)
	var result wire.Object
	if err := tasks.Resume(t.Context(), again, again.binding, again.opts, id, &result); err != nil || !strings.Contains(string(result), "The hole is dug, in attempt 2.") {
		t.Errorf("after a restart: %s, %v", result, err)
	}
	if said := session.call(t, "greet", `{"name":"Bob"}`); !strings.Contains(said, "Hello, Bob!") {
		t.Errorf("a session from before: %s", said)
	}
}

// TestFlags checks the errors for flags that do not fit.
func TestFlags(t *testing.T) {
	bin := filepath.Join(build(t), "replicas")
	for want, args := range map[string][]string{
		"want either -state or -nats": {},
		"replicas want the same -key": {"-nats", "nats://127.0.0.1:1"},
	} {
		out, err := exec.Command(bin, args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%q: %v, %s, want %q", args, err, out, want)
		}
	}
}
