// Package sharetest checks implementations of share.Bus and share.KV, as testing/fstest checks those of fs.FS.
package sharetest

import "testing"

// test is a test of a share.Bus or a share.KV as two processes see it.
type test[S any] struct {
	name string
	run  func(t *testing.T, one, other S)
}

// run runs tests, each with a bus or store of its own.
func run[S any](t *testing.T, open func(t testing.TB) (one, other S), tests []test[S]) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			one, other := open(t)
			test.run(t, one, other)
		})
	}
}
