package web

import (
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
