//go:build unix

package stdio

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the process the leader of a new group, unless the caller has set SysProcAttr.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
}

// leads reports whether the process leads a group. The group then has the id of the process.
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

// killGroup kills the processes that are left in the group of a process that has ended. While
// there are any, the system does not reuse the id of the group; and if there are none, it has not
// had the time to reuse it.
func killGroup(cmd *exec.Cmd) {
	if leads(cmd) {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
