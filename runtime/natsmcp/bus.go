package natsmcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/mcpgen/mcpgen/runtime/share"
)

// Bus is a share.Bus of the core of NATS: nothing is stored, and a process that is not connected misses what
// is published.
type Bus struct {
	nc     *nats.Conn
	prefix string
}

// servers is the queue group of those that serve a subject, of which each request reaches one.
const servers = "mcp"

// headerFault is the header of an answer that could not be sent, and says why.
const headerFault = "Mcp-Fault"

// OpenBus returns a bus. The caller closes the connection. prefix is the first word of all subjects; "" means
// MCP_BUS. Servers with different tools need different prefixes.
func OpenBus(nc *nats.Conn, prefix string) (*Bus, error) {
	prefix = cmp.Or(prefix, "MCP_BUS")
	if !isWord(prefix) {
		return nil, fmt.Errorf("natsmcp: the prefix %q of a bus is not one word of letters, digits, - and _", prefix)
	}
	if found := nc.MaxPayload(); found < share.MaxMessage {
		return nil, fmt.Errorf("natsmcp: max_payload of the NATS server is %d bytes, want %d or more", found, share.MaxMessage)
	}
	return &Bus{nc, prefix + "."}, nil
}

// Publish implements share.Bus.
func (b *Bus) Publish(_ context.Context, subject string, data []byte) error {
	if err := share.Check(subject, data); err != nil {
		return err
	}
	return busError(b.nc.Publish(b.prefix+subject, data))
}

// busError returns the error of package share that an error of NATS stands for, if there is one.
func busError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, nats.ErrNoResponders):
		return share.ErrNobody
	case errors.Is(err, nats.ErrMaxPayload):
		return share.ErrTooLarge
	}
	return fmt.Errorf("natsmcp: %w", err)
}

// Subscribe implements share.Bus.
func (b *Bus) Subscribe(ctx context.Context, subject string, receive func(data []byte), missed func()) (stop func(), err error) {
	if err := share.Check(subject, nil); err != nil {
		return nil, err
	}
	sub, err := b.nc.Subscribe(b.prefix+subject, func(m *nats.Msg) { receive(m.Data) })
	if err == nil {
		err = b.arrive(ctx, sub)
	}
	if err != nil {
		return nil, busError(err)
	}
	end := func() { _ = sub.Unsubscribe() } // an error says that the connection is closed
	if missed == nil {
		return end, nil
	}
	changes := b.nc.StatusChanged(nats.CONNECTED)
	go func() {
		for range changes {
			missed()
		}
	}()
	return func() {
		b.nc.RemoveStatusListener(changes)
		end()
	}, nil
}

// arrive waits until the server knows a subscription.
func (b *Bus) arrive(ctx context.Context, sub *nats.Subscription) error {
	ctx, done := context.WithTimeout(ctx, requestTimeout)
	defer done()
	err := b.nc.FlushWithContext(ctx)
	if err != nil {
		_ = sub.Unsubscribe()
	}
	return err
}

// Request implements share.Bus.
func (b *Bus) Request(ctx context.Context, subject string, data []byte) ([]byte, error) {
	if err := share.Check(subject, data); err != nil {
		return nil, err
	}
	m, err := b.nc.RequestWithContext(ctx, b.prefix+subject, data)
	if err != nil {
		return nil, busError(err)
	}
	if fault := m.Header.Get(headerFault); fault != "" {
		return nil, fmt.Errorf("natsmcp: the answer of %s bytes: %w", fault, share.ErrTooLarge)
	}
	return m.Data, nil
}

// Serve implements share.Bus.
func (b *Bus) Serve(ctx context.Context, subject string, answer func(ctx context.Context, data []byte) []byte) (stop func(), err error) {
	if err := share.Check(subject, nil); err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	sub, err := b.nc.QueueSubscribe(b.prefix+subject, servers, func(m *nats.Msg) {
		go func() { respond(m, answer(running, m.Data)) }()
	})
	if err == nil {
		err = b.arrive(ctx, sub)
	}
	if err != nil {
		cancel()
		return nil, busError(err)
	}
	return sync.OnceFunc(func() {
		cancel()
		_ = sub.Drain() // requests that have arrived are answered
		if b.nc.IsConnected() {
			_ = b.nc.FlushTimeout(tryTimeout) // until the server sends no more of them here
		}
	}), nil
}

// respond sends an answer. If the connection is lost, no answer is sent, and the request fails when its
// context ends.
func respond(m *nats.Msg, answer []byte) {
	if len(answer) <= share.MaxMessage && !errors.Is(m.Respond(answer), nats.ErrMaxPayload) {
		return
	}
	fault := nats.NewMsg(m.Reply)
	fault.Header.Set(headerFault, fmt.Sprint(len(answer)))
	_ = m.RespondMsg(fault)
}
