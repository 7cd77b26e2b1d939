package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/wire"

	// The test builds these programs, so go test must not cache results across their changes.
	_ "github.com/mcpgen/mcpgen/tests/examples/weather/client"
)

// TestAsk runs the client program with the server.
func TestAsk(t *testing.T) {
	dir := t.TempDir()
	if _, err := os.ReadFile("ask/main.go"); err != nil { // so that go test notices a change of the program
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), ".", "./ask")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
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
		if err != nil || out.Total != wire.IntegerOf(want+1) {
			t.Errorf("got %+v, %v, want %d", out, err, want+1)
		}
	}
}
