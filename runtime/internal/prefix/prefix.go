// Package prefix makes errors whose text has one prefix. By convention, the text of an error begins with the name
// of the package that made it. Where one package wraps the error of another, such as a call that fails because a
// process has ended, the prefix of the inner error is noise.
package prefix

import (
	"fmt"
	"slices"
	"strings"
)

// packages are those whose errors others wrap.
var packages = []string{"auth", "dial", "engine", "eventstream", "jsonrpc", "runtime", "sse", "stdio", "streamable", "web", "wire"}

// Cut returns the text of an error without its prefix.
func Cut(err error) string {
	text := err.Error()
	if name, rest, ok := strings.Cut(text, ": "); ok && slices.Contains(packages, name) {
		return rest
	}
	return text
}

// Errorf is [fmt.Errorf], with errors among the arguments appearing without their prefixes.
func Errorf(format string, args ...any) error {
	args = slices.Clone(args)
	for i, a := range args {
		if err, ok := a.(error); ok {
			args[i] = inner{err}
		}
	}
	return fmt.Errorf(format, args...)
}

// inner is an error without its prefix.
type inner struct{ error }

func (e inner) Error() string { return Cut(e.error) }

func (e inner) Unwrap() error { return e.error }
