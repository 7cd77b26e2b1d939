package share

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/record"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Announce returns the replicas of a server that are connected by a bus, for runtime.ServerOptions.
func Announce(bus Bus) runtime.Replicas { return announced{bus} }

type announced struct{ bus Bus }

// Join implements runtime.Replicas.
func (a announced) Join(name string, log *slog.Logger, published func(runtime.Notification), missed func()) (announce func(runtime.Notification), err error) {
	if a.bus == nil || fmt.Sprintf("%p", a.bus) == "0x0" { // as package fmt prints nil pointers
		return nil, fmt.Errorf("share: the bus of Announce is a nil %T", a.bus)
	}
	r := &announcer{bus: a.bus, subject: changesSubject(name), from: rand.Text(), log: log}
	r.subscribe(0, func(data []byte) { r.receive(data, published, missed) }, missed)
	return r.announce, nil
}

// announcer exchanges what a server publishes with the other replicas of the server.
//
// A failing bus does not delay anything: announcements wait, each text once, and are sent in their order after
// growing pauses. When too many wait, the other replicas are only told that they have missed some. A
// replica whose connection was lost learns that from the bus.
type announcer struct {
	bus     Bus
	subject string
	from    string // tells the own announcements apart
	log     *slog.Logger

	mu      sync.Mutex
	waiting []string // texts to publish, each once
	busy    bool     // publish runs, or will run when a timer fires
	faults  int      // attempts to publish that failed in a row
	logged  time.Time
	muted   int // faults since then that were not logged
}

// announcement is what one replica tells the others. Without a method, it says that some announcements were lost.
type announcement struct {
	from, method string
	params       wire.Raw
}

func (a *announcement) members() []record.Member {
	return []record.Member{record.Field("from", &a.from), record.Field("method", &a.method), record.Field("params", &a.params)}
}

// maxWaiting limits the announcements that wait.
const maxWaiting = 1000

// maxSubjectName is the length of the longest name that a subject contains as it is. A subject has at most
// 256 bytes, and base64 makes 4 of 3.
const maxSubjectName = 120

// changesSubject returns the subject of the announcements of all servers with a name.
func changesSubject(name string) string {
	if len(name) > maxSubjectName {
		sum := sha256.Sum256([]byte(name))
		return "mcpgen.changes.digest." + base64.RawURLEncoding.EncodeToString(sum[:])
	}
	return "mcpgen.changes.name." + base64.RawURLEncoding.EncodeToString([]byte(name))
}

// subscribe begins to receive what other replicas announce, as long as the bus lasts. If the bus cannot be reached
// within seconds, it keeps trying in the background. It calls missed after announcements may have been lost.
func (r *announcer) subscribe(faults int, receive func([]byte), missed func()) {
	ctx, cancel := context.WithTimeout(context.Background(), waits.Bus)
	defer cancel()
	_, err := r.bus.Subscribe(ctx, r.subject, receive, missed)
	switch {
	case err != nil:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.fault("cannot hear of changes at other replicas", err)
		// A timer takes 160 bytes, where a goroutine that waits would take 3 KB.
		time.AfterFunc(waits.Backoff(faults+1), func() { r.subscribe(faults+1, receive, missed) })
	case faults > 0:
		missed()
	}
}

// receive reads a message of the bus. A message without a method says that its replica has lost some.
func (r *announcer) receive(data []byte, heard func(runtime.Notification), missed func()) {
	var a announcement
	if err := record.Read(data, 0, a.members()...); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.fault("a message of another replica cannot be read", err)
		return
	}
	switch {
	case a.from == r.from:
	case a.method == "":
		missed()
	default:
		heard(runtime.Notification{Method: a.method, Params: a.params})
	}
}

// announce passes a notification to the other replicas. It does not wait for them.
func (r *announcer) announce(n runtime.Notification) {
	text, err := r.message(n)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && len(text) > MaxMessage {
		err = fmt.Errorf("%d bytes, which is more than %d", len(text), MaxMessage)
	}
	if err != nil {
		r.fault("a change cannot be announced to other replicas", err)
		return
	}
	if len(r.waiting) >= maxWaiting { // a text that is sent again may be one more
		everything, _ := r.message(runtime.Notification{})
		r.waiting = append(r.waiting[:0], everything)
	} else {
		r.waiting = slices.DeleteFunc(r.waiting, func(other string) bool { return other == text })
		r.waiting = append(r.waiting, text)
	}
	if !r.busy {
		r.busy = true
		go r.publish()
	}
}

// message returns the text of an announcement. Without a method, it says that some were lost.
func (r *announcer) message(n runtime.Notification) (string, error) {
	a := announcement{r.from, n.Method, n.Params}
	text, err := record.Append(nil, 0, a.members()...)
	return string(text), err
}

// publish sends the waiting announcements, and returns when none is left or the bus fails.
func (r *announcer) publish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.waiting) > 0 {
		text := r.waiting[0]
		r.waiting = r.waiting[1:]
		r.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), waits.Bus)
		err := r.bus.Publish(ctx, r.subject, []byte(text))
		cancel()
		r.mu.Lock()
		if err != nil {
			if !slices.Contains(r.waiting, text) {
				r.waiting = slices.Insert(r.waiting, 0, text)
			}
			r.faults++
			r.fault("a change is announced to other replicas later", err)
			time.AfterFunc(waits.Backoff(r.faults), r.publish) // a goroutine that waits would take 3 KB
			return
		}
		r.faults = 0
	}
	r.waiting, r.busy = nil, false
}

// fault logs an error unless another one was logged a short time ago. The lock must be held.
func (r *announcer) fault(what string, err error) {
	if now := time.Now(); r.logged.IsZero() || now.Sub(r.logged) >= waits.BusFault {
		r.log.Warn(what, "subject", r.subject, "error", err, "unlogged", r.muted)
		r.logged, r.muted = now, 0
		return
	}
	r.muted++
}
