package natsmcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// namedStream is a stream and its name.
type namedStream struct {
	jetstream.Stream
	name string
}

// openStream returns the stream of a store, which it creates if it does not exist.
func openStream(ctx context.Context, js jetstream.JetStream, o TasksOptions) (namedStream, error) {
	name := cmp.Or(o.Stream, DefaultStream)
	want := jetstream.StreamConfig{
		Name:              name,
		Description:       "tasks of MCP, one message each",
		Subjects:          []string{name + ".*"},
		MaxMsgs:           cmp.Or(max(o.MaxTasks, 0), -1),
		MaxMsgsPerSubject: 1,
		AllowMsgTTL:       true,
		Discard:           jetstream.DiscardNew, // a full store refuses tasks and forgets none
		Replicas:          max(o.Replicas, 1),
	}
	stream, err := js.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = js.CreateStream(ctx, want)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another process was faster
			stream, err = js.Stream(ctx, name)
		}
	}
	if err == nil {
		err = check(stream.CachedInfo().Config, want)
	}
	return namedStream{stream, name}, err
}

// check returns an error if a stream that exists cannot keep tasks.
func check(found, want jetstream.StreamConfig) error {
	var wrong []error
	for _, member := range []struct {
		name        string
		ok          bool
		found, want any
	}{
		{"subjects", slices.Equal(found.Subjects, want.Subjects), found.Subjects, want.Subjects},
		{"max_msgs_per_subject", found.MaxMsgsPerSubject == 1, found.MaxMsgsPerSubject, 1},
		{"allow_msg_ttl", found.AllowMsgTTL, false, "true, which NATS has since version 2.11"},
		{"discard", found.Discard == want.Discard, found.Discard, want.Discard},
		{"retention", found.Retention == want.Retention, found.Retention, want.Retention},
		{"storage", found.Storage == want.Storage, found.Storage, want.Storage},
		{"max_age", found.MaxAge == 0, found.MaxAge, "none"},
		{"allow_direct", !found.AllowDirect, true, "false, because a server that lags could say that a task is unknown"},
	} {
		if !member.ok {
			wrong = append(wrong, fmt.Errorf("%s is %v, want %v", member.name, member.found, member.want))
		}
	}
	return errors.Join(wrong...)
}
