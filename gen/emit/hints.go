package emit

import (
	"cmp"
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// cacheHints renders runtime.Hinted for the results that must say how long they may be kept. An optional
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
		unset, typed, ok := zeroString(scope.Type)
		if _, isInteger := ttl.Type.(*ir.Integer); !ok || !isInteger {
			continue
		}
		f.Line()
		f.Add(doc(fmt.Sprintf("WithCacheHint returns x if it has a %s. Otherwise it returns a copy with the given one, which has the given %s if x has none.", scope.Go, ttl.Go)))
		f.Func().Params(jen.Id("x").Op("*").Id(result.Name)).Id("WithCacheHint").
			Params(jen.Id("ttlMs").Int64(), jen.Id("cacheScope").String()).Qual(wirePath, "Appender").Block(
			jen.If(jen.Id("x").Op("==").Nil().Op("||").Id("x").Dot(scope.Go).Op("!=").Add(unset)).Block(jen.Return(jen.Id("x"))),
			jen.Id("hinted").Op(":=").Op("*").Id("x"),
			jen.Id("hinted").Dot(scope.Go).Op("=").Add(typed(jen.Id("cacheScope"))),
			jen.If(jen.Id("hinted").Dot(ttl.Go).Op("==").Lit(0)).Block(jen.Id("hinted").Dot(ttl.Go).Op("=").Id("ttlMs")),
			jen.Return(jen.Op("&").Id("hinted")),
		)
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

// zeroString returns the zero value of a type whose values are strings, and the conversion of a string to
// it.
func zeroString(t ir.Type) (zero jen.Code, typed func(jen.Code) jen.Code, ok bool) {
	switch ir.Resolve(t).(type) {
	case *ir.String, *ir.Enum:
		return jen.Lit(""), func(v jen.Code) jen.Code { return jen.Add(goType(t)).Call(v) }, true
	}
	return nil, nil, false
}
