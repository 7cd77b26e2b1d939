//go:build !unix

package proxy

import (
	"os"
	"os/exec"
)

// group is a server. The system has no process groups that signals can be sent to.
type group struct{ server *exec.Cmd }

func newGroup(server *exec.Cmd) *group { return &group{server} }

// signal kills the server, as the system has no other signal.
func (g *group) signal(os.Signal) error { return g.server.Process.Kill() }

func (g *group) end() {}
