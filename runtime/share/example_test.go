package share_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/runtime/share"
)

// One replica answers the requests of the others.
func ExampleBus() {
	ctx := context.Background()
	var bus share.Bus = &share.Memory{}
	stop, err := bus.Serve(ctx, "index.lookup", func(_ context.Context, word []byte) []byte {
		return append([]byte("found "), word...)
	})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := bus.Request(ctx, "index.lookup", []byte("tulip"))
	fmt.Println(string(answer), err)

	stop()
	_, err = bus.Request(ctx, "index.lookup", []byte("tulip"))
	fmt.Println(err)
	// Output:
	// found tulip <nil>
	// share: no process serves the subject
}
