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
