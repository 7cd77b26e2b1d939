//go:build !unix

package proxy

import (
	"os"
	"os/exec"
)

// group is a server process. This system has no process groups that can receive signals.
type group struct{ server *exec.Cmd }

func newGroup(server *exec.Cmd) *group { return &group{server} }

// signal kills the server, because this system has no other signal.
func (g *group) signal(os.Signal) error { return g.server.Process.Kill() }

func (g *group) end() {}
