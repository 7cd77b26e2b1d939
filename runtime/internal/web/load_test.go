package web

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// TestCallersBounded checks that callers are remembered up to a limit, that one with a request in flight is
// not forgotten for others, and that those whose requests no longer count are forgotten first.
func TestCallersBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(Limits{}, LoadLimits{MaxInFlightPerCaller: 1, Rate: 1, Burst: 2, MaxCallers: 10}, 0)
		r := httptest.NewRequest("POST", "/", nil)
		text := jsonrpc.ParseText(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		enter := func(user string) (*Admission, error) {
			a := &Admission{Gate: g}
			return a, a.EnterCalls(r, user, &text, false)
		}
		reason := func(err error) string {
			if err == nil {
				return ""
			}
			return err.(*Refusal).Reason
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
			a.Leave()
			a.Leave()
			if _, _, n := g.Counts(); n > 10 {
				t.Fatalf("%d callers are remembered", n)
			}
		}
		if _, err := enter("busy"); reason(err) != ReasonCaller {
			t.Errorf("a second request in flight: %v", err)
		}
		busy.Leave()
		for _, want := range []string{"", ReasonRate} {
			a, err := enter("999") // its second and third request
			a.Leave()
			if reason(err) != want {
				t.Errorf("%v, want the reason %q", err, want)
			}
		}
		time.Sleep(time.Minute)
		for i := range 5 {
			a, _ := enter("new " + strconv.Itoa(i))
			a.Leave()
		}
		if _, _, n := g.Counts(); n > 5+2 {
			t.Errorf("%d callers are remembered, though only 5 have a request that counts", n)
		}
		if _, n, _ := g.Counts(); n != 0 {
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
	for _, limits := range []Limits{{Address: unsteady}, {Address: unsteady, PerAddress: -1}} {
		g := NewGate(limits, LoadLimits{MaxInFlightPerCaller: 1}, 0)
		for _, user := range []string{"", "u"} {
			r, a := httptest.NewRequest("POST", "/", nil), Admission{Gate: g}
			if err := a.EnterPost(r, user); err != nil {
				t.Fatal(err)
			}
			if err := a.EnterCalls(r, user, &text, true); err != nil {
				t.Fatal(err)
			}
			if len(g.posts.counts) < 1 || len(g.inFlight.counts) != 2 {
				t.Errorf("user %q: %v and %v are counted", user, g.posts.counts, g.inFlight.counts)
			}
			a.Leave()
			if len(g.posts.counts) != 0 || len(g.inFlight.counts) != 0 {
				t.Errorf("user %q: %v and %v remain", user, g.posts.counts, g.inFlight.counts)
			}
		}
	}
}
