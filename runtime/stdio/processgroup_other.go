//go:build !unix

package stdio

import (
	"errors"
	"os/exec"
)

// Without process groups, only the process itself can be killed.

func ownGroup(*exec.Cmd) {}

func terminate(*exec.Cmd) error { return errors.ErrUnsupported }

func kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func killGroup(*exec.Cmd) {}
