//go:build unix

package stdio

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the process lead a group, unless its SysProcAttr is the caller's.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
}

// leads reports whether the process leads a group, whose id is then its own.
func leads(cmd *exec.Cmd) bool {
	a := cmd.SysProcAttr
	return a.Setsid || a.Setpgid && a.Pgid == 0
}

func terminate(cmd *exec.Cmd) error { return signalGroup(cmd, syscall.SIGTERM) }

func kill(cmd *exec.Cmd) error { return signalGroup(cmd, syscall.SIGKILL) }

func signalGroup(cmd *exec.Cmd, s syscall.Signal) error {
	if !leads(cmd) {
		return cmd.Process.Signal(s)
	}
	err := syscall.Kill(-cmd.Process.Pid, s)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// killGroup kills what the process has left in its group. The group's id is still that
// of these processes, if there are any; the moment in which a new group could have
// taken it after the process ended is too short for ids to come round.
func killGroup(cmd *exec.Cmd) {
	if leads(cmd) {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
