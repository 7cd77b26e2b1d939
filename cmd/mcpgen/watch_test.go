//go:build !bootstrap

package main

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestWatch checks what is printed while a server does not answer.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		w := &watch{out: &out}
		ctx, stop := context.WithCancel(t.Context())
		go w.run(ctx)
		w.begin("initialize")
		time.Sleep(12 * time.Second)
		w.end("initialize", nil)
		time.Sleep(time.Minute) // nothing is in flight
		stop()
		synctest.Wait()
		want := "mcpgen: waiting for the server to answer initialize (1s); it has sent nothing yet\n" +
			"mcpgen: waiting for the server to answer initialize (11s); it has sent nothing yet\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}
