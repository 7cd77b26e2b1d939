//go:build unix

package proxy

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// group is a server with the processes that it has started, such as the program that npx runs.
type group struct{ server *exec.Cmd }

// newGroup makes a server start in its own process group, which the signals of a terminal do
// not reach.
func newGroup(server *exec.Cmd) *group {
	if server.SysProcAttr == nil {
		server.SysProcAttr = &syscall.SysProcAttr{}
	}
	server.SysProcAttr.Setpgid = true
	return &group{server}
}

// signal sends a signal to all processes of the group.
func (g *group) signal(s os.Signal) error {
	if sys, ok := s.(syscall.Signal); ok {
		return syscall.Kill(-g.server.Process.Pid, sys)
	}
	return g.server.Process.Signal(s)
}

// end kills the processes that a server has left behind.
func (g *group) end() {
	if g.signal(syscall.SIGTERM) != nil {
		return // the group has no processes
	}
	for deadline := time.Now().Add(exitWait); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if g.signal(syscall.Signal(0)) != nil {
			return
		}
	}
	g.signal(os.Kill)
}
