//go:build !unix

package stdio

import (
	"errors"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func terminate(*exec.Cmd) error { return errors.ErrUnsupported }

func kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func killGroup(*exec.Cmd) {}
