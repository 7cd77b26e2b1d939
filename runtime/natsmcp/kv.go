package natsmcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/share"
)

// DefaultKVStream is the default of KVOptions.Stream.
const DefaultKVStream = "MCP_KV"

// KVOptions configure a store of small values. The zero value is ready to use.
type KVOptions struct {
	// Stream is the name of the stream that has the values. Servers with different tools have different
	// streams. It defaults to DefaultKVStream.
	Stream string
	// Replicas is the number of NATS servers that keep each value, if OpenKV creates the stream: 1, 3 or
	// 5. It defaults to 1.
	Replicas int
	// MaxBytes limits the size of all values, if OpenKV creates the stream. A full store refuses new ones.
	// 0 means no limit.
	MaxBytes int64
}

// KV is a share.KV in a stream, which has one message for each key. NATS removes it when its time has passed.
// The buckets of NATS, which are such streams too, cannot change a value and its time at once.
type KV struct{ stream stream }

// OpenKV opens the store, and creates the stream if it does not exist. There is nothing to close.
func OpenKV(ctx context.Context, nc *nats.Conn, o KVOptions) (*KV, error) {
	name := cmp.Or(o.Stream, DefaultKVStream)
	stream, err := openStream(ctx, nc, jetstream.StreamConfig{
		Name:              name,
		Description:       "values that replicas of an MCP server share, one message each",
		Subjects:          []string{name + ".>"},
		MaxBytes:          cmp.Or(max(o.MaxBytes, 0), -1),
		MaxMsgsPerSubject: 1,
		AllowMsgTTL:       true,
		Discard:           jetstream.DiscardNew, // a full store forgets no session that has ended
		Replicas:          max(o.Replicas, 1),
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
