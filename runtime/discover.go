package runtime

import "github.com/mcpgen/mcpgen/runtime/wire"

// discovery returns the result of server/discover that follows from the options, without the members that
// all results get ("Response" in server/discover, 2026-07-28). It lists the revisions with sessions too,
// because a client that speaks none of the others can open a session. The text of the revision
// contradicts itself about hints for caches: the changelog leaves the method out of those whose results
// have them, and server/utilities/caching includes it. The results have them.
func (s *Server) discovery(b *bound) (wire.Appender, error) {
	capabilities, err := b.offered.declared()
	if err != nil {
		return nil, err
	}
	return appendFunc(func(dst []byte) ([]byte, error) {
		dst = append(dst, `{"supportedVersions":[`...)
		for _, revision := range s.spoken {
			if dst, err = wire.AppendString(wire.AppendComma(dst), revision); err != nil {
				return dst, wire.In(err, "supportedVersions")
			}
		}
		dst, err := capabilities.AppendJSON(append(dst, `],"capabilities":`...))
		if err != nil {
			return dst, wire.In(err, "capabilities")
		}
		if s.opts.Instructions != "" {
			if dst, err = wire.AppendString(append(dst, `,"instructions":`...), s.opts.Instructions); err != nil {
				return dst, wire.In(err, "instructions")
			}
		}
		return append(dst, '}'), nil
	}), nil
}
