package runtime

import (
	"iter"
	"maps"
	"sync"
)

// maxEras limits the servers that Eras knows. Beyond it, all are forgotten, and each is probed again.
const maxEras = 10_000

// Eras remembers the revisions that servers speak, so that a client which connects again need not find
// out whether they have sessions ("Backward Compatibility with Initialization-Based Versions" in
// basic/versioning, 2026-07-28). Several clients may share one, and a program may store what All yields
// and Set it when it runs again. A client that is refused corrects the entry. What a client assumes because a
// server was silent is not remembered. The zero value knows no server. Eras is safe for concurrent use.
type Eras struct {
	mu    sync.Mutex
	known map[string]string
}

// Get returns the revision that a server speaks, or "" if that is unknown. See [Located] for the names
// of servers.
func (e *Eras) Get(server string) (revision string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known[server]
}

// Set sets the revision that a server speaks. It ignores a server without a name.
func (e *Eras) Set(server, revision string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if server == "" {
		return
	}
	if e.known == nil || len(e.known) >= maxEras {
		e.known = make(map[string]string)
	}
	e.known[server] = revision
}

// All yields the names of servers and their revisions, in no order.
func (e *Eras) All() iter.Seq2[string, string] {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.All(maps.Clone(e.known))
}

// nameOf returns the name of the server that a transport leads to, or "" if it has none.
func nameOf(t Transport) string {
	if l, ok := t.(Located); ok {
		return l.Server()
	}
	return ""
}
