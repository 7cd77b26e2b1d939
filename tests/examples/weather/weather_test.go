package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/tests/examples/weather/client"
)

// build builds packages of this module into a new folder and returns it.
func build(t *testing.T, packages ...string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", append([]string{"build", "-o", dir + string(filepath.Separator)}, packages...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return dir
}

// TestAsk runs the client program with the server.
func TestAsk(t *testing.T) {
	if _, err := os.ReadFile("ask/main.go"); err != nil { // so that go test notices a change of the program
		t.Fatal(err)
	}
	dir := build(t, ".", "./ask")
	ctx := testkit.Context(t)
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "ask"), filepath.Join(dir, "weather"))
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("ask: %v\n%s", err, &log)
	}
	const want = `Oslo: snow, 33 °F
Passau 2025-11-03: rain, 4 to 9 °C
Passau 2025-11-04: rain, 4 to 9 °C
flood of the Danube, level 3
get_weather failed: no weather for "Atlantis"; the cities are Oslo, Lima, Passau
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +printed):\n%s", diff)
	}
}

func TestReportSighting(t *testing.T) {
	h := &handlers{}
	for want := range int64(3) {
		out, err := h.ReportSighting(t.Context(), &ReportSightingInput{City: "Lima"})
		if err != nil || out.Total != want+1 {
			t.Errorf("got %+v, %v, want %d", out, err, want+1)
		}
	}
}

// TestHTTP calls the server at the URL that it logs.
func TestHTTP(t *testing.T) {
	ctx := testkit.Context(t)
	cmd := exec.CommandContext(ctx, filepath.Join(build(t, "."), "weather"), "--http", "localhost:0")
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	line, err := bufio.NewReader(log).ReadString('\n')
	_, url, ok := strings.Cut(strings.TrimSpace(line), " msg=listening url=")
	if !ok {
		t.Fatalf("the server printed %q, %v", line, err)
	}
	weather, err := client.Connect(ctx, streamable.URL(url, streamable.ClientOptions{}), runtime.ClientOptions{Name: "test", Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	defer weather.Close()
	if out, err := weather.GetWeather(ctx, &client.GetWeatherInput{City: "Oslo"}); err != nil || out == nil {
		t.Errorf("got %+v, %v", out, err)
	}
}
