package share_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/share"
)

func TestMemoryBus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m share.Memory
		ctx := t.Context()
		var got []string
		stop, err := m.Subscribe(ctx, "a.b", func(data []byte) { got = append(got, string(data)) })
		if err != nil {
			t.Fatal(err)
		}
		for i := range 100 {
			_ = m.Publish(ctx, "a.b", strconv.AppendInt(nil, int64(i), 10))
			_ = m.Publish(ctx, "a.c", nil)
		}
		synctest.Wait()
		for i, text := range got {
			if text != strconv.Itoa(i) {
				t.Fatalf("message %d is %s", i, text)
			}
		}
		stop()
		_ = m.Publish(ctx, "a.b", nil)
		synctest.Wait()
		if len(got) != 100 {
			t.Errorf("%d messages, want 100", len(got))
		}

		if _, err := m.Request(ctx, "q", nil); err != share.ErrNobody {
			t.Errorf("Request without a server: %v", err)
		}
		stop, err = m.Serve(ctx, "q", func(ctx context.Context, data []byte) []byte { return append(data, '!') })
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := m.Request(ctx, "q", []byte("hello")); string(answer) != "hello!" || err != nil {
			t.Errorf("Request: %q, %v", answer, err)
		}
		stop()
		if _, err := m.Request(ctx, "q", nil); err != share.ErrNobody {
			t.Errorf("Request after stop: %v", err)
		}
	})
}

func TestMemoryKV(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m share.Memory
		ctx := t.Context()
		if _, err := m.Put(ctx, "k", []byte("x"), 7, 0); !errors.Is(err, share.ErrConflict) {
			t.Errorf("Put with the version of another value: %v", err)
		}
		first, err := m.Put(ctx, "k", []byte("1"), 0, time.Minute)
		if err != nil || first == 0 {
			t.Fatal(first, err)
		}
		if _, err := m.Put(ctx, "k", []byte("x"), 0, 0); !errors.Is(err, share.ErrConflict) {
			t.Errorf("Put of a key that exists: %v", err)
		}
		time.Sleep(50 * time.Second)
		second, err := m.Put(ctx, "k", []byte("2"), first, time.Minute)
		if err != nil || second == first {
			t.Fatal(second, err)
		}
		time.Sleep(50 * time.Second)
		if data, version, err := m.Get(ctx, "k"); string(data) != "2" || version != second || err != nil {
			t.Errorf("Get: %s, %d, %v", data, version, err)
		}
		time.Sleep(11 * time.Second)
		if _, _, err := m.Get(ctx, "k"); !errors.Is(err, share.ErrNotFound) {
			t.Errorf("Get after the time to live: %v", err)
		}
		_, _ = m.Put(ctx, "k", nil, 0, 0)
		_ = m.Delete(ctx, "k")
		if _, _, err := m.Get(ctx, "k"); !errors.Is(err, share.ErrNotFound) {
			t.Errorf("Get after Delete: %v", err)
		}
	})
}
