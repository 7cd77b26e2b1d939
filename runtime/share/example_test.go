package share_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/runtime/share"
)

// Replicas change a value one after the other, because Put demands the version that they have read.
func ExampleKV() {
	ctx := context.Background()
	var store share.KV = &share.Memory{}
	version, err := store.Put(ctx, "quota.ada", []byte("3"), 0, 0) // 0: there is no value yet
	if err != nil {
		log.Fatal(err)
	}
	if _, err := store.Put(ctx, "quota.ada", []byte("2"), version, 0); err != nil {
		log.Fatal(err)
	}

	_, err = store.Put(ctx, "quota.ada", []byte("1"), version, 0)
	fmt.Println(errors.Is(err, share.ErrConflict))
	value, _, err := store.Get(ctx, "quota.ada")
	fmt.Println(string(value), err)
	// Output:
	// true
	// 2 <nil>
}

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
