package natsmcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/share"
)

// KV is a share.KV in a stream, which has one message for each key. NATS removes it when its time has passed.
// The buckets of NATS, which are such streams too, cannot change a value and its time at once.
type KV struct{ stream stream }

// OpenKV opens the store, and creates the stream if it does not exist. There is nothing to close.
func OpenKV(ctx context.Context, nc *nats.Conn, o Options) (*KV, error) {
	stream, err := openStream(ctx, nc, o, jetstream.StreamConfig{
		Name:        "MCP_KV",
		Description: "values that replicas of an MCP server share, one message each",
		Subjects:    []string{">"},
		AllowMsgTTL: true,
		Discard:     jetstream.DiscardNew, // a full store forgets no session that has ended
	})
	if err != nil {
		return nil, err
	}
	return &KV{stream}, nil
}

// Get implements share.KV.
func (s *KV) Get(ctx context.Context, key string) ([]byte, uint64, error) {
	if err := share.CheckSubject(key); err != nil {
		return nil, 0, err
	}
	m, err := s.stream.last(ctx, s.stream.prefix+key)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, 0, share.ErrNotFound
	}
	if err != nil {
		return nil, 0, fmt.Errorf("natsmcp: %w", err)
	}
	return m.Data, m.Sequence, nil
}

// Put implements share.KV.
func (s *KV) Put(ctx context.Context, key string, value []byte, version uint64, ttl time.Duration) (uint64, error) {
	if err := check(key, value); err != nil {
		return 0, err
	}
	m := nats.NewMsg(s.stream.prefix + key)
	m.Data = value
	var opts []jetstream.PublishOpt
	if ttl > 0 {
		opts = append(opts, jetstream.WithMsgTTL(seconds(ttl)))
	}
	now, err := s.stream.write(ctx, m, version, opts...)
	switch {
	case err == nil:
		return now, nil
	case isConflict(err):
		return 0, share.ErrConflict
	case isTooLarge(err):
		return 0, share.ErrTooLarge
	}
	return 0, fmt.Errorf("natsmcp: %w", err)
}

// Delete implements share.KV.
func (s *KV) Delete(ctx context.Context, key string) error {
	if err := share.CheckSubject(key); err != nil {
		return err
	}
	return s.stream.remove(ctx, s.stream.prefix+key)
}
