// Package ecma matches patterns that package regexp does not support, such as those with
// lookahead. Only code generated from a schema with such a pattern imports this package.
package ecma

import (
	"sync"
	"time"

	"github.com/dlclark/regexp2/v2"

	"github.com/mcpgen/mcpgen/runtime/schema"
)

// Patterns with lookaround are matched by backtracking, which can take long for some strings. These
// constants limit a single match; a match that exceeds them is given up.
const (
	timeLimit  = 250 * time.Millisecond
	stackLimit = 1 << 20
)

// Compile returns the pattern with the given ECMA-262 source: with the u flag or, if the
// source is invalid with it, without.
func Compile(source string) (*schema.Pattern, error) {
	limit := regexp2.OptionMaxBacktrackingStackSize(stackLimit)
	re, err := regexp2.Compile(source, regexp2.ECMAScript|regexp2.Unicode, limit)
	if err != nil {
		re, err = regexp2.Compile(source, regexp2.ECMAScript, limit)
	}
	if err != nil {
		return nil, err
	}
	re.MatchTimeout = timeLimit
	return schema.NewPattern(source, re.MatchString), nil
}

// MustPattern is [Compile] for a source that is known to be valid. It is compiled on first
// use, which panics if it is invalid.
func MustPattern(source string) *schema.Pattern {
	compiled := sync.OnceValue(func() *schema.Pattern {
		p, err := Compile(source)
		if err != nil {
			panic(err)
		}
		return p
	})
	return schema.NewPattern(source, func(s string) (bool, error) { return compiled().MatchString(s) })
}
