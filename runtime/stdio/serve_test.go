//go:build unix

package stdio

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestMainReportsFailure(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperMode+"=unassembled")
	var log strings.Builder
	cmd.Stderr = &log
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("got %v, want exit status 1", err)
	}
	if !strings.Contains(log.String(), "two tools are called greet") {
		t.Errorf("the log is %q", &log)
	}
}
