package streamable

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// gateOf returns the gate of a handler with options.
func gateOf(opts Options) *gate {
	opts = opts.withDefaults()
	return newGate(&opts)
}

// TestCallersBounded checks that callers are remembered up to a limit, that one with a request in flight is
// not forgotten for others, and that those whose requests no longer count are forgotten first.
func TestCallersBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateOf(Options{Load: Load{MaxInFlightPerCaller: 1, Rate: 1, Burst: 2, MaxCallers: 10}})
		r := httptest.NewRequest("POST", "/", nil)
		text := jsonrpc.ParseText(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		enter := func(user string) (*admission, error) {
			a := &admission{gate: g}
			return a, a.enterCalls(r, user, &text, false)
		}
		reason := func(err error) string {
			if err == nil {
				return ""
			}
			return err.(*web.Refusal).Reason
		}
		busy, err := enter("busy")
		if err != nil {
			t.Fatal(err)
		}
		for i := range 1000 {
			a, err := enter(strconv.Itoa(i))
			if err != nil {
				t.Fatal(err)
			}
			a.leave()
			a.leave()
			if _, _, n := g.counted(); n > 10 {
				t.Fatalf("%d callers are remembered", n)
			}
		}
		if _, err := enter("busy"); reason(err) != reasonCaller {
			t.Errorf("a second request in flight: %v", err)
		}
		busy.leave()
		for _, want := range []string{"", reasonRate} {
			a, err := enter("999") // its second and third request
			a.leave()
			if reason(err) != want {
				t.Errorf("%v, want the reason %q", err, want)
			}
		}
		time.Sleep(time.Minute)
		for i := range 5 {
			a, _ := enter("new " + strconv.Itoa(i))
			a.leave()
		}
		if _, _, n := g.counted(); n > 5+2 {
			t.Errorf("%d callers are remembered, though only 5 have a request that counts", n)
		}
		if _, n, _ := g.counted(); n != 0 {
			t.Errorf("%d requests are in flight", n)
		}
	})
}

// TestUnsteadyAddress checks that nothing remains counted of a POST whose address is another one each time.
func TestUnsteadyAddress(t *testing.T) {
	calls := 0
	unsteady := func(*http.Request) string {
		calls++
		return strconv.Itoa(calls)
	}
	text := jsonrpc.ParseText(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
	for _, perAddress := range []int{0, -1} {
		g := gateOf(Options{Address: unsteady, MaxSessionsPerAddress: perAddress, Load: Load{MaxInFlightPerCaller: 1}})
		for _, user := range []string{"", "u"} {
			r, a := httptest.NewRequest("POST", "/", nil), admission{gate: g}
			if err := a.enterPost(r, user); err != nil {
				t.Fatal(err)
			}
			if err := a.enterCalls(r, user, &text, true); err != nil {
				t.Fatal(err)
			}
			if len(g.posts.counts) < 1 || len(g.inFlight.counts) != 2 {
				t.Errorf("user %q: %v and %v are counted", user, g.posts.counts, g.inFlight.counts)
			}
			a.leave()
			if len(g.posts.counts) != 0 || len(g.inFlight.counts) != 0 {
				t.Errorf("user %q: %v and %v remain", user, g.posts.counts, g.inFlight.counts)
			}
		}
	}
}
