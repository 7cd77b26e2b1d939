package runtime

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// checkRoots encodes the result of roots/list. It returns an error if the URI of a root does not begin
// with file:// ("Root" in client/roots of every revision), which no schema requires.
func checkRoots(result wire.Appender) (wire.Appender, error) {
	if result == nil {
		return nil, errors.New("runtime: the handler of roots/list returned no result")
	}
	text, err := wire.MarshalString(result)
	if err != nil {
		return nil, prefix.Errorf("runtime: result of roots/list: %w", err)
	}
	roots, _ := wire.Object(text).Get("roots")
	if roots.Kind() != wire.KindArray {
		return wire.Raw(text), nil // other errors are not checked here
	}
	r := wire.NewStringReader(string(roots))
	i := 0
	for r.BeginArray(); r.Element(); i++ {
		root := wire.Object(r.ReadRaw())
		if uri := root.GetString("uri"); !isFileURI(uri) {
			return nil, fmt.Errorf("runtime: result of roots/list: /roots/%d/uri: expected a URI that begins with file://, found %.200q", i, uri)
		}
	}
	return wire.Raw(text), nil
}

// isFileURI reports whether a URI has the scheme file, in whatever case (RFC 3986, section 3.1).
func isFileURI(uri string) bool {
	const prefix = "file://"
	return len(uri) >= len(prefix) && strings.EqualFold(uri[:len(prefix)], prefix)
}
