package runtime

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Bus carries messages between the replicas of a server: the part of share.Bus that a server uses.
type Bus interface {
	// Publish sends a message to all that subscribe to the subject, this process included. It does not
	// wait for them and does not keep data.
	Publish(ctx context.Context, subject string, data []byte) error
	// Subscribe calls receive for each message that is published on the subject from now on, in the order
	// in which a publisher has sent them, until stop is called. Calls do not overlap.
	Subscribe(ctx context.Context, subject string, receive func(data []byte)) (stop func(), err error)
}

// maxAnnounced is the length of the longest announcement, which every share.Bus carries, in bytes.
const maxAnnounced = 1<<20 - 4096

// announcer exchanges what a server publishes with the other replicas of the server over ServerOptions.Bus.
//
// A failing bus does not delay anything: announcements wait, each text once, and are sent again after
// growing pauses. When too many wait, the other replicas are only told that they have missed some. If the
// bus has the method Reconnected of share.Reconnector, a replica whose connection was lost learns that too.
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

// join connects the server with its replicas.
func (s *Server) join() error {
	if err := checkNotNil("Bus in the options", s.opts.Bus); err != nil {
		return err
	}
	if s.opts.Name == "" {
		return errors.New("runtime: a server with a Bus needs a Name, which its replicas have in common")
	}
	s.bus = &announcer{bus: s.opts.Bus, subject: changesSubject(s.opts.Name), from: rand.Text(), log: s.log}
	s.bus.follow(func(n Notification) { s.audience.publish(n, &s.audience.changesElsewhere) }, s.missed)
	return nil
}

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

// follow calls heard with each notification that another replica announces from now on. It calls missed after
// announcements may have been lost. Calls of heard do not overlap, and the calls last as long as the bus. If the bus
// cannot be reached within seconds, follow returns and keeps trying in the background.
func (r *announcer) follow(heard func(Notification), missed func()) {
	if b, ok := r.bus.(interface{ Reconnected(func()) (stop func()) }); ok {
		b.Reconnected(missed)
	}
	receive := func(data []byte) { r.receive(data, heard, missed) }
	if !r.subscribe(receive) {
		r.followLater(1, receive, missed)
	}
}

// followLater subscribes when the bus can be reached again. The timer takes 160 bytes, where a goroutine that
// waits would take 3 KB.
func (r *announcer) followLater(faults int, receive func([]byte), missed func()) {
	time.AfterFunc(backoff(faults), func() {
		if r.subscribe(receive) {
			missed()
			return
		}
		r.followLater(faults+1, receive, missed)
	})
}

func (r *announcer) subscribe(receive func([]byte)) bool {
	ctx, cancel := context.WithTimeout(context.Background(), waits.Bus)
	defer cancel()
	_, err := r.bus.Subscribe(ctx, r.subject, receive)
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.fault("cannot hear of changes at other replicas", err)
	}
	return err == nil
}

// receive reads a message of the bus. A message without a method says that its replica has lost some.
func (r *announcer) receive(data []byte, heard func(Notification), missed func()) {
	var message wire.Object
	if err := wire.Unmarshal(data, &message); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.fault("a message of another replica cannot be read", err)
		return
	}
	if message.GetString("from") == r.from {
		return
	}
	method := message.GetString("method")
	if method == "" {
		missed()
		return
	}
	params, _ := message.Get("params")
	heard(Notification{method, params})
}

// announce passes a notification to the other replicas. It does not wait for them.
func (r *announcer) announce(n Notification) {
	text, err := r.message(n)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && len(text) > maxAnnounced {
		err = fmt.Errorf("%d bytes, which is more than %d", len(text), maxAnnounced)
	}
	if err != nil {
		r.fault("a change cannot be announced to other replicas", err)
		return
	}
	if len(r.waiting) == maxHeard {
		everything, _ := r.message(Notification{})
		r.waiting = append(r.waiting[:0], everything)
	} else if !slices.Contains(r.waiting, text) {
		r.waiting = append(r.waiting, text)
	}
	if !r.busy {
		r.busy = true
		go r.publish()
	}
}

// message returns the text of an announcement. Without a method, it says that some were lost.
func (r *announcer) message(n Notification) (string, error) {
	w := wire.NewWriter(nil)
	w.BeginObject()
	w.String("from", r.from)
	if n.Method != "" {
		w.String("method", n.Method)
	}
	if n.Params != "" {
		w.Value("params", n.Params)
	}
	w.EndObject()
	text, err := w.End()
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
				r.waiting = append(r.waiting, text)
			}
			r.faults++
			r.fault("a change is announced to other replicas later", err)
			time.AfterFunc(backoff(r.faults), r.publish) // as in followLater
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
