package emit

import (
	"cmp"
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// cacheHints renders the method WithCacheHint of the results that must say how long they may be kept. An optional
// member needs no value, so the runtime adds it to the text of the result.
func cacheHints(f *jen.File, methods []*ir.Method) {
	done := map[*ir.Decl]bool{}
	for _, m := range methods {
		result := cmp.Or(m.Plain, m.Result)
		if !m.Cacheable || done[result] || result.Same != "" {
			continue
		}
		done[result] = true
		ttl, scope := requiredField(result, "ttlMs"), requiredField(result, "cacheScope")
		if ttl == nil || scope == nil {
			continue
		}
		_, isText := ir.Resolve(scope.Type).(*ir.String)
		if _, isEnum := ir.Resolve(scope.Type).(*ir.Enum); !isText && !isEnum {
			continue
		}
		if _, isInteger := ttl.Type.(*ir.Integer); !isInteger {
			continue
		}
		code.Declare(f, fmt.Sprintf("WithCacheHint returns x if it has a %s. Otherwise it returns a copy with the given one, which has the given %s if x has none.", scope.Go, ttl.Go),
			`func (x *$1) WithCacheHint(ttlMs int64, cacheScope string) wire.Appender {
				if x == nil || x.$2 != "" {
					return x
				}
				hinted := *x
				hinted.$2 = $3(cacheScope)
				if hinted.$4 == 0 {
					hinted.$4 = ttlMs
				}
				return &hinted
			}`, result.Name, scope.Go, GoType(scope.Type), ttl.Go)
	}
}

// requiredField returns the member of an object that is always present and not constant, or nil.
func requiredField(d *ir.Decl, wire string) *ir.Field {
	o, ok := ir.Resolve(d.Type).(*ir.Object)
	if !ok {
		return nil
	}
	for _, f := range o.Fields {
		if f.Wire == wire && f.Required && !f.Nullable() && f.Const == nil {
			return f
		}
	}
	return nil
}
