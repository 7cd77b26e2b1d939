package replicas

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/natsmcp/embedded"
)

// chaosVariable sets the size of TestChaos: sessions, stateless clients, kills, and the least time between kills.
const chaosVariable = "MCPGEN_CHAOS"

// slots is the number of replicas.
const slots = 3

// chaos is a run of TestChaos.
type chaos struct {
	fleet
	sessions, clients, kills int
	every                    time.Duration

	proxy *balancer
	slots [slots]*exec.Cmd

	over  chan struct{} // closed when clients begin nothing more
	alive sync.WaitGroup
	done  atomic.Int64 // operations
	tally tally
}

// TestChaos has clients work with three replicas behind a proxy that picks one at random for each request and
// repeats none, while replicas are killed and started again, and all are replaced by others with new keys.
// Clients repeat what failed with an error that allows it, under another name. At the end, it is counted that
// nothing was lost or done twice.
//
// The size is small, and what comes next waits for a number of operations, not for time. "make chaos" runs the
// full size.
func TestChaos(t *testing.T) {
	c := &chaos{sessions: 12, clients: 12, kills: 3, over: make(chan struct{})}
	if size := os.Getenv(chaosVariable); size != "" {
		every := ""
		if n, err := fmt.Sscanf(strings.ReplaceAll(size, ",", " "), "%d %d %d %s", &c.sessions, &c.clients, &c.kills, &every); n != 4 {
			t.Fatalf("%s is %q, want numbers of sessions, clients and kills, and a duration, separated by commas: %v", chaosVariable, size, err)
		}
		var err error
		if c.every, err = time.ParseDuration(every); err != nil {
			t.Fatal(err)
		}
	}
	nats, err := embedded.Start(t.Context(), embedded.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Unsynced: true})
	if err != nil {
		t.Fatal(err)
	}
	defer nats.Close()
	c.fleet = fleet{t: t, store: nats.URL(), runs: filepath.Join(t.TempDir(), "runs"), keys: []string{newKey()}}
	c.logTo(filepath.Join(t.TempDir(), "log"))
	c.proxy = newBalancer(t, slots)
	for slot := range slots {
		c.launch(slot)
	}
	begun := time.Now()
	defer c.alive.Wait()
	for n := range c.clients {
		c.alive.Go(func() { c.stateless(n) })
	}
	for n := range c.sessions {
		c.alive.Go(func() { c.inSession(n) })
	}
	c.strike()
	c.rotate()
	close(c.over)
	c.tick()
	c.tally.report(t, c, time.Since(begun))
}

func newKey() string {
	key := make([]byte, 32)
	for i := range key {
		key[i] = byte(rand.Uint32())
	}
	return hex.EncodeToString(key)
}

// launch starts a replica in a slot.
func (c *chaos) launch(slot int) {
	process, url := c.start()
	c.slots[slot] = process
	c.proxy.set(slot, url)
}

// isOver reports whether clients begin nothing more.
func (c *chaos) isOver() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}

// progress waits until as many operations more are done as there are sessions and clients.
func (c *chaos) progress() {
	for target := c.done.Load() + int64(c.sessions+c.clients); c.done.Load() < target; {
		if c.t.Failed() {
			c.t.FailNow()
		}
		time.Sleep(time.Millisecond)
	}
}

// strike kills a replica at random and starts another one in its place, again and again.
func (c *chaos) strike() {
	for range c.kills {
		pause := time.After(c.every)
		c.progress()
		slot := rand.IntN(slots)
		c.kill(c.slots[slot])
		c.tally.killed++
		c.progress() // with two replicas
		c.launch(slot)
		<-pause
	}
}

// rotate replaces all replicas by others with a new key: first all accept it, then all use it. Those that are
// replaced end gracefully.
func (c *chaos) rotate() {
	oldest, newest := c.keys[0], newKey()
	for _, keys := range [][]string{{oldest, newest}, {newest, oldest}} {
		c.keys = keys
		for slot, process := range c.slots {
			c.progress()
			c.launch(slot)
			if err := process.Process.Signal(syscall.SIGTERM); err != nil {
				c.t.Errorf("a replica ended early: %v", err)
			}
			if err := process.Wait(); err != nil {
				c.t.Errorf("a replica that was told to end: %v", err)
			}
			c.tally.restarted++
		}
	}
	c.progress()
}

// tick lets the clock tick until all clients have heard of it.
func (c *chaos) tick() {
	heard := make(chan struct{})
	go func() {
		c.alive.Wait()
		close(heard)
	}()
	p := &statelessClient{chaos: c}
	if p.open(); p.session == nil {
		return
	}
	defer p.session.Close()
	for {
		if _, err := p.call(c.t.Context(), "tick", ""); err != nil && judge(err) == fault {
			c.t.Errorf("the clock does not tick: %v", err)
			return
		}
		select {
		case <-heard:
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// ledger reads the file of runs, in which the test notes what clients have seen to be finished. It returns how
// often each run began, and the runs that began after they were finished.
func (c *chaos) ledger() (begun map[string]int, again []string) {
	text, err := os.ReadFile(c.runs)
	if err != nil {
		c.t.Fatal(err)
	}
	begun = map[string]int{}
	finished := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		name, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case what == noteFinished:
			finished[name] = true
		case finished[name]:
			again = append(again, name)
		default:
			begun[name]++
		}
	}
	return begun, again
}

// noteFinished is what the test notes of a run.
const noteFinished = "finished"

// tally counts what became of the operations of clients.
type tally struct {
	killed, restarted int // replicas

	mu   sync.Mutex
	rows []*row
}

// row counts one kind of operation.
type row struct {
	kind                    string
	done                    int // operations
	answered, lost, refused int // attempts
	resumed                 int // tasks or streams, after a loss
	mayRunAgain             bool
	unbegun, once, more     int // attempts by how often they ran
	attempts                []attempt
}

// attempt is the outcome of one attempt.
type attempt struct {
	name    string
	refused bool // the client was told that it was not begun
}

// row returns the row of a kind. The lock must be held.
func (y *tally) row(kind string) *row {
	i := slices.IndexFunc(y.rows, func(r *row) bool { return r.kind == kind })
	if i < 0 {
		y.rows = append(y.rows, &row{kind: kind})
		i = len(y.rows) - 1
	}
	return y.rows[i]
}

func (y *tally) add(kind string, f func(*row)) {
	y.mu.Lock()
	defer y.mu.Unlock()
	f(y.row(kind))
}

// report prints the counts and checks them.
func (y *tally) report(t *testing.T, c *chaos, took time.Duration) {
	begun, again := c.ledger()
	for _, name := range again {
		t.Errorf("%s has run after it was finished", name)
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	var text strings.Builder
	fmt.Fprintf(&text, "%d sessions, %d stateless clients, %d kills, %d graceful restarts with rotated keys, %d requests that the proxy could not deliver, %v\n",
		c.sessions, c.clients, y.killed, y.restarted, c.proxy.refused.Load(), took.Round(time.Millisecond))
	fmt.Fprintf(&text, "%-12s %7s %9s %6s %8s %8s | %7s %7s %7s\n", "", "done", "attempts", "lost", "refused", "resumed", "not run", "once", "more")
	slices.SortFunc(y.rows, func(a, b *row) int { return cmp.Compare(a.kind, b.kind) })
	for _, r := range y.rows {
		for _, a := range r.attempts {
			n := begun[a.name]
			switch {
			case n == 0:
				r.unbegun++
			case n == 1:
				r.once++
			default:
				r.more++
			}
			if n > 1 && !r.mayRunAgain {
				t.Errorf("%s: attempt %s has run %d times", r.kind, a.name, n)
			}
			if n > 0 && a.refused {
				t.Errorf("%s: attempt %s has run, and the client was told that it was not begun", r.kind, a.name)
			}
		}
		fmt.Fprintf(&text, "%-12s %7d %9d %6d %8d %8d | %7d %7d %7d\n", r.kind, r.done, len(r.attempts), r.lost, r.refused, r.resumed, r.unbegun, r.once, r.more)
		if r.done == 0 {
			t.Errorf("%s: nothing was done", r.kind)
		}
	}
	t.Log("\n" + text.String())
}
