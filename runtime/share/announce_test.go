package share

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// failing is a bus that fails to publish a number of times.
type failing struct {
	Memory
	fails int
}

func (b *failing) Publish(ctx context.Context, subject string, data []byte) error {
	if b.fails > 0 {
		b.fails--
		return errors.New("down")
	}
	return b.Memory.Publish(ctx, subject, data)
}

// TestAnnouncedInOrder checks that notifications reach the other replicas in their order after a failure of the
// bus, and the last of equal ones last.
func TestAnnouncedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var bus failing
		var got []string
		join := func() func(runtime.Notification) {
			announce, err := Announce(&bus).Join("shop", discard, func(n runtime.Notification) { got = append(got, string(n.Params)) }, func() {})
			if err != nil {
				t.Fatal(err)
			}
			return announce
		}
		announce := join()
		join()
		for _, row := range []struct{ said, want string }{
			{"ab", "[a b]"},
			{"aba", "[b a]"},
		} {
			bus.fails, got = 2, nil
			for _, param := range row.said {
				announce(runtime.Notification{Method: "notifications/n", Params: wire.Raw(`"` + string(param) + `"`)})
				synctest.Wait()
			}
			time.Sleep(time.Hour)
			synctest.Wait()
			if want := row.want; fmt.Sprint(unquoted(got)) != want {
				t.Errorf("%s: got %s, want %s", row.said, got, want)
			}
		}
	})
}

// unquoted returns the contents of JSON strings.
func unquoted(texts []string) (all []string) {
	for _, text := range texts {
		s, _ := wire.Raw(text).Str()
		all = append(all, s)
	}
	return all
}

// held is a bus that fails to publish with the errors that it is given, and publishes for those that are nil.
type held struct {
	Memory
	with chan error
}

func (b *held) Publish(ctx context.Context, subject string, data []byte) error {
	if err := <-b.with; err != nil {
		return err
	}
	return b.Memory.Publish(ctx, subject, data)
}

// TestAnnouncedTooMany checks that the announcements that wait are limited, also when one of them is to be sent again.
func TestAnnouncedTooMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := &held{with: make(chan error)}
		heard, missed := 0, 0
		join := func() func(runtime.Notification) {
			announce, err := Announce(bus).Join("shop", discard, func(runtime.Notification) { heard++ }, func() { missed++ })
			if err != nil {
				t.Fatal(err)
			}
			return announce
		}
		announce := join()
		join()
		for i := range maxWaiting + 1 {
			announce(runtime.Notification{Method: "notifications/n", Params: wire.Raw(fmt.Sprint(i))})
			synctest.Wait() // the first one is being sent
		}
		bus.with <- errors.New("down")
		synctest.Wait()
		for i := range 10 {
			announce(runtime.Notification{Method: "notifications/n", Params: wire.Raw(fmt.Sprint(-i))})
		}
		close(bus.with)
		time.Sleep(time.Hour)
		synctest.Wait()
		if heard != 9 || missed != 1 {
			t.Errorf("the other replica has heard %d announcements and missed some %d times", heard, missed)
		}
	})
}

// TestAnnouncedWhileDown checks that no goroutine waits for a bus that stays down: a bubble ends when none is left.
func TestAnnouncedWhileDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		announce, err := Announce(&failing{fails: 1 << 30}).Join("shop", discard, func(runtime.Notification) {}, func() {})
		if err != nil {
			t.Fatal(err)
		}
		announce(runtime.Notification{Method: "notifications/n"})
		synctest.Wait()
	})
}
